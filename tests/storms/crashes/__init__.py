"""Players on many sockets while the server is killed again and again, and what must hold afterwards."""
