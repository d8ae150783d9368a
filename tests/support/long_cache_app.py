"""The production app, where cached responses are valid for an hour unless their data changes."""

from blueprints.api import caching

caching.MAX_SECONDS = 3600.0

from wsgi import app  # noqa: E402, F401  # the server's own
