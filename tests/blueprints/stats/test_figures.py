"""Every reported figure equals a recomputation from the spins, for any sequence of spins."""

from collections import Counter
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from bench.harness.spins import DAY_MS
from tests.blueprints.stats.conftest import PROOF_DELAY_MS

SPINS = some.lists(
    some.tuples(
        some.sampled_from(["alice", "betty", "carol"]),
        some.sampled_from(["0.01", "0.3", "1", "1.99", "49.99", "50"]),
        some.sampled_from([2, 10, 100]),
        some.sampled_from([0, 1, PROOF_DELAY_MS - 1, PROOF_DELAY_MS, DAY_MS, 5 * DAY_MS]),
    ).filter(lambda spin: float(spin[1]) < spin[2]),
    min_size=1,
    max_size=8,
)


@pytest.fixture
def players(new_player):
    return {name: new_player(name, coins=1_000_000) for name in ("alice", "betty", "carol")}


@pytest.fixture
def played():
    """All spins so far as (player, wager, payout, time). Each example adds to those of the one before."""
    return []


def coins(bets):
    """The sums of the wagers and payouts of these bets."""
    return sum(bet[1] for bet in bets) / 100, sum(bet[2] for bet in bets) / 100


def week(ms):
    return datetime.fromtimestamp(ms / 1000, UTC).isocalendar()[:2]


def month(ms):
    return datetime.fromtimestamp(ms / 1000, UTC).timetuple()[:2]


@pytest.mark.both_databases("money postings")
@pytest.mark.regulation("2.5.7 Transaction log")
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(spins=SPINS)
def test_figures_match_the_played_spins(ask, client, run, spin, clock, players, played, spins):
    for name, wager, price, pause in spins:
        bet = spin(players[name], wager=wager, price=price, client_seed="seed")
        played.append((name, bet.wager_cents, bet.payout_cents, clock.now))
        clock.advance(ms=pause)

    for name, player in players.items():
        own = [bet for bet in played if bet[0] == name]
        totals = ask("profile", player)
        assert (totals["wagerAmount"], totals["earningAmount"]) == coins(own)
        assert ask("games", player)["data"]["totalGames"] == len(own)
        assert ask("fairness", player)["data"]["total"] == len(own)
    over = [bet for bet in played if bet[3] + PROOF_DELAY_MS <= clock.now]
    high = [bet for bet in over if bet[1] >= 5000 or bet[2] * 100 // bet[1] >= 1000]
    assert ask("live-bets")["data"]["total"] == len(over)
    assert ask("live-bets", type="high-rolls")["data"]["total"] == len(high)
    for period, of in (("weekly", week), ("monthly", month)):
        wagers = Counter()
        for name, wager, _, made in played:
            if of(made) == of(clock.now):
                wagers[name] += wager
        board = client.get(f"/leaderboard?period={period}").json
        expected = sorted(wagers.items(), key=lambda entry: (-entry[1], list(players).index(entry[0])))
        assert [(entry["username"][:3], entry["wager"]) for entry in board] == [
            (name[:3], wager / 100) for name, wager in expected
        ]
    assert run("ledger", "audit")["mismatches"] == 0
