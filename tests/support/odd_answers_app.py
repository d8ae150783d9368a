"""The app behind programs whose answers WSGI allows and the app never gives."""

from app import create_app

# More than the system keeps for a connection whose client reads nothing.
HUGE = b"".join(b"%07d " % number for number in range(200_000)) * 10


def _in_pieces(start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    yield b"one "
    yield b""
    yield b"two"


def _with_a_line_end(start_response):
    start_response("200 OK", [("X-Told", "a\r\nSet-Cookie: smuggled=1")])
    return [b"never sent"]


def _huge(start_response):
    start_response("200 OK", [("Content-Length", str(len(HUGE)))])
    return [HUGE]


def _echo(environ, start_response):
    text = f"<{environ['wsgi.input'].read().hex()}>".encode()
    start_response("200 OK", [("Content-Length", str(len(text)))])
    return [text]


ANSWERS = {
    "/in-pieces": _in_pieces,
    "/with-a-line-end": _with_a_line_end,
    "/huge": _huge,
}

app = create_app()
_inner = app.wsgi_app


def _front(environ, start_response):
    if environ["PATH_INFO"] == "/echo":
        return _echo(environ, start_response)
    answer = ANSWERS.get(environ["PATH_INFO"])
    return answer(start_response) if answer else _inner(environ, start_response)


app.wsgi_app = _front
