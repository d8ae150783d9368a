"""Reads requests as the contract demands: within bounds of size and time, parameters and paths exactly."""

import re
from io import BytesIO
from urllib.parse import parse_qsl

from flask import Flask, Request, request
from werkzeug.datastructures import FileStorage, MultiDict
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.routing import BaseConverter, IntegerConverter
from werkzeug.utils import cached_property

from models.db import waiting
from services.shared.errors import Refusal, UnstorableText

BODY_LIMIT_BYTES = 64 * 1024

FORM_HEAD_BYTES = 128 * 1024
"""Of a form, outside of files: two of the pieces that the framework's parser reads. It searches the head of
a part in Python; meanwhile no other request is served."""

WITH_OWN_LIMIT = ("avatar.change_avatar", "office.preview_import", "office.confirm_import")
"""Endpoints that read their own bodies, with another limit."""


class ContractRequest(Request):
    """A request whose body is bounded, and whose parameters keep what is not UTF-8."""

    body_limit_bytes = BODY_LIMIT_BYTES
    id: str
    """32 hexadecimal digits, also in its line of the log."""
    began: float
    """By ``time.perf_counter``."""

    @cached_property
    def args(self) -> MultiDict[str, str]:
        """The query's parameters. What is no UTF-8 becomes lone surrogates, which the schemas refuse.

        The framework would leave it percent-encoded, as if the client had typed a percent sign.
        """
        query = self.query_string.decode(errors="surrogateescape")
        pairs = parse_qsl(query, keep_blank_values=True, errors="surrogateescape")
        return self.parameter_storage_class(pairs)

    def get_data(self, *args: object, **kwargs: object) -> bytes:  # type: ignore[override]
        """The body. Raises RequestEntityTooLarge, whether its length was declared or not.

        The framework cuts a chunked body silently at MAX_CONTENT_LENGTH, so that is one byte higher.
        """
        data: bytes = super().get_data(*args, **kwargs)  # type: ignore[call-overload]
        if len(data) > self.body_limit_bytes:
            raise RequestEntityTooLarge
        return data

    def read_large_form(self, *, limit_bytes: int) -> None:
        """Let a form have so many bytes, also in its fields. For people who are known.

        Raises RequestEntityTooLarge.
        """
        self.body_limit_bytes = limit_bytes
        self.max_content_length = limit_bytes + 1
        self.max_form_memory_size = limit_bytes
        self.get_data()

    def small_files(self, field: str, *, limit_bytes: int) -> list[FileStorage]:
        """The files in a field of a form of at most this size. They stay in memory.

        Raises Refusal for anything else, and RequestEntityTooLarge.
        """
        if self.mimetype != "multipart/form-data":
            raise Refusal("The body must be multipart/form-data")
        self.body_limit_bytes = limit_bytes
        self.max_content_length = limit_bytes + 1
        self.max_form_memory_size = FORM_HEAD_BYTES
        # Read whole before it is parsed: the parser does not notice that a body was cut.
        self.get_data()
        return self.files.getlist(field)

    def _get_file_stream(self, *_args: object, **_kwargs: object) -> BytesIO:
        """In memory: the framework's own makes a temporary file of what is larger than 500 kB."""
        return BytesIO()


def current_request() -> ContractRequest:
    """The current request itself. With Flask's proxy a cached response takes 10% longer."""
    found: ContractRequest = request._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
    return found


LARGEST_ID = 2**63 - 1


class AsciiInteger(IntegerConverter):
    """``<int:name>`` of ASCII digits: the framework's own takes the digits of every script."""

    # Python does not convert longer texts to numbers.
    regex = "[0-9]{1,4000}"


class RowId(BaseConverter):
    """``<row_id:name>``: the id of a row. 0, which no row has, for a text that is not the id of any row."""

    def to_python(self, value: str) -> int:
        is_number = re.fullmatch(r"[1-9][0-9]{0,18}", value, re.ASCII)
        return int(value) if is_number and int(value) <= LARGEST_ID else 0


class LogName(BaseConverter):
    """``<log_name:name>``: the first segment of the paths of a successor, such as ``log-1a2b3c4d``."""

    regex = "log-[0-9a-f]+"


class Anything(BaseConverter):
    """The rest of a path, with any characters: slashes (plain or ``%2F``) and line ends too.

    ``<anything(but="create"):name>`` leaves a fixed path to the route that it belongs to, so that another
    method there is 405.
    """

    part_isolating = False

    def __init__(self, url_map: object, but: str = "") -> None:
        super().__init__(url_map)  # type: ignore[arg-type]
        # In the pattern, not in to_python: what does not match is not named in Allow either.
        self.regex = rf"(?!{but}\Z)(?s:.+)" if but else "(?s:.+)"


def read_requests_strictly(app: Flask) -> None:
    """Use the classes of this module, and check every request before its view runs.

    Each gets a wait budget (``models/db/waiting.py``). Socket events begin theirs themselves.
    """
    app.request_class = ContractRequest
    app.config["MAX_CONTENT_LENGTH"] = BODY_LIMIT_BYTES + 1
    app.url_map.converters |= {
        "anything": Anything,
        "int": AsciiInteger,
        "log_name": LogName,
        "row_id": RowId,
    }
    # No redirects: they would contain the Host header, which the client chooses.
    app.url_map.merge_slashes = False

    @app.before_request
    def check() -> None:
        waiting.begin_budget()
        request = current_request()
        environ = request.environ
        if "\x00" in environ["PATH_INFO"]:
            raise UnstorableText
        # This guards a change. To a client that reads, the framework would answer 412 with the whole list.
        environ.pop("HTTP_IF_MATCH", None)
        has_body = environ.get("CONTENT_LENGTH") or "HTTP_TRANSFER_ENCODING" in environ
        if has_body and request.endpoint not in WITH_OWN_LIMIT:
            # For its limit, also where no view reads the body.
            request.get_data()

    @app.teardown_request
    def end(_failure: BaseException | None) -> None:
        waiting.end_budget()
        # Socket events have no route. The traceback of that error refers to the request and to all frames of
        # the connection: a cycle, which would stay in memory until a garbage collection.
        current_request().routing_exception = None
