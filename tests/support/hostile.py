"""Hostile input: bad JSON of every kind, and values of wrong types."""

import json
from collections.abc import Iterator
from typing import Any

from werkzeug.test import TestResponse

from blueprints.api.errors import envelope

MALFORMED = {
    "cut off": b'{"a": 1',
    "no value": b'{"a": }',
    "no colon": b'{"a" 1}',
    "a comma too many": b'{"a": 1,}',
    "a comma too few": b'{"a": 1 "b": 2}',
    "single quotes": b"{'a': 1}",
    "a bare key": b"{a: 1}",
    "a comment": b'{"a": 1 /* one */}',
    "a line comment": b'// one\n{"a": 1}',
    "two documents": b'{"a": 1}{"a": 1}',
    "two documents in lines": b'{"a": 1}\n{"a": 1}',
    "words after it": b'{"a": 1} x',
    "XML": b"<a>1</a>",
    "a form": b"a=1&b=2",
    "a byte order mark": b'\xef\xbb\xbf{"a": 1}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "UTF-16 without a mark": '{"a": 1}'.encode("utf-16-le"),
    "UTF-32": '{"a": 1}'.encode("utf-32"),
    "Latin-1": '{"a": "\u00e9"}'.encode("latin-1"),
    "an overlong slash": b'{"a": "\xc0\xaf"}',
    "a raw surrogate": b'{"a": "\xed\xa0\x80"}',
    "a cut character": b'{"a": "\xe2\x82"}',
    "a raw NUL": b'{"a": "\x00"}',
    "a NUL in front": b'\x00{"a": 1}',
    "a raw line end": b'{"a": "\n"}',
    "a bad escape": b'{"a": "\\x41"}',
    "a short escape": b'{"a": "\\u12"}',
    "a leading zero": b'{"a": 01}',
    "a bare point": b'{"a": .5}',
    "a plus sign": b'{"a": +1}',
    "hexadecimal": b'{"a": 0x10}',
    "5,000 digits": b'{"a": %s}' % (b"9" * 5_000),
    "an exponent beyond all bounds": b'{"a": 1e99999999999999999999}',
    "lists without end": b"[" * 60_000,
    "objects without end": b'{"a":' * 12_000,
}
"""Bodies that are refused as malformed JSON."""

DEEP = [
    b'{"a":' + b"[" * 32_000 + b"]" * 32_000 + b"}",
    b'{"a":' * 9_000 + b"1" + b"}" * 9_000,
]
"""Objects as deep as a body is long. Whether they are malformed depends on the version of Python."""

REPEATED = {
    "a key twice": b'{"a": 1, "a": 2}',
    "a key twice, alike": b'{"a": 1, "a": 1}',
    "a key twice, once escaped": b'{"code": 1, "c\\u006fde": 2}',
    "a key twice, further in": b'{"a": [{"b": {"c": 1, "d": 2, "c": 3}}]}',
    "an empty key twice": b'{"": 1, "": 2}',
}

NO_OBJECTS = [
    *(b"[]", b"[{}]", b'"a"', b'""', b"1", b"-0", b"1.5", b"1e400", b"true", b"null"),
    *(b"NaN", b"Infinity", b"-Infinity"),
]

UNSTORABLE = [
    rb'{"a": "\u0000"}',
    rb'{"a": "\ud800"}',
    rb'{"a": "\ude00\ud83d"}',
    rb'{"\udfff": 1}',
    rb'{"a": [{"b": ["c\u0000"]}]}',
]

VALUES = [
    # Numbers
    *("NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e-400", "1E+308", "1e999999", "-0", "-0.0", "0"),
    *("-1", "1.005", "0.1", f"0.{'0' * 60}1", "1e2", "9007199254740993", str(2**63 - 1), str(2**63)),
    *(str(-(2**63) - 1), str(2**64), "9" * 4_000, f"-{'9' * 4_000}"),
    # Other values that some programs read as numbers
    *("true", "false", "null", '""', '"1"', '"NaN"', '"1e2"', '"\uff11\uff12\uff13\uff14\uff15\uff16"'),
    # Texts
    *('" "', '"\\t"', '"\\r\\nSet-Cookie: a=b"', f'"{"a" * 30_000}"', '"\\u202e"', '"\\uffff"'),
    '"\\ud83d\\ude00"',
    *('"\\u0000"', '"\\ud800"', '"\'; DROP TABLE users; --"', '"%00"', '"../../etc/passwd"', '"<script>"'),
    *('"{{7*7}}"', '"%s%n"', '"__proto__"', '"\u0130"', '"\u00df"'),
    # Shapes
    *("[]", "{}", "[[]]", '{"$gt": 0}', '[1, "a", null]', "[" + "null, " * 5_000 + "null]"),
    *(f"{'[' * depth}{']' * depth}" for depth in (100, 400, 900)),
    '{"a":' * 400 + "1" + "}" * 400,
]
"""JSON texts of single values, to send in the place of the documented ones."""

_PLACE = "@the hostile value@"


def spoiled(schema: dict[str, Any], document: dict[str, Any], filling: dict[str, Any]) -> Iterator[str]:
    """JSON texts of a documented schema, each with a mark in the place of one value, for ``put``.

    ``filling`` are the other values, by JSON type.
    """
    yield from map(json.dumps, _spoiled(schema, document, filling))


def put(value: str, template: str) -> bytes:
    """The template with a hostile value in the place of the mark."""
    return template.replace(f'"{_PLACE}"', value).encode()


def _spoiled(schema: dict[str, Any], document: dict[str, Any], filling: dict[str, Any]) -> Iterator[Any]:
    schema = _resolved(schema, document)
    yield _PLACE
    if schema["type"] == "object":
        whole = _filled(schema, document, filling)
        for name, part in schema.get("properties", {}).items():
            yield from (whole | {name: value} for value in _spoiled(part, document, filling))
    elif schema["type"] == "array":
        other = _filled(schema["items"], document, filling)
        yield from ([value, other] for value in _spoiled(schema["items"], document, filling))


def _filled(schema: dict[str, Any], document: dict[str, Any], filling: dict[str, Any]) -> Any:
    schema = _resolved(schema, document)
    if schema["type"] == "object":
        return {name: _filled(part, document, filling) for name, part in schema.get("properties", {}).items()}
    if schema["type"] == "array":
        return [_filled(schema["items"], document, filling)] * 2
    return filling[schema["type"]]


def _resolved(schema: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        node = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            node = node[part]
        schema = node
    # A value that may be null: the other type.
    return schema["anyOf"][0] if "anyOf" in schema else schema


def is_error_of(path: str, answer: TestResponse) -> bool:
    """Whether an error has the envelope of its area, or is a page of the back office or of a shared bet."""
    if path.startswith(("/office", "/b/")) and answer.mimetype == "text/html":
        return "<h1>" in answer.text
    return answer.is_json and set(answer.json) == set(envelope(path, ""))
