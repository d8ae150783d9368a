"""Searching names by a part of them, compared with a linear scan."""

from hypothesis import given
from hypothesis import strategies as st

from services.upgrader import item_search
from services.upgrader.item_search import NameSearch

NAMES = st.lists(st.text(alphabet="ab\u2605 ", max_size=6), max_size=40)
PART = st.text(alphabet="ab\u2605 ", min_size=1, max_size=3)


def found_by_looking(names, part):
    return [position for position, name in enumerate(names) if part in name]


@given(names=NAMES, part=PART)
def test_the_search_finds_the_same_names_as_a_linear_scan(names, part):
    assert list(NameSearch(names).find(part)) == found_by_looking(names, part)


def test_a_search_with_very_many_matches_finds_all_of_them():
    names = [f"item {number}" for number in range(item_search.MAX_SEARCHES * 3)]

    found = {part: list(NameSearch(names).find(part)) for part in ("item", "item 1", "9", "none")}

    assert found == {part: found_by_looking(names, part) for part in found}


def test_a_match_never_spans_two_names():
    assert list(NameSearch(["ab", "cd"]).find("bc")) == []
