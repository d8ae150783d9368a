"""The roll against vectors of an independent implementation, and properties for every input."""

import hashlib
import string
from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.fairness import rolls
from services.fairness.rolls import PPM, ROLL_RANGE
from services.shared.money import MAX_AMOUNT_CENTS, cents_from_number
from tests.support.golden_vectors import REFUSED, SPINS

CLIENT_SEED_CHARACTERS = string.ascii_letters + string.digits + "_-"

server_seeds = st.binary(min_size=32, max_size=32).map(bytes.hex)
client_seeds = st.text(CLIENT_SEED_CHARACTERS, min_size=4, max_size=64)
nonces = st.integers(min_value=1, max_value=2**63 - 1)
house_edges = st.integers(min_value=0, max_value=PPM - 1)


@st.composite
def offers(draw):
    """A wager, a higher price and an edge, as ``threshold`` takes them."""
    price = draw(st.integers(min_value=2, max_value=MAX_AMOUNT_CENTS))
    wager = draw(st.integers(min_value=1, max_value=price - 1))
    return {"wager_cents": wager, "price_cents": price, "house_edge_ppm": draw(house_edges)}


@pytest.mark.parametrize("vector", SPINS, ids=lambda vector: vector["why"])
def test_the_server_gives_the_golden_vectors(vector):
    given, expected = vector["input"], vector["output"]
    spin = {
        "server_seed": given["serverSeed"],
        "client_seed": given["clientSeed"],
        "nonce": int(given["nonce"]),
    }

    commitment, roll = rolls.commitment_of(given["serverSeed"]), rolls.roll(**spin)
    threshold = rolls.threshold(
        wager_cents=cents_from_number(Decimal(given["betAmount"])),
        price_cents=cents_from_number(Decimal(given["price"])),
        house_edge_ppm=int(Decimal(given["houseEdge"]) * PPM),
    )

    assert (commitment == given["serverSeedCommitment"]) is expected["committed"]
    assert rolls.digest(**spin).hex() == expected["digest"]
    assert (roll, rolls.percent(roll)) == (expected["roll"], expected["percent"])
    assert (threshold, rolls.percent(threshold)) == (expected["threshold"], expected["chance"])
    assert (roll < threshold) is expected["win"]


def test_the_server_refuses_the_client_seeds_of_the_golden_vectors():
    refused = [seed for vector in REFUSED if (seed := vector["input"]["clientSeed"]) != "abcd"]

    assert refused
    assert [seed for seed in refused if rolls.is_client_seed(seed)] == []


def test_a_digest_equals_the_one_that_other_sites_published():
    spin = {"server_seed": "18e93f4a7b5b58d2569765766d1b6c3296bbd8430d6f20249044d72f14720159", "nonce": 1}

    assert rolls.digest(**spin, client_seed="bb62964774").hex().startswith("c590d171e39b7040")


def test_a_commitment_equals_the_example_of_the_standard():
    # FIPS 180-4
    expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    assert rolls.commitment_of("abc") == expected


@given(server_seed=server_seeds, client_seed=client_seeds, nonce=nonces)
def test_a_roll_is_always_in_its_range(server_seed, client_seed, nonce):
    assert rolls.roll(server_seed=server_seed, client_seed=client_seed, nonce=nonce) in range(ROLL_RANGE)


def test_the_digests_at_the_ends_and_the_middle_roll_the_ends_and_the_middle(monkeypatch):
    for digest, roll in (
        (bytes(32), 0),
        (b"\xff" * 32, ROLL_RANGE - 1),
        (b"\x80" + bytes(31), ROLL_RANGE // 2),
        (b"\x7f" + b"\xff" * 31, ROLL_RANGE // 2 - 1),
    ):
        monkeypatch.setattr(rolls, "digest", lambda digest=digest, **_spin: digest)

        assert rolls.roll(server_seed="", client_seed="", nonce=1) == roll


def test_every_input_of_a_spin_changes_its_digest():
    spin = {"server_seed": "0" * 64, "client_seed": "abcd", "nonce": 1}
    other = {"server_seed": "1" * 64, "client_seed": "abce", "nonce": 2}

    for name, value in other.items():
        assert rolls.digest(**spin) != rolls.digest(**spin | {name: value}), name


@given(offer=offers())
def test_a_threshold_is_the_last_whole_number_not_above_the_fair_chance(offer):
    share = Fraction(offer["wager_cents"], offer["price_cents"])
    fair = ROLL_RANGE * (1 - Fraction(offer["house_edge_ppm"], PPM)) * share

    assert 0 <= fair - rolls.threshold(**offer) < 1


@given(offer=offers(), data=st.data())
def test_a_higher_wager_never_wins_less_often(offer, data):
    higher = data.draw(st.integers(min_value=offer["wager_cents"], max_value=offer["price_cents"]))

    assert rolls.threshold(**offer) <= rolls.threshold(**offer | {"wager_cents": higher})


@pytest.mark.slow
@given(offer=offers(), data=st.data())
def test_a_more_expensive_item_never_wins_more_often(offer, data):
    dearer = data.draw(st.integers(min_value=offer["price_cents"], max_value=MAX_AMOUNT_CENTS))

    assert rolls.threshold(**offer) >= rolls.threshold(**offer | {"price_cents": dearer})


@given(offer=offers())
def test_no_wager_wins_more_rolls_than_the_house_edge_allows(offer):
    left = ROLL_RANGE * (1 - Fraction(offer["house_edge_ppm"], PPM))

    assert rolls.threshold(**offer) <= left


@given(offer=offers())
def test_a_spin_is_never_worth_more_than_the_wager_less_the_edge(offer):
    worth = Fraction(rolls.threshold(**offer), ROLL_RANGE) * offer["price_cents"]

    assert worth <= offer["wager_cents"] * (1 - Fraction(offer["house_edge_ppm"], PPM))


def test_a_percent_has_five_decimals():
    percents = {0: 0.0, 1: 0.00001, 4_750_000: 47.5, 9_999_999: 99.99999}

    assert {roll: rolls.percent(roll) for roll in percents} == percents


def test_a_server_seed_is_64_lowercase_hex_characters():
    seed = rolls.draw_server_seed()

    assert len(seed) == 64
    assert set(seed) <= set("0123456789abcdef")


def test_two_draws_give_two_server_seeds():
    assert rolls.draw_server_seed() != rolls.draw_server_seed()


def test_a_server_seed_contains_all_32_drawn_bytes():
    drawn = Random(1).randbytes(32)

    seed = rolls.draw_server_seed(lambda count: drawn[:count])

    assert bytes.fromhex(seed) == drawn


def test_a_commitment_does_not_contain_its_seed():
    seed = rolls.draw_server_seed()

    commitment = rolls.commitment_of(seed)

    assert not {seed[at : at + 12] for at in range(53)} & {commitment[at : at + 12] for at in range(53)}
    assert commitment != hashlib.sha256(bytes.fromhex(seed)).hexdigest()


@given(seeds=st.lists(server_seeds, min_size=2, max_size=2, unique=True))
def test_two_seeds_have_two_commitments(seeds):
    first, second = seeds

    assert rolls.commitment_of(first) != rolls.commitment_of(second)


def test_a_first_client_seed_satisfies_the_client_seed_rule():
    assert rolls.is_client_seed(rolls.draw_client_seed())


@given(text=client_seeds)
def test_4_to_64_letters_digits_dashes_and_underscores_are_a_client_seed(text):
    assert rolls.is_client_seed(text)


def test_the_bounds_of_a_client_seeds_length_are_4_and_64():
    allowed = {length: rolls.is_client_seed("a" * length) for length in (3, 4, 64, 65)}

    assert allowed == {3: False, 4: True, 64: True, 65: False}


@given(before=client_seeds, after=st.text(CLIENT_SEED_CHARACTERS, max_size=4), data=st.data())
def test_any_other_character_is_refused_at_every_position(before, after, data):
    other = data.draw(st.characters(exclude_characters=CLIENT_SEED_CHARACTERS))

    assert not rolls.is_client_seed(before[:32] + other + after)


def test_blanks_and_newlines_at_an_end_and_values_other_than_text_are_not_client_seeds():
    texts = ("abcd\n", "\nabcd", " abcd", "abcd\0")
    values = (None, 1234, True, b"abcd", ["a", "b", "c", "d"])

    assert [value for value in (*texts, *values) if rolls.is_client_seed(value)] == []
