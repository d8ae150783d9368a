"""The gunicorn worker: websockets and HTTP on greenlets, its log, and an orderly shutdown."""

import gc
import logging
import sys
import time
from typing import Any

import gevent
from gevent.pool import Pool
from geventwebsocket.gunicorn.workers import GeventWebSocketWorker
from gunicorn.arbiter import Arbiter
from gunicorn.config import Config
from gunicorn.glogging import Logger
from gunicorn.http.wsgi import base_environ
from gunicorn.workers.ggevent import VERSION, PyWSGIServer

from server.logs import JsonLines
from server.worker.connection import Handler
from services.shared.errors import Refusal

log = logging.getLogger("platform.worker")

NOTICE_SECONDS = 0.5
ACCEPTED_AT_ONCE = 10
"""New connections in one pass of the event loop. With the library's 100, a burst of 5,000 delayed all
others by half a second."""

YOUNG_COLLECTIONS = 1_000
"""Collections of the middle generation before a full one. Python's default is 10."""

REJOIN_SECONDS = 1.3
"""Time between closing the listener and closing the sockets. Clients that lose their socket at once would
reconnect to this process. Without sockets there is no wait."""

FINISH_SECONDS = 20.0
"""For running requests and bets to end. The whole stop must take less than 30 seconds."""


def _log_failure(_context: Any, _kind: Any, error: BaseException | None, _traceback: Any) -> None:
    if error is not None:
        log.error("task failed", exc_info=error)


def _collect_garbage_less() -> None:
    """Make full garbage collections rare: with 5,000 sockets, one takes a quarter of a second.

    The objects of the program itself live as long as the process, and are excluded. Those of sockets and
    requests are freed by reference counts, or by a collection of the young generations.
    """
    gc.collect()
    gc.freeze()
    often, seldom, _ = gc.get_threshold()
    gc.set_threshold(often, seldom, YOUNG_COLLECTIONS)


class JsonLogger(Logger):  # type: ignore[misc]
    """Writes each of gunicorn's lines as JSON. Of an exception it writes types and places, no message."""

    def setup(self, cfg: Config) -> None:
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(JsonLines())


class Worker(GeventWebSocketWorker):  # type: ignore[misc]
    """Stops in order: close the listener, close the sockets, wait for running requests, exit with 0.

    The stock worker waits for open sockets until it is killed.
    """

    wsgi_handler = Handler

    def handle_quit(self, _signal: int, _frame: Any) -> None:
        """Ctrl-C stops it as SIGTERM does."""
        self.alive = False

    def run(self) -> None:
        # gevent prints the arguments of a failed greenlet, which may be a seed or a token.
        gevent.get_hub().print_exception = _log_failure
        realtime = self.wsgi.extensions["realtime"]
        try:
            realtime.start()
        except Refusal as problem:
            log.critical(str(problem))
            # With another code, gunicorn would start the worker again.
            sys.exit(Arbiter.WORKER_BOOT_ERROR)
        servers = [self._serve(listener) for listener in self.sockets]
        _collect_garbage_less()
        while self.alive:
            self._wait(NOTICE_SECONDS)
        for server in servers:
            server.close()
        if realtime.server.eio.sockets:
            self._wait(REJOIN_SECONDS)
        realtime.close()
        deadline = time.monotonic() + FINISH_SECONDS
        while (Handler.busy or realtime.in_flight) and time.monotonic() < deadline:
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
