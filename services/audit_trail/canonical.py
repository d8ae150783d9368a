"""The one JSON text of a value: the same on both databases, in an export, and after reading it back."""

import json
from collections.abc import Mapping
from typing import Any

from services.log import entries

Row = Mapping[str, Any]
"""The columns of an event, by their names in models/audit_trail.py."""

SIGNED_COLUMNS = ("id", "at_ms", "who", "what", "player", "address", "before", "after", "key_id")


def to_text(value: Any) -> str:
    """The JSON text with sorted keys and no blanks.

    Raises TypeError for anything but texts, integers, booleans, null, and lists and objects of them. A float
    is refused because it has several texts.
    """
    _check(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def event_text(event: Row) -> str:
    """The text that the MAC of an event covers."""
    return to_text({column: event[column] for column in SIGNED_COLUMNS})


def event_entry(event: Row) -> bytes:
    """The entry of an event in the audit log."""
    columns = {column: event[column] for column in ("id", "who", "what", "player", "address")}
    objects = {column: _object(event[column]) for column in ("before", "after")}
    return entries.to_bytes(columns | objects | {"at": event["at_ms"]})


def _object(text: Any) -> Any:
    """The object of a JSON text. A text that was altered, and is not canonical any more, stays a text."""
    try:
        value = json.loads(text or "null")
        return value if isinstance(value, dict) and to_text(value) == text else text
    except (ValueError, TypeError, RecursionError):
        return text


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
