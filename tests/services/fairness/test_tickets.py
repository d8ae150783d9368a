"""The ticket of an opening: the exact definitions, and the distribution.

tests/blueprints/operator/test_fairness_verify.py compares it with vectors of an independent implementation.
"""

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.fairness import rolls
from services.fairness.rolls import TICKET_RANGE
from tests.support.opening_randomness import REJECTED_BELOW, chi_square, p_values, wins_of_one_case

a_ticket = st.integers(0, TICKET_RANGE - 1)


@st.composite
def cases(draw):
    """The widths of a case, some of them 0, and a ticket, often at the end of a range."""
    ends = draw(st.lists(st.integers(0, TICKET_RANGE), max_size=30))
    ends = [0, *sorted(ends), TICKET_RANGE]
    widths = [end - start for start, end in pairwise(ends)]
    edges = [end + step for end in ends for step in (-1, 0, 1) if 0 <= end + step < TICKET_RANGE]
    return widths, draw(a_ticket | st.sampled_from(edges))


@pytest.mark.guarantee("Items")
@given(cases())
def test_the_winner_is_the_item_that_holds_the_ticket(case):
    widths, ticket = case
    place = Fraction(ticket, TICKET_RANGE)
    begins = [Fraction(sum(widths[:position]), TICKET_RANGE) for position in range(len(widths) + 1)]

    (expected,) = [
        position for position in range(len(widths)) if begins[position] <= place < begins[position + 1]
    ]

    assert rolls.winner(ticket, widths) == expected


@given(a_ticket)
def test_the_percent_is_the_ticket_rounded_down_to_five_decimals(ticket):
    exact = Decimal(ticket).scaleb(-16)
    shown = Decimal(str(rolls.ticket_percent(ticket)))

    assert shown.as_tuple().exponent >= -5
    assert 0 <= exact - shown < Decimal("0.00001")


@pytest.mark.guarantee("Items")
@pytest.mark.regulation("3.2 Distribution of scaled values")
@pytest.mark.regulation("(b) Statistical randomness")
def test_items_are_won_as_often_as_their_widths_say(effort, seed, note_figure):
    found = list(p_values(50_000 * effort, master_seed=f"{seed}openings"))

    for items, p_value in found:
        note_figure(f"openings of a case of {items} items: p = {p_value:.4f}")
    assert [p_value for _, p_value in found if p_value < REJECTED_BELOW] == []


def test_items_that_are_won_in_another_order_are_rejected():
    widths, counts = wins_of_one_case(5_000, seed="openings:0", game="case")

    assert chi_square(widths, counts) > REJECTED_BELOW
    assert chi_square(widths, np.roll(counts, 1)) < REJECTED_BELOW
