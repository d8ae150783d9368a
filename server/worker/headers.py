"""The head of an HTTP request, parsed strictly and within bounds (RFC 9112, sections 2.2, 3, 5 and 6).

A head that two programs could read differently is refused, because a proxy in front could see another request
than the one that is served.
"""

import re
from io import BufferedReader

MAX_LINE_BYTES = 8_190
MAX_HEAD_BYTES = 16 * 1024
MAX_FIELDS = 100

NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
REQUEST_LINE = re.compile(rf"{NAME} [^\x00-\x20\x7f]+ HTTP/1\.[01]\r\n")
FIELD = re.compile(rf"({NAME}):([\t\x20-\x7e\x80-\xff]*)\r\n".encode())
LENGTH = re.compile(rb"[0-9]{1,15}")
AUTHORITY = r"(?:[A-Za-z0-9._~!$&'()*+,;=%-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{0,5})?"
HOST = re.compile(AUTHORITY.encode())
ABSOLUTE_TARGET = re.compile(rf"(?i:https?)://({AUTHORITY})(?![^/?])(.*)")
ONCE = (b"content-length", b"transfer-encoding", b"host")
TRAILERS_REFUSED = (*ONCE, b"trailer")


class RequestRefused(ValueError):
    """A request that is answered by the server itself; ``status`` such as ``400 Bad Request``."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


BAD_REQUEST = "400 Bad Request"
LINE_TOO_LONG = "414 URI Too Long"
HEAD_TOO_LARGE = "431 Request Header Fields Too Large"


OTHER_PROTOCOLS = {
    b"PROXY ": "a proxy sends the PROXY protocol; turn it off there, and set TRUSTED_PROXIES",
    b"\r\n\r\n\x00\r\nQUIT\n": "a proxy sends the PROXY protocol; turn it off there, and set TRUSTED_PROXIES",
    b"\x16\x03": "a client speaks TLS to the plain port; let the proxy in front speak http",
    b"PRI * HTTP/2": "a client speaks HTTP/2; let the proxy in front speak HTTP/1.1",
}
"""What to do about a connection that begins with these bytes."""


def other_protocol(beginning: bytes) -> str | None:
    """What to do about a connection of another protocol; None for what may be HTTP/1."""
    return next((advice for start, advice in OTHER_PROTOCOLS.items() if beginning.startswith(start)), None)


def check_request_line(line: str) -> None:
    """Raises Refused unless this is a method, a target and HTTP/1.0 or 1.1, with single blanks between."""
    if not REQUEST_LINE.fullmatch(line):
        raise RequestRefused(BAD_REQUEST)


def split_target(method: str, target: str) -> tuple[str | None, str]:
    """The authority and the path with its query, of a request's target.

    The authority of the absolute form replaces the Host field (RFC 9112, section 3.2.2); it is None for the
    other forms. Raises RequestRefused for another scheme, for the authority form, and for a fragment.
    """
    if "#" in target:
        raise RequestRefused(BAD_REQUEST)
    if target.startswith("/") or (target == "*" and method == "OPTIONS"):
        return None, target
    absolute = ABSOLUTE_TARGET.fullmatch(target)
    if absolute is None:
        raise RequestRefused(BAD_REQUEST)
    authority, path = absolute.groups()
    return authority, path if path.startswith("/") else f"/{path}"


def read_head(stream: BufferedReader, *, version: str) -> bytes:
    """The header fields and the empty line after them, unchanged.

    ``version`` is the request line's, such as HTTP/1.1. Raises RequestRefused for a head that is too large,
    malformed, without a valid Host, or ambiguous about where its body ends.
    """
    head = bytearray()
    fields: list[tuple[bytes, bytes]] = []
    while (line := stream.readline(MAX_LINE_BYTES + 1)) != b"\r\n":
        head += line
        if len(line) > MAX_LINE_BYTES or len(head) > MAX_HEAD_BYTES or len(fields) >= MAX_FIELDS:
            raise RequestRefused(HEAD_TOO_LARGE)
        field = FIELD.fullmatch(line)
        if field is None:
            raise RequestRefused(BAD_REQUEST)
        fields.append((field[1].lower(), field[2].strip()))
    _check_framing(fields, version)
    return bytes(head) + b"\r\n"


def _check_framing(fields: list[tuple[bytes, bytes]], version: str) -> None:
    names = [name for name, _ in fields]
    values = dict(fields)
    length, coding = values.get(b"content-length"), values.get(b"transfer-encoding")
    host = values.get(b"host")
    upgrading = values.get(b"upgrade", b"").lower() == b"websocket"
    unclear = (
        any(names.count(name) > 1 for name in ONCE)
        or (host is None and version == "HTTP/1.1")
        or (host is not None and not HOST.fullmatch(host))
        or (length is not None and not LENGTH.fullmatch(length))
        or (coding is not None and (coding.lower() != b"chunked" or version != "HTTP/1.1"))
        or (length is not None and coding is not None)
        # The bytes after an upgrade belong to the new protocol.
        or (upgrading and (coding is not None or length not in (None, b"0")))
    )
    if unclear:
        raise RequestRefused(BAD_REQUEST)
