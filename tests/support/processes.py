"""With ``--processes N``, N gunicorn processes on PostgreSQL and Redis serve the app of a test.

The app in the process of the test makes players and looks into the database. The test's sockets, and the
requests of its client, go to the gunicorn processes in turn.
"""

import http.client
import threading
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from flask.testing import FlaskClient
from werkzeug.datastructures import Headers
from werkzeug.wrappers import Request

from tests.harness.cluster import Cluster, cluster
from tests.support.warm_start import WarmStart

TIMEOUT_SECONDS = 30
INSIDE = {"monkeypatch", "queries"}
"""Fixtures that change or watch the process of the test."""


def skip_unless_several_can_serve(request: pytest.FixtureRequest) -> None:
    """Skip a test that changes or watches the process of its server."""
    if INSIDE & set(request.fixturenames) or request.node.get_closest_marker("one_process"):
        pytest.skip("changes or watches the process of its server")


class Processes:
    """The processes of one app. They start when the first of them is needed."""

    def __init__(self, warm: WarmStart, env: Mapping[str, str], directory: Path) -> None:
        count = int(env["PROCESSES"])
        self._cluster = cluster(env, directory, processes=count, serve=warm.server_process)
        self._stack = ExitStack()
        self._started: Cluster | None = None
        self._starting = threading.Lock()

    @property
    def running(self) -> Cluster:
        with self._starting:
            if self._started is None:
                self._started = self._stack.enter_context(self._cluster)
        return self._started

    def close(self) -> None:
        self._stack.close()


def client_of(processes: Processes) -> type[FlaskClient]:
    """A test client whose requests go to these processes in turn."""

    class Client(FlaskClient):
        def run_wsgi_app(
            self, environ: dict[str, Any], buffered: bool = False
        ) -> tuple[Iterable[bytes], str, Headers]:
            self._add_cookies_to_wsgi(environ)
            request = Request(environ)
            given = dict(request.headers)
            path = quote(request.path, safe="/:+,;=@!$&'()*~")
            if request.query_string:
                path += f"?{request.query_string.decode()}"
            address = urlsplit(processes.running.url).netloc
            with closing(http.client.HTTPConnection(address, timeout=TIMEOUT_SECONDS)) as connection:
                connection.request(request.method, path, request.get_data(), given)
                answer = connection.getresponse()
                body, headers = answer.read(), Headers(answer.getheaders())
            cookies = headers.getlist("Set-Cookie")
            self._update_cookies_from_response(request.host.partition(":")[0], request.path, cookies)
            return [body], f"{answer.status} {answer.reason}", headers

    return Client
