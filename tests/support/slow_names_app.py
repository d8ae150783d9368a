"""The production app where looking up the name ``database.test`` takes a second and a half."""

import _socket

from gevent import monkey

NAME, SECONDS = "database.test", 1.5

_look_up = _socket.getaddrinfo
_sleep = monkey.get_original("time", "sleep")


def _look_up_slowly(host, *rest, **named):
    # In the thread where names are looked up, which nothing patches.
    if host in (NAME, NAME.encode()):
        _sleep(SECONDS)
        host = "127.0.0.1"
    return _look_up(host, *rest, **named)


_socket.getaddrinfo = _look_up_slowly

from wsgi import app  # noqa: E402, F401  # the server's own
