"""Hostile parameters and paths at every endpoint.

The addresses are those of the running app, the parameters those of its document, so that a new one is
held to this without being named here.
"""

import re
from urllib.parse import unquote

import pytest

from tests.support.hostile import is_error_of

VALUES = [
    # No text
    *("%00", "a%00b", "%ED%A0%80", "%ED%B0%80", "%C0%AF", "%FF", "%E2%82", "%", "%zz", "%u0041"),
    # No numbers, or not these
    *("0", "-1", "-0", "1.5", "1e3", "1e400", "+1", "%2B1", "NaN", "Infinity", "0x10", "1_000", "%EF%BC%91"),
    *("9" * 25, "9" * 5_000, "-" + "9" * 5_000, "0." + "9" * 5_000, "1" + "0" * 308),
    # Others
    *("", "%20", "true", "null", "undefined", "[]", "{}", "%22", "'--", "%25", "_", "*", "%5C", "%0D%0AA:b"),
    *("%E2%80%AE", "%F0%9F%98%80", "%C4%B0", "%C3%9F", "%EF%BF%BF", "a" * 20_000),
]
"""Values of a parameter, as they go over the wire."""

SHAPES = [
    "{0}=1&{0}=2",
    "{0}=x&{0}=1",
    "{0}[]=1",
    "{0}[a]=1",
    "{0}.a=1",
    "{0}",
    "{0}==1",
    "&&{0}=1&&",
    "{0};a=1",
]
"""Queries that are no list of names with a value each."""

UNKNOWN = "?a=%00&%ED%A0%80=1&=&%00&page[]=1&__proto__=1&" + "&".join(
    f"p{number}={number}" for number in range(500)
)

PATHS = [
    *("%00", "a%00", "%ED%A0%80", "%C0%AF", "%FF", "%E2%82", "%", "%zz", "..", "..%2F..%2Fetc%2Fpasswd"),
    *("%2F", "%5C", "%0A", "%0D%0AA:b", "%E2%80%AE", "%F0%9F%98%80", "%20", ".", "*", "'--", "%25", "-1"),
    *("9" * 25, "9" * 5_000, "1.5", "%EF%BC%91", "a" * 5_000, "a%3Fb", "a%23b", "create/", "%63reate"),
]
"""Values of the variable part of a path."""


def addresses(client):
    """Hostile addresses of every documented parameter and of every path with a part to choose."""
    document = client.get("/openapi.json").json
    number = 0
    for path, operations in document["paths"].items():
        for parameter in operations.get("get", {}).get("parameters", []):
            name = parameter["name"]
            number += 1
            # Every parameter gets every 21st value, and every value reaches several parameters.
            yield from (f"{path}?{name}={value}" for value in VALUES[number % 21 :: 21])
            yield from (f"{path}?{shape.format(name)}" for shape in SHAPES[number % 9 :: 9])
    rules = sorted(rule.rule for rule in client.application.url_map.iter_rules() if "GET" in rule.methods)
    for number, rule in enumerate(rules):
        parts = re.split(r"<[^>]+>", rule)
        # Every path gets every fifth value.
        values = PATHS[number % 5 :: 5]
        yield from (part.join(parts) for part in values) if len(parts) > 1 else [rule + UNKNOWN]


@pytest.mark.guarantee("Any request")
@pytest.mark.security("Input")
@pytest.mark.both_databases("texts that only one of them can store or compare")
def test_no_query_or_path_makes_an_endpoint_fail(client, sample_player):
    asked, wrong = 0, []
    for address in addresses(client):
        answer = client.get(address, headers=sample_player.headers, buffered=True)
        asked += 1
        failed = answer.status_code >= 500 and answer.status_code != 501
        if failed or (answer.status_code >= 400 and not is_error_of(unquote(address.split("?")[0]), answer)):
            wrong.append((address[:200], answer.status_code, answer.text))

    assert wrong == []
    assert asked > 300


def test_the_first_value_of_a_repeated_parameter_is_used(client):
    answer = client.get("/upgrader/items/pagination?limit=3&limit=5")

    assert answer.json["pagination"]["limit"] == 3
