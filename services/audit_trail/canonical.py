"""The one JSON text of a value: the same on both databases, in an export, and after reading it back."""

import json
from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]
"""The columns of an event or of a seal, by their names in models/audit_trail.py."""

EVENT_COLUMNS = ("id", "at_ms", "who", "what", "player", "address", "before", "after", "key_id")
SEAL_COLUMNS = ("number", "event_id", "previous_event_id", "previous_seal", "key_id")


def to_text(value: Any) -> str:
    """The JSON text with sorted keys and no blanks.

    Raises TypeError for anything but texts, integers, booleans, null, and lists and objects of them. A float
    is refused because it has several texts.
    """
    _check(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def event_text(event: Row) -> str:
    """The text that the MAC of an event covers."""
    return to_text({column: event[column] for column in EVENT_COLUMNS})


def seal_text(seal: Row, event: Row) -> str:
    """The text that a seal covers: its own row, and the event with its MAC."""
    row = {column: seal[column] for column in SEAL_COLUMNS}
    return to_text(row | {"event": event_text(event), "mac": event["mac"]})


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
