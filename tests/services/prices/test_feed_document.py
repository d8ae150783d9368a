"""Parsing a feed's document in chunks."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.prices import feed_document
from services.prices.sources import BadDocument

texts = st.text(st.characters(codec="utf-8"), max_size=8)
scalars = st.none() | st.booleans() | st.integers(-(10**13), 10**13) | texts
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=5)
metadata = st.dictionaries(texts, values).map(lambda more: more | {"currency": "USD"})


def read(document, pause=lambda: None):
    return feed_document.read(document if isinstance(document, bytes) else document.encode(), pause=pause)


@pytest.mark.slow
@settings(max_examples=30)
@given(
    prices=st.dictionaries(texts, values),
    metadata=metadata,
    more=st.dictionaries(texts, values),
    indent=st.sampled_from([None, 0, 3]),
    ascii_only=st.booleans(),
)
def test_the_prices_are_those_that_were_written(prices, metadata, more, indent, ascii_only):
    document = more | {"metadata": metadata, "prices": prices}

    found = read(json.dumps(document, indent=indent, ensure_ascii=ascii_only))

    scalars_only = {name: None if isinstance(value, list | dict) else value for name, value in prices.items()}
    assert found == scalars_only


@given(cut=st.integers(min_value=0), prices=st.dictionaries(texts, st.integers(0, 9)))
def test_a_document_that_is_cut_off_anywhere_is_refused(cut, prices):
    whole = json.dumps({"metadata": {"currency": "USD"}, "prices": prices}, ensure_ascii=False).encode()

    with pytest.raises(BadDocument, match="cut off"):
        read(whole[: cut % len(whole)])


def test_the_last_of_two_prices_of_one_name_counts():
    assert read('{"metadata": {"currency": "USD"}, "prices": {"One": 1, "One": 2}}') == {"One": 2}


def test_the_last_of_two_objects_of_prices_counts():
    document = '{"prices": {"One": 1}, "metadata": {"currency": "USD"}, "prices": {"Two": 2}}'

    assert read(document) == {"Two": 2}


def test_numbers_with_a_point_or_an_exponent_are_not_read_as_int():
    numbers = ["1.5", "100.0", "1e2", "1E40"]
    entries = ",".join(f'"{number}": {number}' for number in numbers)

    found = read('{"metadata": {"currency": "USD"}, "prices": {' + entries + "}}")

    assert [value for value in found.values() if isinstance(value, int)] == []


def test_a_number_of_any_length_is_exact():
    assert read('{"metadata": {"currency": "USD"}, "prices": {"A": 9007199254740993}}') == {"A": 2**53 + 1}
    assert read('{"metadata": {"currency": "USD"}, "prices": {"A": ' + "9" * 40 + "}}") == {"A": 10**40 - 1}


def test_names_may_contain_dots_and_the_names_of_other_keys():
    prices = {"prices": 1, "metadata.currency": 2, "": 3, "prices.item": 4}

    assert read(json.dumps({"metadata": {"currency": "USD"}, "prices": prices})) == prices


def test_long_documents_are_parsed_with_a_pause_after_each_chunk():
    pauses = []
    prices = {f"Item {number}": number for number in range(3_500)}
    document = json.dumps({"metadata": {"currency": "USD"}, "prices": prices})

    assert read(document, pause=lambda: pauses.append(1)) == prices

    assert len(pauses) == -(-len(document) // feed_document.CHUNK_BYTES)


@pytest.mark.parametrize("start", ['"', '{"', '{"x": "', '{"prices": {"One": 9', '{"prices": {"One": ', "["])
@pytest.mark.parametrize("filling", ["x", "9", " ", "[", "\\u0041"])
def test_a_hostile_document_is_given_up_early(start, filling):
    pauses = []
    document = start + filling * 5_000_000

    with pytest.raises(BadDocument):
        read(document, pause=lambda: pauses.append(1))

    assert len(pauses) < 50


def test_a_feed_of_too_many_prices_is_refused(monkeypatch):
    monkeypatch.setattr(feed_document, "MAX_PRICES", 3)

    with pytest.raises(BadDocument, match="more than 3 prices"):
        read('{"metadata": {"currency": "USD"}, "prices": {"A": 1, "B": 1, "C": 1, "D": 1}}')


NOT_JSON = "not a JSON object, or was cut off"
TOO_LONG = "a value of more than"
TOO_DEEP = "nested more than 20 deep"
NO_OBJECTS = "lacks the objects metadata and prices"
CURRENCY = "the currency of the price feed is not USD"


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ("", NOT_JSON),
        ("<html></html>", NOT_JSON),
        ("[]", NOT_JSON),
        ("null", NOT_JSON),
        (b"\xff\xfe{}", NOT_JSON),
        ('{"metadata": {"currency": "USD"}, "prices": {}} {}', NOT_JSON),
        ('{"metadata": {"currency": "USD"}, "prices": {"One": }}', NOT_JSON),
        ('{"metadata": {"currency": "USD"}, "prices": {"One": 1,}}', NOT_JSON),
        ('{"metadata": {"currency": "USD"}, "prices": {1: 1}}', NOT_JSON),
        ('{"metadata": {"currency": "USD"}, "prices": {"One": NaN}}', NOT_JSON),
        ('{"metadata": {"currency": "USD"}, "prices": {"One": 1e999999999999999999999}}', NOT_JSON),
        (b'{"metadata": {"currency": "USD"}, "prices": {"\xff": 1}}', NOT_JSON),
        ('{"metadata": ' + "[" * 100_000, TOO_DEEP),
        ('{"prices": {"One": ' + "[" * 100_000, TOO_DEEP),
        (" " * 1_000_000 + "{}", TOO_LONG),
        ('{"metadata": "' + "x" * 1_000_000 + '"}', TOO_LONG),
        ('{"prices": {"One": ' + "9" * 1_000_000 + "}}", TOO_LONG),
        ("{}", NO_OBJECTS),
        ('{"metadata": {"currency": "USD"}}', NO_OBJECTS),
        ('{"metadata": {"currency": "USD"}, "prices": [1]}', NO_OBJECTS),
        ('{"metadata": {"currency": "USD"}, "prices": null}', NO_OBJECTS),
        ('{"metadata": "USD", "prices": {}}', NO_OBJECTS),
        ('{"metadata": {}, "prices": {}}', CURRENCY),
        ('{"metadata": {"currency": "EUR"}, "prices": {}}', CURRENCY),
        ('{"metadata": {"currency": "usd"}, "prices": {}}', CURRENCY),
        ('{"metadata": {"currency": ["USD"]}, "prices": {}}', CURRENCY),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_other_documents_are_refused(document, problem):
    with pytest.raises(BadDocument, match=problem):
        read(document)
