"""Battles of all kinds, recomputed by a second program from what is public."""

from random import Random

import pytest

from tests.harness.players import import_case, import_prices
from tests.services.battles.test_ends import possible_battles
from tests.support.recomputed_battles import LoggedBattles, contradictions, log_entries

AT_ONCE = 100
"""So many are locked before the next rounds pass."""
SEATS = {"1v1": 2, "1v1v1": 3, "1v1v1v1": 4, "1v1v1v1v1v1": 6, "2v2": 4, "3v3": 6, "2v2v2": 6}


@pytest.fixture
def cases(arena):
    """Cases with many ties, with cents that can't be shared out equally, and with the price of each."""
    import_prices({"Cent": 0.01, "Three": 0.03, "Odd": 7.77}, now=arena.clock())
    import_case("Odds", {"Cent": 50, "Three": 40, "Odd": 10}, now=arena.clock())
    import_case("Dust", {"Cent": 99, "Three": 1}, now=arena.clock())
    openings = arena.services.case_openings
    return {slug: openings.recent(slug).available.price_cents for slug in ("box", "odds", "dust")}


@pytest.mark.guarantee("A second program")
@pytest.mark.parametrize(
    "count", [pytest.param(60, id="each kind"), pytest.param(1_000, marks=pytest.mark.thorough)]
)
def test_battles_have_the_outcome_that_a_second_program_computes(arena, cases, new_player, client, count):
    players = [new_player(f"player-{number}", coins=100_000) for number in range(6)]
    random = Random("battles")
    kinds = list(possible_battles())
    shown = []
    for number in range(count):
        if number % 10 == 0:
            arena.clock.advance(seconds=1)
            arena.poll()
        kind = kinds[number % len(kinds)]
        chosen = [(random.choice([*cases]), random.randint(1, 3)) for _ in range(random.randint(1, 3))]
        asked = {
            "cases": [{"case": slug, "count": count} for slug, count in chosen],
            "price": sum(cases[slug] * count for slug, count in chosen) / 100,
        }
        seats = random.sample(players, SEATS[kind["teams"]])
        seats[1:] = [None if random.random() < 0.2 else player for player in seats[1:]]
        battle = arena.locked(*seats, **asked, **kind)
        shown.append(battle)
        arena.services.log.append_waiting()
        if number + 1 in (count, *range(0, count, AT_ONCE)):
            settle(arena, shown[-AT_ONCE:])

    answers = [client.get(f"/battles/{battle.public_id}").json for battle in shown]
    arena.append()
    logged = LoggedBattles(log_entries(lambda path: client.get(f"/log/{path}").data))
    found = [
        f"{answer['id']}: {line}"
        for answer in answers
        for line in contradictions(answer, logged, lambda hash_: client.get(f"/snapshots/{hash_}").data)
    ]

    assert {answer["state"] for answer in answers} == {"settled"}
    assert found == logged.problems == []
    assert sum(answer["tie"] is not None for answer in answers) > count / 20


def settle(arena, battles):
    """Let the rounds of these locked battles come one after the other, and end them."""
    arena.append()
    for round_ in sorted({battle.round for battle in battles}):
        arena.clock.now = max(arena.clock.now, arena.services.beacons.chain.time_ms(round_))
        arena.services.beacons.ask(arena.services.beacons.relays[0], round_)
    arena.end_due(battles[0])
