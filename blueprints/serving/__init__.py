"""How connections are served in production: the worker, and the bounds on what a client may send."""
