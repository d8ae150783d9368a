"""The app that is attacked, with short deadlines."""

from tests.support.short_deadlines import shorten_deadlines, shorten_pings

shorten_deadlines()

from bench.harness.attacks.counting_app import app  # noqa: E402  # created with the short deadlines

shorten_pings(app.extensions["realtime"].server.eio)
