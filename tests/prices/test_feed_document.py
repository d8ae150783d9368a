"""Reading a feed's document in slices: the same as in one go, whatever it holds."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.prices import feed_document
from services.prices.errors import BadDocument

# Short ones: a price of more than 1,024 characters is none.
texts = st.text(st.characters(codec="utf-8"), max_size=8)
scalars = st.none() | st.booleans() | st.integers(-(10**13), 10**13) | texts
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=5)
metadata = st.dictionaries(texts, values).map(lambda more: more | {"currency": "USD"})


def read(document, pause=lambda: None):
    return feed_document.read(document if isinstance(document, bytes) else document.encode(), pause=pause)


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

    assert found == prices


@given(cut=st.integers(min_value=0), prices=st.dictionaries(texts, st.integers(0, 9)))
def test_a_document_that_was_cut_off_anywhere_is_none(cut, prices):
    whole = json.dumps({"metadata": {"currency": "USD"}, "prices": prices}, ensure_ascii=False).encode()

    with pytest.raises(BadDocument, match="cut off"):
        read(whole[: cut % len(whole)])


def test_the_last_of_two_prices_of_one_name_counts():
    assert read('{"metadata": {"currency": "USD"}, "prices": {"One": 1, "One": 2}}') == {"One": 2}


def test_what_is_not_written_as_a_whole_number_is_not_read_as_one():
    numbers = ["1.5", "100.0", "1e2", "1E400", "NaN", "Infinity", "-Infinity", "1e999999999999999999999"]
    numbers += ["9" * 1_000]
    entries = ",".join(f'"{number[:30]}": {number}' for number in numbers)

    found = read('{"metadata": {"currency": "USD"}, "prices": {' + entries + "}}")

    assert [value for value in found.values() if not isinstance(value, str)] == []


def test_long_documents_are_read_with_pauses():
    pauses = []
    prices = {f"Item {number}": number for number in range(3_500)}
    document = json.dumps({"metadata": {"currency": "USD"}, "prices": prices})

    assert read(document, pause=lambda: pauses.append(1)) == prices

    assert len(pauses) == 3


def test_a_slice_is_short_whatever_it_is_made_of():
    blanks, long_price = " " * 50_000, "[" + "0," * 500 + "0]"
    entries = ",".join(f'"Item {number}":{blanks}{long_price}' for number in range(100))
    document = '{"metadata": {"currency": "USD"}, "prices": {' + entries + "}}"
    pauses = []

    assert len(read(document, pause=lambda: pauses.append(1))) == 100

    # 5 MB, a pause for each 256 KiB or little more.
    assert len(pauses) >= 15


def test_no_call_is_given_more_text_than_a_price_may_have(monkeypatch):
    given = []
    library = feed_document._decoder

    class Decoder:
        def scan_once(self, text, at):
            given.append(text)
            return library.scan_once(text, at)

    monkeypatch.setattr(feed_document, "_decoder", Decoder())
    document = json.dumps({"prices": {"One": "1", "Two": 2, "Rest": "x" * 3_000_000}})

    with pytest.raises(BadDocument, match=TOO_LONG):
        read(document)

    assert [len(text) for text in given] == [1_025, 1_025]


def test_a_feed_of_more_prices_than_any_game_has_is_refused(monkeypatch):
    monkeypatch.setattr(feed_document, "MOST_PRICES", 3)

    with pytest.raises(BadDocument, match="more than 3 prices"):
        read('{"metadata": {"currency": "USD"}, "prices": {"A": 1, "B": 1, "C": 1, "D": 1}}')


NOT_JSON = "not a JSON object, or was cut off"
TOO_LONG = "a value of more than"
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
        ('{"metadata": ' + "[" * 100_000, NOT_JSON),
        (" " * 100_000 + "{}", NOT_JSON),
        ('{"metadata": {"currency": "USD"}, "prices": {"' + "k" * 5_000 + '": 1}}', NOT_JSON),
        ('{"prices": {"One": ' + "[" * 100_000, NOT_JSON),
        ('{"prices": {"One": ' + "9" * 1_025 + "}}", TOO_LONG),
        ('{"prices": {"One": "' + "x" * 1_023 + '"}}', TOO_LONG),
        ('{"metadata": "' + "x" * 1_048_575 + '"}', TOO_LONG),
        ("{" + ",".join(f'"{number}": 0' for number in range(101)) + "}", "more than 100 keys"),
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
def test_what_is_no_price_feed_is_refused(document, problem):
    with pytest.raises(BadDocument, match=problem):
        read(document)
