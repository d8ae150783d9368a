"""The gunicorn worker: websockets and HTTP on greenlets, and an orderly end."""

import gc
import logging
import time
from typing import Any

import gevent
from gevent.pool import Pool
from geventwebsocket.gunicorn.workers import GeventWebSocketWorker
from gunicorn.http.wsgi import base_environ
from gunicorn.workers.ggevent import VERSION, PyWSGIServer

from blueprints.common.failures import describe
from blueprints.serving.connection import Handler

log = logging.getLogger("platform.worker")

NOTICE_SECONDS = 0.5
ACCEPTED_AT_ONCE = 10
"""Newcomers before those who are here have their turn. Of 5,000 who came at once, the library's 100 made
others wait for half a second."""

SMALL_SEARCHES = 1_000
"""For garbage, of what is new, before a whole one: millions of objects later, where 10 were 70,000 later."""

REJOIN_SECONDS = 1.3
"""How long the sockets stay after the listener has closed. Let go at once, they would rejoin this process."""

FINISH_SECONDS = 20.0
"""How long requests and spins that have begun may take; a stop must be over within 30 seconds."""


def _log_failure(_context: Any, _kind: Any, error: BaseException | None, _traceback: Any) -> None:
    if error is not None:
        log.error("task failed", extra={"failure": describe(error)})


def _search_less_for_garbage() -> None:
    """A search stops everybody: with 5,000 sockets a whole one takes a quarter of a second.

    What the program is made of lives as long as it does, and is left out. What sockets and requests leave is
    freed without a search, or found by one of the small ones.
    """
    gc.collect()
    gc.freeze()
    often, seldom, _ = gc.get_threshold()
    gc.set_threshold(often, seldom, SMALL_SEARCHES)


class Worker(GeventWebSocketWorker):  # type: ignore[misc]
    """Stops in order: no new connections, then the sockets, then what is still running, then exit 0.

    The stock worker waits for sockets that nobody tells to go, until it is killed.
    """

    wsgi_handler = Handler

    def handle_quit(self, _signal: int, _frame: Any) -> None:
        """Ctrl-C ends it in the same order as SIGTERM does."""
        self.alive = False

    def run(self) -> None:
        # gevent prints a failed greenlet's arguments, and those may be a client's seed or token.
        gevent.get_hub().print_exception = _log_failure
        servers = [self._serve(listener) for listener in self.sockets]
        realtime = self.wsgi.extensions["realtime"]
        realtime.start()
        _search_less_for_garbage()
        while self.alive:
            self._wait(NOTICE_SECONDS)
        for server in servers:
            server.close()
        self._wait(REJOIN_SECONDS)
        realtime.close()
        deadline = time.monotonic() + FINISH_SECONDS
        while (Handler.busy or realtime.tasks) and time.monotonic() < deadline:
            self._wait(0.1)
        for server in servers:
            server.stop(timeout=0.1)

    def _serve(self, listener: Any) -> PyWSGIServer:
        listener.setblocking(1)
        environ = base_environ(self.cfg) | {"wsgi.multithread": True, "SERVER_SOFTWARE": VERSION}
        server = self.server_class(
            listener,
            application=self.wsgi,
            spawn=Pool(self.worker_connections),
            log=self.log,
            handler_class=self.wsgi_handler,
            environ=environ,
        )
        server.max_accept = ACCEPTED_AT_ONCE
        server.start()
        return server

    def _wait(self, seconds: float) -> None:
        self.notify()
        gevent.sleep(seconds)
