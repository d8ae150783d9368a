"""Widths, paths and bytes of tiles and entry bundles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.log.tiles import (
    TilePosition,
    entry_bundle,
    parse_bundle_path,
    parse_tile_path,
    tile_path,
)


def test_the_example_of_the_specification_has_its_path():
    assert tile_path(TilePosition(0, 1234067)) == "0/x001/x234/067"


@given(st.integers(0, 63), st.integers(0, 2**63), st.integers(1, 256))
def test_each_tile_has_one_path(level, number, width):
    path = tile_path(TilePosition(level, number), width)

    assert parse_tile_path(path) == (TilePosition(level, number), width)
    assert parse_bundle_path("entries/" + path.partition("/")[2]) == (number, width)


MALFORMED = {
    "no number": "",
    "two digits": "67",
    "four digits": "1067",
    "a superfluous element": "x000/067",
    "x on the last element": "x001/x067",
    "no x on another element": "001/067",
    "an upper-case X": "X001/067",
    "an empty element": "x001//067",
    "width 0": "067.p/0",
    "width 256": "067.p/256",
    "a width with a leading zero": "067.p/07",
    "no width": "067.p/",
    "a sign": "-67",
    "digits of another script": "\u0660\u0661\u0662",
    "a width of another script": "067.p/\u0667",
    "a newline at the end": "067\n",
    "a slash at the end": "067/",
}


@pytest.mark.parametrize("number", MALFORMED.values(), ids=MALFORMED)
def test_malformed_numbers_are_refused(number):
    for parse, path in (parse_tile_path, f"0/{number}"), (parse_bundle_path, f"entries/{number}"):
        with pytest.raises(ValueError, match="not the path"):
            parse(path)


def test_a_bundle_has_the_length_before_each_entry():
    assert entry_bundle([b"ab", b"", b"c" * 0x0102]) == b"\x00\x02ab\x00\x00\x01\x02" + b"c" * 0x0102


def test_an_entry_that_is_too_long_for_a_bundle_is_refused():
    with pytest.raises(ValueError, match="at most 65535 bytes"):
        entry_bundle([bytes(0x10000)])
