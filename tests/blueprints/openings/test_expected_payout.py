"""The expected payout of an opening, of random cases: exact, and at most 95 % of the price."""

from fractions import Fraction
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.bets.cases import expectation_of
from services.bets.rolls import TICKET_RANGE
from services.bets.snapshots import content_of
from services.cases.contents import price_of
from services.shared.money import MAX_AMOUNT_CENTS

CENTS = st.integers(0, MAX_AMOUNT_CENTS) | st.integers(0, 100)


@st.composite
def items(draw):
    """Names, prices and widths that sum to 10**18."""
    cuts = sorted(draw(st.lists(st.integers(0, TICKET_RANGE), max_size=30)))
    ends = [*cuts, TICKET_RANGE]
    widths = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    return [(f"Item {place}", draw(CENTS), width) for place, width in enumerate(sorted(widths))]


def box(items):
    price = price_of((cents, width) for _, cents, width in items)
    return content_of(case_id="box", price_cents=price, items=items)


def ends_of(items):
    """Where the range of each item's tickets ends."""
    return list(accumulate(width for _, _, width in items))


@pytest.mark.regulation("4.7 Payout percentage and odds")
@given(items())
def test_the_expected_payout_is_at_most_95_percent(items):
    case = box(items)
    # What the tickets of each range pay, without the widths.
    ends = ends_of(items)
    paid = sum(
        Fraction(end - start, TICKET_RANGE) * item.price_cents
        for item, start, end in zip(case.items, [0, *ends], ends, strict=False)
    )

    shares = sum(Fraction(width, TICKET_RANGE) * cents for _, cents, width in items)
    assert paid == shares
    assert paid <= Fraction(95, 100) * case.price_cents
    # Up to the cent, so not a cent more than that.
    assert paid > Fraction(95, 100) * (case.price_cents - 1)
    assert expectation_of(case).mean_cents == float(paid)


@pytest.mark.regulation("(f) Scaling")
@given(items(), st.data())
def test_the_ends_of_each_ticket_range_win_its_item(items, data):
    case = box(items)
    place = data.draw(st.sampled_from([n for n, (_, _, width) in enumerate(items) if width]))
    end = ends_of(items)[place]
    for ticket in {end - items[place][2], end - 1, data.draw(st.integers(end - items[place][2], end - 1))}:
        assert case.winner(ticket) == case.items[place]
