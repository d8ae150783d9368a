"""JSON bodies: read exactly, whatever their content type calls them, and refused in so many words."""

from typing import Any

from flask import Request

from services import exact_json
from services.errors import PlatformError, UnstorableText
from services.text import is_storable


class NotJson(PlatformError):
    """The body is a form, or of a kind that is neither JSON nor text."""

    text = "The body must be JSON"


class MalformedJson(PlatformError):
    """The body can't be parsed."""

    text = "The body is not valid JSON"


class RepeatedKey(PlatformError):
    """The body has an object with a key twice, which two readers could take for different values."""

    text = "The body has a key more than once"


class NotAnObject(PlatformError):
    """The body is a list, a text, a number or null."""

    text = "The body must be a JSON object"


def read_object(request: Request) -> dict[str, Any]:
    """The body's object; fractions are Decimals, as in services/exact_json.py. An empty body has no keys.

    Raises NotJson, MalformedJson, RepeatedKey, NotAnObject and UnstorableText.
    """
    if not _may_be_json(request.mimetype):
        raise NotJson
    data = request.get_data()
    if not data.strip():
        return {}
    try:
        body = exact_json.loads(data.decode())
    except exact_json.RepeatedKey:
        raise RepeatedKey from None
    except ValueError:
        raise MalformedJson from None
    if not isinstance(body, dict):
        raise NotAnObject
    _check_texts(body)
    return body


def _may_be_json(mimetype: str) -> bool:
    kind, _, subtype = mimetype.partition("/")
    return not mimetype or kind == "text" or subtype == "json" or subtype.endswith("+json")


def _check_texts(body: dict[str, Any]) -> None:
    # With a list of what is left to look at: a body may be nested deeper than functions may.
    left: list[Any] = [body]
    while left:
        value = left.pop()
        if isinstance(value, str) and not is_storable(value):
            raise UnstorableText
        if isinstance(value, dict):
            left += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            left += value
