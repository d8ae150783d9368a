"""Players' avatars: which files are accepted, how they are rendered, and where they are stored."""
