"""The production app with short deadlines."""

from tests.support.short_deadlines import shorten_deadlines, shorten_pings

shorten_deadlines()

from wsgi import app  # noqa: E402  # created with the short deadlines

shorten_pings(app.extensions["realtime"].server.eio)
