"""Players' avatars: what a file must be, what becomes of it, and where it is kept."""
