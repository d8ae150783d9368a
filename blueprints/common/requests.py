"""Requests as the contract wants them read: nothing cut off, nothing papered over."""

from io import BytesIO
from typing import Any
from urllib.parse import parse_qsl

from flask import Flask, Request, request
from werkzeug.datastructures import FileStorage, MultiDict
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge
from werkzeug.utils import cached_property

from blueprints.common.forms import NotAForm, check_heads
from services.errors import UnstorableText
from services.text import is_storable

BODY_LIMIT_BYTES = 64 * 1024
WITH_OWN_LIMIT = ("avatar.change_avatar",)
"""Endpoints that read their own bodies, with another limit."""


class ContractRequest(Request):
    """A request whose body is bounded and whose parameters keep what is no text."""

    body_limit_bytes = BODY_LIMIT_BYTES
    _routing_exception: HTTPException | None = None

    def __init__(self, environ: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        # It guards a change, and nothing here can be changed under one. To somebody who reads, the framework
        # would answer 412 with the whole list.
        environ.pop("HTTP_IF_MATCH", None)
        super().__init__(environ, *args, **kwargs)

    @property
    def routing_exception(self) -> HTTPException | None:
        """Why no route was found; None when one was. The framework says it, and raises it later."""
        return self._routing_exception

    @routing_exception.setter
    def routing_exception(self, found: HTTPException | None) -> None:
        # Where it was raised is nobody's question, and holds on to every frame of the connection. No event of
        # a socket has a route: each left 100 objects to the search for garbage.
        if found is not None:
            found.__traceback__ = found.__context__ = None
        self._routing_exception = found

    @cached_property
    def args(self) -> MultiDict[str, str]:
        """The query's parameters. What is no UTF-8 becomes lone surrogates, which the schemas refuse.

        The framework would leave it percent-encoded, as if the client had typed a percent sign.
        """
        query = self.query_string.decode(errors="surrogateescape")
        pairs = parse_qsl(query, keep_blank_values=True, errors="surrogateescape")
        return self.parameter_storage_class(pairs)

    def get_data(self, *args: Any, **kwargs: Any) -> Any:
        """The body. Refused over the limit, whether its length was declared or not.

        The framework cuts a chunked body silently at MAX_CONTENT_LENGTH, so that lies one byte higher.
        """
        data = super().get_data(*args, **kwargs)
        if len(data) > self.body_limit_bytes:
            raise RequestEntityTooLarge
        return data

    def small_files(self, field: str, *, limit_bytes: int) -> list[FileStorage]:
        """The files in a field of a form that may be this large in all. They stay in memory.

        Raises NotAForm.
        """
        if self.mimetype != "multipart/form-data":
            raise NotAForm
        self.body_limit_bytes = limit_bytes
        self.max_content_length = limit_bytes + 1
        self.max_form_memory_size = limit_bytes
        # Read whole before it is parsed: in the middle of a form the framework does not see a cut.
        check_heads(self.get_data(), boundary=self.mimetype_params.get("boundary", ""))
        return self.files.getlist(field)

    def _get_file_stream(self, *_args: Any, **_kwargs: Any) -> BytesIO:
        """In memory: the framework's own makes a temporary file of what is larger than 500 kB."""
        return BytesIO()


def refuse_nul_in_paths(app: Flask) -> None:
    """Answer 400 to a path with a NUL, before a view looks something up by a part of it."""

    @app.before_request
    def check() -> None:
        if not is_storable(request.path):
            raise UnstorableText


def limit_bodies(app: Flask) -> None:
    """Answer 413 to a body over the limit, also where the view reads none and where there is no view."""

    @app.before_request
    def limit() -> None:
        environ = request.environ
        has_body = environ.get("CONTENT_LENGTH") or "HTTP_TRANSFER_ENCODING" in environ
        if has_body and request.endpoint not in WITH_OWN_LIMIT:
            request.get_data()
