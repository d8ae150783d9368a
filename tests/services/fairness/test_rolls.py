"""The roll against vectors of an independent implementation, and properties for every input."""

import hashlib
import json
import string
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.harness.node import node
from services.fairness import rolls
from services.fairness.rolls import PPM, ROLL_RANGE
from services.shared.money import MAX_AMOUNT_CENTS

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text())

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


def spin_of(vector):
    return {
        "server_seed": vector["serverSeed"],
        "client_seed": vector["clientSeed"],
        "nonce": vector["nonce"],
        "round_": vector["round"],
    }


def offer_of(vector):
    return {
        "wager_cents": vector["wagerCents"],
        "price_cents": vector["priceCents"],
        "house_edge_ppm": vector["houseEdgePpm"],
    }


@pytest.mark.process
def test_the_vectors_file_is_generated_by_the_independent_implementation():
    assert node("make_vectors.mjs") == VECTORS


@pytest.mark.parametrize("vector", VECTORS["hmac"])
def test_the_digest_equals_a_published_example(vector):
    assert rolls.digest(**spin_of(vector)).hex().startswith(vector["digestBegins"])


@pytest.mark.parametrize("vector", VECTORS["commitments"])
def test_a_commitment_is_the_sha256_of_the_seeds_text(vector):
    assert rolls.commitment_of(vector["serverSeed"]) == vector["serverSeedCommitment"]


@pytest.mark.parametrize("vector", VECTORS["rolls"])
def test_a_roll_equals_that_of_an_independent_implementation(vector):
    spin = spin_of(vector)

    assert rolls.digest(**spin).hex() == vector["digest"]
    assert rolls.roll(**spin) == vector["roll"]
    assert rolls.percent(vector["roll"]) == vector["percent"]


@pytest.mark.parametrize("vector", VECTORS["thresholds"], ids=lambda vector: vector["why"])
def test_a_threshold_equals_that_of_an_independent_implementation(vector):
    assert rolls.threshold(**offer_of(vector)) == vector["threshold"]


@given(server_seed=server_seeds, client_seed=client_seeds, nonce=nonces)
def test_a_roll_is_always_in_its_range(server_seed, client_seed, nonce):
    assert rolls.roll(server_seed=server_seed, client_seed=client_seed, nonce=nonce) in range(ROLL_RANGE)


@pytest.mark.parametrize(
    ("digest", "roll"),
    [
        (bytes(32), 0),
        (b"\xff" * 32, ROLL_RANGE - 1),
        (b"\x80" + bytes(31), ROLL_RANGE // 2),
        (b"\x7f" + b"\xff" * 31, ROLL_RANGE // 2 - 1),
    ],
)
def test_the_digests_at_the_ends_and_the_middle_roll_the_ends_and_the_middle(monkeypatch, digest, roll):
    monkeypatch.setattr(rolls, "digest", lambda **_spin: digest)

    assert rolls.roll(server_seed="", client_seed="", nonce=1) == roll


@pytest.mark.parametrize(
    "changed",
    [{"server_seed": "1" * 64}, {"client_seed": "abce"}, {"nonce": 2}, {"round_": 1}],
    ids=lambda changed: next(iter(changed)),
)
def test_every_input_of_a_spin_changes_its_digest(changed):
    spin = {"server_seed": "0" * 64, "client_seed": "abcd", "nonce": 1, "round_": 0}

    assert rolls.digest(**spin) != rolls.digest(**spin | changed)


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
def test_no_wager_buys_more_than_the_edge_leaves(offer):
    left = ROLL_RANGE * (1 - Fraction(offer["house_edge_ppm"], PPM))

    assert rolls.threshold(**offer) <= left


@given(offer=offers())
def test_a_spin_is_never_worth_more_than_the_wager_less_the_edge(offer):
    worth = Fraction(rolls.threshold(**offer), ROLL_RANGE) * offer["price_cents"]

    assert worth <= offer["wager_cents"] * (1 - Fraction(offer["house_edge_ppm"], PPM))


@pytest.mark.parametrize(
    ("roll", "percent"), [(0, 0.0), (1, 0.00001), (4_750_000, 47.5), (9_999_999, 99.99999)]
)
def test_a_percent_has_five_decimals(roll, percent):
    assert rolls.percent(roll) == percent


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


@pytest.mark.parametrize(("length", "allowed"), [(3, False), (4, True), (64, True), (65, False)])
def test_the_bounds_of_a_client_seeds_length_are_4_and_64(length, allowed):
    assert rolls.is_client_seed("a" * length) is allowed


@given(before=client_seeds, after=st.text(CLIENT_SEED_CHARACTERS, max_size=4), data=st.data())
def test_any_other_character_is_refused_wherever_it_stands(before, after, data):
    other = data.draw(st.characters(exclude_characters=CLIENT_SEED_CHARACTERS))

    assert not rolls.is_client_seed(before[:32] + other + after)


@pytest.mark.parametrize(
    "text",
    [
        "abcd\n",
        "\nabcd",
        " abcd",
        "ab cd",
        "ab:cd",
        "abcd\0",
        "abc\N{LATIN SMALL LETTER E WITH ACUTE}",
        "123\N{ARABIC-INDIC DIGIT FOUR}",
        "abc\N{FULLWIDTH LATIN SMALL LETTER D}",
        "abc\N{KELVIN SIGN}",
        "abc\N{LATIN SMALL LETTER LONG S}",
    ],
    ids=ascii,
)
def test_blanks_newlines_colons_and_letters_outside_ascii_are_refused(text):
    assert not rolls.is_client_seed(text)


@pytest.mark.parametrize("value", [None, 1234, True, b"abcd", ["a", "b", "c", "d"]], ids=repr)
def test_values_other_than_text_are_not_client_seeds(value):
    assert not rolls.is_client_seed(value)
