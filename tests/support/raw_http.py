"""Raw HTTP: sends bytes to a server and reads its answers."""

import re
import socket
from urllib.parse import urlsplit

ANSWER_SECONDS = 20


def open_connection(url: str, *, timeout: float = ANSWER_SECONDS, source: str | None = None) -> socket.socket:
    """``source`` is the client's address, such as another one of the loopback network."""
    address = urlsplit(url)
    return socket.create_connection(
        (address.hostname, address.port), timeout=timeout, source_address=(source, 0) if source else None
    )


def statuses(url: str, request: bytes) -> list[int]:
    """Send these bytes. Returns the status of each answer until the server closes the connection."""
    with open_connection(url) as connection:
        connection.sendall(request)
        received = read_until_closed(connection)
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", received)]


def read_until_closed(connection: socket.socket) -> bytes:
    """Read until the other side closes. Raises TimeoutError when it does not."""
    parts = []
    while part := connection.recv(65_536):
        parts.append(part)
    return b"".join(parts)


def read_until(connection: socket.socket, text: bytes) -> bytes:
    """Read until this text has come. Raises ConnectionError when the other side closes before."""
    received = b""
    while text not in received:
        part = connection.recv(65_536)
        if not part:
            raise ConnectionError(f"closed before {text!r}: {received!r}")
        received += part
    return received
