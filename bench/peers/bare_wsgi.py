"""A bare WSGI program that answers every request with the same bytes, under the platform's worker."""

from collections.abc import Callable, Iterable
from typing import Any

from bench.peers.ready_answer import NoSockets, ready_answer


class BareProgram:
    """The smallest WSGI program."""

    extensions = {"realtime": NoSockets()}

    def __init__(self) -> None:
        answer = ready_answer()
        self._headers = [*answer.headers.items(), ("Content-Length", str(len(answer.body)))]
        self._body = [answer.body]

    def __call__(self, _environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response("200 OK", self._headers)
        return self._body


app = BareProgram()
