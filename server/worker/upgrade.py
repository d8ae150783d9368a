"""Websocket handshakes: checked completely before the server answers 101 (RFC 6455, section 4.2)."""

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

import engineio

from server.worker.headers import BAD_REQUEST

FORBIDDEN = "403 Forbidden"
UPGRADE_REQUIRED = "426 Upgrade Required"
SOCKETS_PATH = "/socket.io/"
VERSION = "13"
KEY = re.compile(r"[A-Za-z0-9+/]{22}==")
"""16 bytes in Base64."""

_KEY_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

Refusal = tuple[str, str]
"""The status and the body of the answer."""


def asks_for_websocket(environ: Mapping[str, Any]) -> bool:
    return str(environ.get("HTTP_UPGRADE", "")).lower() == "websocket"


def refusal_of(environ: Mapping[str, Any], transports: engineio.Server) -> Refusal | None:
    """The answer that refuses a request for a websocket; None when it is accepted."""
    origins = ("", *transports.cors_allowed_origins)
    connection = [token.strip() for token in environ.get("HTTP_CONNECTION", "").lower().split(",")]
    checks = (
        (environ["PATH_INFO"] == SOCKETS_PATH, BAD_REQUEST, "There are no websockets at this path"),
        (environ["REQUEST_METHOD"] == "GET", BAD_REQUEST, "A websocket begins with GET"),
        (environ["SERVER_PROTOCOL"] == "HTTP/1.1", BAD_REQUEST, "A websocket begins with HTTP/1.1"),
        ("upgrade" in connection, BAD_REQUEST, "Connection must be Upgrade"),
        (environ.get("HTTP_SEC_WEBSOCKET_VERSION") == VERSION, UPGRADE_REQUIRED, f"Use version {VERSION}"),
        (KEY.fullmatch(environ.get("HTTP_SEC_WEBSOCKET_KEY", "")), BAD_REQUEST, "The key is malformed"),
        (environ.get("HTTP_ORIGIN", "") in origins, FORBIDDEN, "This origin is not allowed"),
    )
    for passes, status, text in checks:
        if not passes:
            return status, text
    problem = _problem_of_query(parse_qs(environ["QUERY_STRING"]), transports)
    return (BAD_REQUEST, problem) if problem else None


def _problem_of_query(query: Mapping[str, list[str]], transports: engineio.Server) -> str | None:
    if query.get("transport") != ["websocket"]:
        return "The transport must be websocket"
    if "sid" not in query:
        return None if query.get("EIO") == ["4"] else "The Engine.IO version must be 4"
    transport = transports.sockets.get(query["sid"][0])
    can_upgrade = (
        transport is not None
        and transport.connected
        and not (transport.upgrading or transport.upgraded or transport.closing or transport.closed)
    )
    return None if can_upgrade else "This session can't be upgraded"


def accept_value(key: str) -> str:
    """The value of Sec-WebSocket-Accept for a client's key."""
    digest = hashlib.sha1((key + _KEY_SUFFIX).encode(), usedforsecurity=False).digest()
    return base64.b64encode(digest).decode()
