"""Addresses of pages: with another filter, order or page, and where a form leads back to."""

import re
from collections.abc import Collection, Mapping
from urllib.parse import urlencode

from flask import request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.urls import iri_to_uri

LOCAL = re.compile(r"/office/(?![/\\])[!-\[\]-~]*", re.ASCII)
"""A path of the back office, with its query. No backslash, which browsers take for a slash."""

OVERVIEW = "/office/"


def local(address: str | None) -> str:
    """The address if it is one of the back office, else that of the overview."""
    return address if address and LOCAL.fullmatch(address) else OVERVIEW


def with_query(**changes: object) -> str:
    """The address of this page with other parameters; None removes one.

    A page number is left out unless it is given: another filter or order begins at the first page.
    """
    query: MultiDict[str, str] = MultiDict(request.args)
    query.pop("page", None)
    for name, value in changes.items():
        query.pop(name, None)
        if value not in (None, ""):
            query[name] = str(value)
    return iri_to_uri(request.path) + (f"?{urlencode(list(query.items(multi=True)))}" if query else "")


def with_parameters(endpoint: str, parameters: Mapping[str, str]) -> str:
    """The address of a page with these parameters, without those that are empty."""
    given = {name: value for name, value in parameters.items() if value}
    return url_for(endpoint) + (f"?{urlencode(given)}" if given else "")


def order(allowed: Collection[str], *, default: str) -> tuple[str, bool]:
    """The column of ``?sort=``, and whether it is descending (``-`` before it).

    Both are those of ``default`` if it names no allowed column.
    """
    given = request.args.get("sort", default)
    if given.removeprefix("-") not in allowed:
        given = default
    return given.removeprefix("-"), given.startswith("-")


def page_number(most: int = 1_000_000) -> int:
    """The number of ``?page=``, from 1."""
    text = request.args.get("page", "1")
    return min(max(int(text), 1), most) if re.fullmatch(r"[0-9]{1,9}", text, re.ASCII) else 1
