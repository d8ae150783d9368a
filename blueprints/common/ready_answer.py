"""An answer of JSON that lies ready: its bytes in the codings that are served, and the headers to each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from flask import Response, request
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header, parse_etags

CODINGS_REMEMBERED = 256
"""Values of Accept-Encoding. Reading one takes 10 µs, and browsers have but a few."""


@dataclass(frozen=True, eq=False)
class Form:
    """One form of an answer."""

    status: str
    headers: Sequence[tuple[str, str]]
    body: bytes


@dataclass(frozen=True)
class ReadyAnswer:
    """The bytes, the same compressed where that is wanted, and the tag of a list that everybody shares."""

    identity: bytes
    gzipped: bytes | None = None
    tag: str | None = None

    def form_for(self, environ: Mapping[str, Any]) -> Form:
        """What answers this request: 304, compressed, or plain."""
        if (
            self.tag
            and (tags := environ.get("HTTP_IF_NONE_MATCH"))
            and parse_etags(tags).contains_weak(self.tag)
        ):
            return self._not_modified
        if self.gzipped is not None and takes_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")):
            return self._compressed
        return self._plain

    def response(self) -> Response:
        """The answer to the current request."""
        form = self.form_for(request.environ)
        return Response(form.body, status=form.status, headers=list(form.headers))

    @cached_property
    def _plain(self) -> Form:
        return self._form("200 OK", _content(self.identity), self.identity)

    @cached_property
    def _compressed(self) -> Form:
        body = self.gzipped or b""
        return self._form("200 OK", [*_content(body), ("Content-Encoding", "gzip")], body)

    @cached_property
    def _not_modified(self) -> Form:
        return self._form("304 NOT MODIFIED", [], b"")

    def _form(self, status: str, content: list[tuple[str, str]], body: bytes) -> Form:
        headers = content
        if self.gzipped is not None:
            headers.append(("Vary", "Accept-Encoding"))
        if self.tag:
            # Weak, because it stands for the same list in either coding.
            headers += [("Cache-Control", "no-cache"), ("ETag", f'W/"{self.tag}"')]
        return Form(status, headers, body)


def _content(body: bytes) -> list[tuple[str, str]]:
    return [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]


@lru_cache(maxsize=CODINGS_REMEMBERED)
def takes_gzip(accept_encoding: str) -> bool:
    """Whether a client that sends this takes gzip."""
    accepted: Accept = parse_accept_header(accept_encoding)
    return accepted["gzip"] > 0
