"""The gunicorn worker: HTTP and websockets on greenlets, read strictly and within deadlines."""
