"""The production app with unexpected failures whose messages contain parts of the request."""

from typing import Any

from flask import request

from wsgi import app

_inner = app.wsgi_app


class BeyondFlask(BaseException):
    """What no handler of a framework catches."""


@app.post("/fails")
def fails() -> None:
    try:
        int(request.get_data(as_text=True))
    except ValueError as error:
        raise RuntimeError(f"{request.full_path} {request.headers} {request.get_data()!r}") from error


def _wsgi_app(environ: dict[str, Any], start_response: Any) -> Any:
    if environ["PATH_INFO"] == "/fails-beyond-flask":
        raise BeyondFlask(repr(environ))
    return _inner(environ, start_response)


app.wsgi_app = _wsgi_app
