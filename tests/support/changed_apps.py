"""The production app with a change that a test needs, for a server process of its own.

Each function makes such an app: ``gunicorn("tests.support.changed_apps:stuck()")``.
"""

from typing import Any

import gevent.event
from flask import Flask, request

from models.db.connection import database, reading
from server.cluster import cluster
from server.realtime import packets, transport
from server.realtime import realtime as realtime_server
from server.realtime.realtime import current_realtime
from server.worker import connection, websocket
from tests.support.apps import hurry

SHORTER_BY = 5
"""Short deadlines are a fifth of those of production."""

SLEEPERS = "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(2)' AND state = 'active'"


def production() -> Flask:
    """Create the app of production. What changes its modules comes before this."""
    from wsgi import app

    return app


def short_deadlines() -> Flask:
    """Clients have a fifth of the time for a head, a body, a message, a handshake, an upgrade or a pong."""
    for module in (connection, websocket, packets, transport, realtime_server):
        for name, seconds in list(vars(module).items()):
            if name.endswith("_SECONDS"):
                setattr(module, name, seconds / SHORTER_BY)
    app = production()
    engine = app.extensions["realtime"].server.eio
    engine.ping_interval /= SHORTER_BY
    engine.ping_timeout /= SHORTER_BY
    return app


def counting() -> Flask:
    """Short deadlines, and ``/counts`` with the connections, greenlets and files of the process."""
    short_deadlines()
    from tests.storms.attacks.counting_app import app

    return app


def quick_rounds() -> Flask:
    """Compares with the database every 50 ms instead of every two seconds."""
    cluster.ROUND_SECONDS = 0.05
    app = production()
    hurry(app)
    return app


def slow_query() -> Flask:
    """With a view that makes PostgreSQL sleep, and one that finds it sleeping."""
    app = production()

    @app.get("/slow-query")
    @reading()
    def slow():
        database.execute_sql("SELECT pg_sleep(2)")
        return {}

    @app.get("/while-the-query-sleeps")
    @reading()
    def while_the_query_sleeps():
        while not database.execute_sql(SLEEPERS).fetchone()[0]:
            pass
        return {}

    return app


def stuck() -> Flask:
    """With a view that never answers, and half a second for a request."""
    connection.REQUEST_SECONDS = 0.5
    app = production()
    app.add_url_rule("/stuck", view_func=gevent.event.Event().wait)
    return app


def loud() -> Flask:
    """With a view that broadcasts a large event."""
    app = production()

    @app.get("/loud")
    def broadcast():
        """Send everybody ``times`` events of ``bytes`` bytes, one after the other."""
        for number in range(int(request.args["times"])):
            payload = {"number": number, "text": "x" * int(request.args["bytes"])}
            current_realtime().broadcast([("live-bets:new", payload)])
        return {}

    return app


def rendering() -> Flask:
    """With a view that says whether an avatar is being rendered."""
    app = production()

    @app.get("/rendering")
    def is_rendering():
        return {"rendering": not app.extensions["services"].avatars.worker_pool._workers._free}

    return app


class BeyondFlask(BaseException):
    """What no handler of a framework catches."""


def failing() -> Flask:
    """With unexpected failures whose messages contain parts of the request."""
    app = production()
    inner = app.wsgi_app

    @app.post("/fails")
    def fails() -> None:
        try:
            int(request.get_data(as_text=True))
        except ValueError as error:
            raise RuntimeError(f"{request.full_path} {request.headers} {request.get_data()!r}") from error

    def fail_beyond_flask(environ: dict[str, Any], start_response: Any) -> Any:
        if environ["PATH_INFO"] == "/fails-beyond-flask":
            raise BeyondFlask(repr(environ))
        return inner(environ, start_response)

    app.wsgi_app = fail_beyond_flask
    return app
