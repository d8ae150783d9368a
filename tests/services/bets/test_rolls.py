"""Rolls, tickets and the rules of seeds, for every input, and the distribution of tickets.

tests/blueprints/operator/test_fairness_verify.py compares them with vectors of an independent implementation.
"""

import hashlib
import string
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from services.accounts.users import is_client_seed
from services.bets import rolls
from services.bets.rolls import PPM, ROLL_RANGE, TICKET_RANGE
from services.shared.money import MAX_AMOUNT_CENTS
from tests.support.opening_randomness import REJECTED_BELOW, chi_square, p_values, wins_of_one_case

CLIENT_SEED_CHARACTERS = string.ascii_letters + string.digits + "_-"

house_edges = st.integers(min_value=0, max_value=PPM - 1)


@st.composite
def offers(draw):
    """A wager, a higher price and an edge, as ``threshold`` takes them."""
    price = draw(st.integers(min_value=2, max_value=MAX_AMOUNT_CENTS))
    wager = draw(st.integers(min_value=1, max_value=price - 1))
    return {"wager_cents": wager, "price_cents": price, "house_edge_ppm": draw(house_edges)}


@pytest.mark.regulation("3.3 Cryptographic strength")
def test_a_digest_equals_the_one_that_other_sites_published():
    spin = {"server_seed": "18e93f4a7b5b58d2569765766d1b6c3296bbd8430d6f20249044d72f14720159", "nonce": 1}

    assert rolls.digest(**spin, client_seed="bb62964774").hex().startswith("c590d171e39b7040")


@pytest.mark.regulation("3.2 Distribution of scaled values")
@pytest.mark.regulation("(f) Scaling")
def test_digests_at_ends_and_middle_roll_ends_and_middle(monkeypatch):
    for digest, roll in (
        (bytes(32), 0),
        (b"\xff" * 32, ROLL_RANGE - 1),
        (b"\x80" + bytes(31), ROLL_RANGE // 2),
        (b"\x7f" + b"\xff" * 31, ROLL_RANGE // 2 - 1),
    ):
        monkeypatch.setattr(rolls, "digest", lambda digest=digest, **_spin: digest)

        assert rolls.roll(server_seed="", client_seed="", nonce=1) == roll


@pytest.mark.regulation("4.6 Fairness of games")
def test_every_input_of_a_spin_changes_its_digest():
    spin = {"server_seed": "0" * 64, "client_seed": "abcd", "nonce": 1}
    other = {"server_seed": "1" * 64, "client_seed": "abce", "nonce": 2}

    for name, value in other.items():
        assert rolls.digest(**spin) != rolls.digest(**spin | {name: value}), name


@given(offer=offers())
def test_a_threshold_is_the_fair_chance_rounded_down(offer):
    share = Fraction(offer["wager_cents"], offer["price_cents"])
    fair = ROLL_RANGE * (1 - Fraction(offer["house_edge_ppm"], PPM)) * share

    assert 0 <= fair - rolls.threshold(**offer) < 1


@pytest.mark.regulation("(c)(2) Reseeding or cycling")
def test_two_draws_give_two_server_seeds():
    assert rolls.draw_server_seed() != rolls.draw_server_seed()


@pytest.mark.regulation("3.3 Cryptographic strength")
def test_a_server_seed_contains_all_32_drawn_bytes():
    drawn = Random(1).randbytes(32)

    seed = rolls.draw_server_seed(lambda count: drawn[:count])

    assert bytes.fromhex(seed) == drawn
    assert rolls.SERVER_SEED.fullmatch(seed)


@pytest.mark.regulation("(c)(1) Unpredictable outputs")
def test_a_commitment_does_not_contain_its_seed():
    seed = rolls.draw_server_seed()

    commitment = rolls.commitment_of(seed)

    assert not {seed[at : at + 12] for at in range(53)} & {commitment[at : at + 12] for at in range(53)}
    assert commitment != hashlib.sha256(bytes.fromhex(seed)).hexdigest()


@given(text=st.text(CLIENT_SEED_CHARACTERS, max_size=70) | st.text(f"ab\u0661{string.printable}", max_size=8))
@example("a" * 3)
@example("a" * 4)
@example("a" * 64)
@example("a" * 65)
@example("abcd\n")
def test_a_client_seed_has_4_to_64_allowed_characters(text):
    expected = 4 <= len(text) <= 64 and set(text) <= set(CLIENT_SEED_CHARACTERS)

    assert is_client_seed(text) is expected


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
