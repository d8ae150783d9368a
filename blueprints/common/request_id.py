"""Request ids: one for each request, in its ``X-Request-Id`` response header and in its log lines."""

import random
import re

from flask import Flask, Response, g, has_app_context, request

HEADER = "X-Request-Id"
BITS, DIGITS = 128, 32
FROM_PROXY = re.compile(rf"[0-9a-f]{{{DIGITS}}}", re.ASCII)


def number_requests(app: Flask, *, trust_proxy: bool) -> None:
    """Give each request an id of 32 hexadecimal digits.

    With ``trust_proxy`` the id is the one that the proxy sent, so that its log and ours agree.
    """

    @app.before_request
    def begin() -> None:
        sent = request.headers.get(HEADER, "") if trust_proxy else ""
        g.request_id = sent if FROM_PROXY.fullmatch(sent) else new_request_id()

    @app.after_request
    def send(response: Response) -> Response:
        response.headers.add(HEADER, g.request_id)
        return response


def new_request_id() -> str:
    return f"{random.getrandbits(BITS):0{DIGITS}x}"


def request_id() -> str | None:
    """The id of the current request; None outside of one, as in the handler of a socket's event."""
    current: str | None = g.get("request_id") if has_app_context() else None
    return current
