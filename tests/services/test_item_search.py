"""Finding names by a part of them: what looking at each would find."""

from hypothesis import given
from hypothesis import strategies as st

from services import item_search
from services.item_search import NameSearch

NAMES = st.lists(st.text(alphabet="ab\u2605 ", max_size=6), max_size=40)
PART = st.text(alphabet="ab\u2605 ", min_size=1, max_size=3)


def found_by_looking(names, part):
    return [position for position, name in enumerate(names) if part in name]


@given(names=NAMES, part=PART)
def test_what_is_found_is_what_looking_at_each_name_finds(names, part):
    assert list(NameSearch(names).find(part)) == found_by_looking(names, part)


def test_more_finds_than_leaps_are_found_too():
    names = [f"item {number}" for number in range(item_search.MOST_LEAPS * 3)]

    found = {part: list(NameSearch(names).find(part)) for part in ("item", "item 1", "9", "none")}

    assert found == {part: found_by_looking(names, part) for part in found}


def test_nothing_is_found_across_two_names():
    assert list(NameSearch(["ab", "cd"]).find("bc")) == []
