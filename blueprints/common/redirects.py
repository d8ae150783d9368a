"""Redirects to the address that a request meant, such as ``/docs/`` for ``/docs``."""

from urllib.parse import unquote, urlsplit, urlunsplit

from flask import Flask, Response, request
from werkzeug.exceptions import MethodNotAllowed, NotFound
from werkzeug.routing import MapAdapter, RequestRedirect


def redirect_within_the_service(app: Flask) -> None:
    """Answer the router's redirects with a relative Location and no body.

    The router's own contain the request's Host, which the client chooses, and repeat it in a page. A method
    that is not allowed at the other address is 405, which the router answers with a redirect or 404.
    """

    @app.before_request
    def redirect() -> Response | None:
        problem = request.routing_exception
        adapter = app.create_url_adapter(request) if problem else None
        if adapter is None:
            return None
        if isinstance(problem, NotFound):
            _check_method(adapter, f"{request.path}/")
        if not isinstance(problem, RequestRedirect):
            return None
        target = urlsplit(problem.new_url)
        # Two slashes would begin another host.
        path = "/" + target.path.lstrip("/")
        _check_method(adapter, unquote(path))
        location = urlunsplit(("", "", path, target.query, ""))
        return Response(status=problem.code, headers={"Location": location})


def _check_method(adapter: MapAdapter, path: str) -> None:
    methods = list(adapter.allowed_methods(path))
    if methods and request.method not in methods:
        raise MethodNotAllowed(methods)
