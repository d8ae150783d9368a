"""The one JSON text of a value: the same on both databases, in an export, and after reading it back."""

import json
from typing import Any


def to_text(value: Any) -> str:
    """The JSON text with sorted keys and no blanks.

    Raises TypeError for anything but texts, integers, booleans, null, and lists and objects of them. A float
    is refused because it has several texts.
    """
    _check(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _check(value: Any) -> None:
    if isinstance(value, dict):
        for key, content in value.items():
            if not isinstance(key, str):
                raise TypeError(f"a key must be a text, not {type(key).__name__}")
            _check(content)
    elif isinstance(value, list | tuple):
        for content in value:
            _check(content)
    elif value is not None and not isinstance(value, str | int):
        raise TypeError(f"an audit event cannot hold a {type(value).__name__}")
