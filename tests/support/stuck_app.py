"""The app with a view that never answers, and half a second for a request."""

import gevent.event

from app import create_app
from server.worker import connection

connection.REQUEST_SECONDS = 0.5

app = create_app()


@app.get("/stuck")
def stuck():
    gevent.event.Event().wait()
