"""The production server: a gunicorn worker with bounds on what a client may send, and how slowly."""
