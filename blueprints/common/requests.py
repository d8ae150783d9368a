"""Requests as the contract wants them read: nothing cut off, nothing papered over."""

from typing import Any
from urllib.parse import parse_qsl

from flask import Flask, Request, request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.utils import cached_property

from services.errors import UnstorableText
from services.text import is_storable

BODY_LIMIT_BYTES = 64 * 1024


class ContractRequest(Request):
    """A request whose body is bounded and whose parameters keep what is no text."""

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
        if len(data) > BODY_LIMIT_BYTES:
            raise RequestEntityTooLarge
        return data


def refuse_unstorable_paths(app: Flask) -> None:
    """Answer 400 to a path with a NUL in it, before any view looks something up by a part of it."""

    @app.before_request
    def check() -> None:
        if not is_storable(request.path):
            raise UnstorableText
