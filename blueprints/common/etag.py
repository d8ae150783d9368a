"""Lists that are the same for everyone: tagged, so that a client that has one is told so in 304."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from flask import Response, make_response, request


def tagged(view: Callable[..., Any]) -> Callable[..., Response]:
    """Add an ETag of the answer's bytes if it has none, and answer a matching If-None-Match with 304."""

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Response:
        response = make_response(view(*args, **kwargs))
        if response.status_code == HTTPStatus.OK:
            response.add_etag(weak=True)
            response.headers["Cache-Control"] = "no-cache"
            response.make_conditional(request)
        return response

    return wrapper
