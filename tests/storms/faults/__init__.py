"""Players and readers while the database, the network or the disk fails."""
