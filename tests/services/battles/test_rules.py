import hashlib
import hmac
from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.battles.rules import MODES, TEAMS, Draws, Rules, decide

SEED, LOCK, RANDOMNESS = "ab" * 32, "cd" * 32, "ef" * 32
DRAWS = Draws(server_seed=SEED, lock_hash=LOCK, randomness=RANDOMNESS)


def possible_rules():
    for mode, teams, crazy, terminal in product(MODES, TEAMS, (False, True), (False, True)):
        try:
            yield Rules(mode=mode, teams=teams, crazy=crazy, terminal=terminal)
        except ValueError:
            continue


RULES = list(possible_rules())
LARGE = 6
prices = st.integers(0, 10**9)


class Chosen:
    """Draws with these outcomes, in the order in which a battle needs them, and the chance of all of them."""

    def __init__(self, path):
        self.path, self.depth, self.chance, self.ways = path, 0, Fraction(1), []

    def below(self, _a, _b, n):
        self.ways.append(n)
        self.chance /= n
        self.depth += 1
        return self.path[self.depth - 1] if self.depth <= len(self.path) else 0


def all_decisions(rules, drawn):
    """Each decision of a battle with its chance."""
    paths = [()]
    while paths:
        draws = Chosen(paths.pop())
        decision = decide(rules, drawn, draws)
        if len(draws.path) < len(draws.ways):
            paths += [(*draws.path, way) for way in range(draws.ways[len(draws.path)])]
        else:
            yield draws.chance, decision


def battles(rules):
    seats = len(rules.team_of_seats)
    return st.lists(prices, min_size=1, max_size=4).flatmap(
        lambda cases: st.lists(
            st.lists(prices, min_size=len(cases), max_size=len(cases)), min_size=seats, max_size=seats
        )
    )


@pytest.mark.parametrize("rules", RULES, ids=str)
@given(data=st.data())
def test_the_seats_get_the_pot_to_the_cent(rules, data):
    drawn = data.draw(battles(rules))

    payouts = decide(rules, drawn, DRAWS).payouts_cents

    assert sum(payouts) == sum(map(sum, drawn))
    assert min(payouts) >= 0


@pytest.mark.parametrize("rules", RULES, ids=str)
@given(data=st.data())
def test_only_seats_of_winning_teams_are_paid_and_all_of_them_alike(rules, data):
    drawn = data.draw(battles(rules))

    decision = decide(rules, drawn, DRAWS)

    teams = rules.team_of_seats
    paid = [
        cents for team, cents in zip(teams, decision.payouts_cents, strict=True) if team in decision.winners
    ]
    assert sum(paid) == sum(decision.payouts_cents)
    assert max(paid) - min(paid) <= 1


@pytest.mark.guarantee("Every seat")
@pytest.mark.security("Players of a battle")
def enumerated(rules):
    """A test of these rules. Six seats with a draw by their values take seconds."""
    is_large = rules.mode == "jackpot" and len(rules.team_of_seats) == LARGE
    return pytest.param(rules, id=str(rules), marks=[pytest.mark.thorough] if is_large else [])


@pytest.mark.parametrize("rules", [enumerated(rules) for rules in RULES])
def test_every_seat_has_the_same_expected_payout(rules):
    # All outcomes of a case with three items of 0, 1 and 4 cents and chances of 1/2, 1/3 and 1/6.
    case = [(Fraction(1, 2), 0), (Fraction(1, 3), 1), (Fraction(1, 6), 4)]
    seats = len(rules.team_of_seats)
    mean = sum(chance * cents for chance, cents in case)
    expected = [Fraction(0)] * seats
    for items in product(case, repeat=seats):
        drawn, drawn_chance = [[cents] for _, cents in items], Fraction(1)
        for chance, _ in items:
            drawn_chance *= chance
        for chance, decision in all_decisions(rules, drawn):
            for seat, cents in enumerate(decision.payouts_cents):
                expected[seat] += drawn_chance * chance * cents

    assert expected == [mean] * seats


@pytest.mark.parametrize("rules", [rules for rules in RULES if len(rules.team_of_seats) < 6], ids=str)
def test_every_seat_has_the_same_expected_payout_of_two_cases(rules):
    # With ``terminal`` the second case decides who gets the items of both.
    first = [(Fraction(1, 3), 2), (Fraction(2, 3), 5)]
    second = [(Fraction(3, 4), 0), (Fraction(1, 4), 3)]
    openings = [(a * b, [cents, more]) for (a, cents), (b, more) in product(first, second)]
    seats = len(rules.team_of_seats)
    mean = sum(chance * sum(cents) for chance, cents in openings)
    expected = [Fraction(0)] * seats
    for items in product(openings, repeat=seats):
        drawn, drawn_chance = [cents for _, cents in items], prod(chance for chance, _ in items)
        for chance, decision in all_decisions(rules, drawn):
            for seat, cents in enumerate(decision.payouts_cents):
                expected[seat] += drawn_chance * chance * cents

    assert expected == [mean] * seats


@pytest.mark.parametrize(
    ("mode", "crazy", "terminal", "drawn", "winners"),
    [
        pytest.param("normal", False, False, [[5, 1], [4, 3]], [1], id="the highest sum"),
        pytest.param("normal", True, False, [[5, 1], [4, 3]], [0], id="crazy: the lowest sum"),
        pytest.param("normal", False, True, [[5, 4], [9, 3]], [0], id="terminal: the last case"),
        pytest.param("normal", True, True, [[5, 4], [9, 3]], [1], id="crazy and terminal: the lowest last"),
        pytest.param("jackpot", False, False, [[0, 0], [1, 0]], [1], id="jackpot: nothing has no chance"),
        pytest.param("jackpot", True, False, [[0, 0], [1, 0]], [0], id="crazy jackpot: the others' value"),
        pytest.param("jackpot", False, True, [[9, 1], [9, 0]], [0], id="terminal jackpot: the last weighs"),
        pytest.param("shared", False, False, [[9, 1], [0, 0]], [0, 1], id="shared: everybody"),
    ],
)
def test_the_winners_of_a_battle(mode, crazy, terminal, drawn, winners):
    rules = Rules(mode=mode, teams="1v1", crazy=crazy, terminal=terminal)

    assert decide(rules, drawn, DRAWS).winners == winners


def test_the_value_of_a_team_is_the_sum_of_its_seats():
    decision = decide(Rules(mode="normal", teams="2v2v2"), [[1], [2], [30], [4], [5], [60]], DRAWS)

    assert decision.values == [3, 34, 65]
    assert decision.winners == [2]


def test_a_tie_is_drawn_among_its_teams_alone():
    decisions = [
        decision for _, decision in all_decisions(Rules(mode="normal", teams="1v1v1"), [[7], [3], [7]])
    ]

    assert all(decision.tie == [0, 2] for decision in decisions)
    assert {tuple(decision.winners) for decision in decisions} == {(0,), (2,)}


def test_without_a_tie_none_is_shown():
    assert decide(Rules(mode="normal", teams="1v1"), [[7], [3]], DRAWS).tie is None


def test_a_jackpot_in_which_everybody_has_nothing_is_drawn_with_equal_chances():
    chances = {
        decision.winners[0]: chance
        for chance, decision in all_decisions(Rules(mode="jackpot", teams="1v1v1"), [[0], [0], [0]])
        if decision.payouts_cents == [0, 0, 0]
    }

    assert chances == dict.fromkeys((0, 1, 2), Fraction(1, 3))


def test_cents_that_are_left_over_go_to_neighbouring_seats():
    payouts = [
        decision.payouts_cents
        for _, decision in all_decisions(Rules(mode="shared", teams="1v1v1v1"), [[1], [1], [0], [0]])
    ]

    assert sorted(payouts) == [[0, 0, 1, 1], [0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 0, 0]]


@pytest.mark.parametrize(
    "change",
    [
        {"mode": "shared", "teams": "2v2"},
        {"mode": "shared", "crazy": True},
        {"mode": "other"},
        {"mode": "shared", "terminal": True},
        {"teams": "1v2"},
    ],
    ids=str,
)
def test_there_is_no_such_battle(change):
    with pytest.raises(ValueError, match=r".+"):
        Rules(**{"mode": "normal", "teams": "1v1"} | change)


@given(
    a=st.one_of(st.integers(0, 5), st.sampled_from(["tie", "jackpot", "rest"])),
    b=st.integers(0, 49),
    n=st.integers(1, 10**18),
)
def test_a_draw_follows_from_seed_lock_and_randomness(a, b, n):
    message = f"battle-1:{LOCK}:{RANDOMNESS}:{a}:{b}".encode()
    digest = int.from_bytes(hmac.digest(SEED.encode(), message, hashlib.sha256), "big")

    assert DRAWS.below(a, b, n) == digest * n >> 256
