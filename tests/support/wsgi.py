"""Serves a WSGI application on a local port."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from werkzeug.serving import WSGIRequestHandler, make_server


class Quiet(WSGIRequestHandler):
    """Writes no line a request: what the log tests read is the platform's own."""

    def log(self, *args: Any) -> None:
        pass


@contextmanager
def serving(application: Any) -> Iterator[str]:
    """Serve on threads for the block; gives the address."""
    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=Quiet)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=[0.02], daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
