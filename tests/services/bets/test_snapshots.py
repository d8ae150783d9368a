"""Snapshots: the canonical JSON of cases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.bets.snapshots import content_of, parse
from tests.support.golden_vectors import OPENINGS, REFUSED_OPENINGS

CASE = content_of(
    case_id="desert-case", price_cents=1234, items=[("Ω | “Q”", 5, 10**16), ("é\n\x7f", 0, 99 * 10**16)]
)

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200)
CENTS = st.integers(0, 10**11)
CONTENTS = st.builds(
    lambda case_id, price, items: content_of(
        case_id=case_id,
        price_cents=price,
        items=[*((name, cents, 1) for name, cents in items), ("the rest", 1, 10**18 - len(items))],
    ),
    NAMES,
    CENTS,
    st.lists(st.tuples(NAMES, CENTS), max_size=20),
)


@given(CONTENTS)
def test_the_canonical_json_gives_the_content_back(content):
    assert parse(content.text) == content


VALID = OPENINGS[0]["input"]["content"]
INVALID = {
    vector["why"]: text for vector in REFUSED_OPENINGS if (text := vector["input"]["content"]) != VALID
} | {
    "nothing": "",
    "a newline at the end": CASE.text + "\n",
    "half a surrogate pair": CASE.text.replace("Ω", "\\ud800"),
    "a deep list": "[" * 100_000,
}


@pytest.mark.parametrize("text", INVALID.values(), ids=INVALID)
def test_any_other_text_is_refused(text):
    with pytest.raises(ValueError):
        parse(text)
