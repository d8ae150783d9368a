"""Login through two providers: the game platform (OpenID 2.0) and OpenID Connect."""
