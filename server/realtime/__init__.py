"""The Socket.IO server: its connections, and what bounds them."""
