"""Reading a feed's document."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.items.prices import feed
from services.items.prices.sources import BadDocument

texts = st.text(st.characters(codec="utf-8"), max_size=8)
scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | texts
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=5)
metadata = st.dictionaries(texts, values).map(lambda more: more | {"currency": "USD"})


def read(document):
    return feed.read_document(document if isinstance(document, bytes) else document.encode())


@settings(max_examples=10)
@given(
    prices=st.dictionaries(texts, values),
    metadata=metadata,
    more=st.dictionaries(texts, values),
    indent=st.sampled_from([None, 0, 3]),
    ascii_only=st.booleans(),
)
def test_the_prices_are_those_that_were_written(prices, metadata, more, indent, ascii_only):
    document = more | {"metadata": metadata, "prices": prices}

    assert read(json.dumps(document, indent=indent, ensure_ascii=ascii_only)) == prices


@settings(max_examples=20)
@given(cut=st.integers(min_value=0), prices=st.dictionaries(texts, st.integers(0, 9)))
def test_a_document_that_is_cut_off_anywhere_is_refused(cut, prices):
    whole = json.dumps({"metadata": {"currency": "USD"}, "prices": prices}, ensure_ascii=False).encode()

    with pytest.raises(BadDocument, match="cut off"):
        read(whole[: cut % len(whole)])


def test_a_name_that_occurs_twice_has_no_price():
    prices = read('{"metadata": {"currency": "USD"}, "prices": {"One": 1, "Two": 5, "\\u004fne": 1}}')

    assert prices == {"One": None, "Two": 5}


def test_a_feed_of_too_many_values_is_refused(monkeypatch):
    monkeypatch.setattr(feed, "MAX_VALUES", 5)
    document = '{"metadata": {"currency": "USD"}, "prices": {"A": 1, "B": %s}}'

    assert read(document % 1) == {"A": 1, "B": 1}
    for value in ('1, "C": 1', "[1]", "{}"):
        with pytest.raises(BadDocument, match="more than 5 values"):
            read(document % value)


NOT_JSON = "not a JSON object, or was cut off"
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
        ('{"metadata": ' + "[" * 100_000, NOT_JSON),
        ('{"prices": {"One": ' + "[" * 100_000, NOT_JSON),
        ("{}", NO_OBJECTS),
        ('{"metadata": {"currency": "USD"}}', NO_OBJECTS),
        ('{"metadata": {"currency": "USD"}, "prices": [1]}', NO_OBJECTS),
        ('{"metadata": {"currency": "USD"}, "prices": null}', NO_OBJECTS),
        ('{"metadata": "USD", "prices": {}}', NO_OBJECTS),
        ('{"metadata": {}, "prices": {}}', CURRENCY),
        ('{"metadata": {"currency": "EUR"}, "prices": {}}', CURRENCY),
        ('{"metadata": {"currency": "usd"}, "prices": {}}', CURRENCY),
        ('{"metadata": {"currency": ["USD"]}, "prices": {}}', CURRENCY),
        ('{"metadata": {"currency": "USD", "currency": "USD"}, "prices": {}}', CURRENCY),
        ('{"metadata": {"currency": "USD"}, "prices": {"One": 1}, "prices": {}}', NO_OBJECTS),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_other_documents_are_refused(document, problem):
    with pytest.raises(BadDocument, match=problem):
        read(document)
