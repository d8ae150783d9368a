"""Sums over the battles of players: what their seats paid, and what chance promises.

Every mode pays each seat the same on average: the mean of its own items. With only players in a battle, they
get all items, so what they get together has the variance of all items. Where bots may win these, it varies
more: with b bots, for each player by b times the square of that mean. This is exact if each team has either
players or bots, and a bound if players and bots share a pot.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import peewee

from models.battles import BattleCase
from models.db.sql import execute
from services.battles.seat_bets import SettledBattle
from services.bets.cases import expectation_of
from services.bets.snapshots import Content
from services.figures.bet_figures import BetFigures
from services.shared.clock import DAY_MS, Millis
from services.shared.money import Cents

BATTLES_A_QUERY = 500
"""SQLite has a limit of the parameters of a query."""

# Quotients of whole numbers are whole on both databases.
BATTLES = f"""
SELECT battles.id, MIN(bets.created_at_ms) / {DAY_MS} * {DAY_MS}, COUNT(bets.id), COUNT(*) - COUNT(bets.id),
    CAST(SUM(bets.wager_cents) AS BIGINT), CAST(SUM(bets.payout_cents) AS BIGINT)
FROM battles
    JOIN battle_seats ON battle_seats.battle_id = battles.id AND battle_seats.left_at_ms IS NULL
    LEFT JOIN bets ON bets.id = battle_seats.bet_id
WHERE battles.state = 'settled'
GROUP BY battles.id
HAVING COUNT(bets.id) > 0
"""  # noqa: S608  # constants


def figures_of_battles(content_of: Callable[[int], Content | None]) -> Iterator[tuple[Millis, BetFigures]]:
    """The day and the sums of each settled battle. To be used within ``reading()``.

    If the content of one of its cases is not intact, nothing is expected of a battle.
    """
    found = map(SettledBattle._make, execute(BATTLES, {}).fetchall())
    for some in peewee.chunked(found, BATTLES_A_QUERY):
        cases = _cases_of([battle.id for battle in some])
        for battle in some:
            opened = [(content_of(snapshot_id), count) for snapshot_id, count in cases[battle.id]]
            yield battle.day, figures_of(battle, opened)


def figures_of(battle: SettledBattle, opened: Sequence[tuple[Content | None, int]]) -> BetFigures:
    """The sums of a battle. ``opened`` are its cases, each with how often a seat opens it."""
    mean, variance, largest = 0.0, 0.0, 0
    for content, count in opened:
        if content is None:
            return BetFigures(battle.players, battle.wagered, battle.paid)
        of_case = expectation_of(content)
        mean += count * of_case.mean_cents
        variance += count * of_case.variance_square_cents
        largest += count * max(item.price_cents for item in content.items)
    return BetFigures(
        battle.players,
        battle.wagered,
        battle.paid,
        expected=battle.players * mean,
        variance=battle.players * (variance + battle.bots * mean**2),
        largest=Cents((battle.players + battle.bots) * largest),
    )


def _cases_of(battle_ids: list[int]) -> dict[int, list[tuple[int, int]]]:
    """The snapshots of the cases of these battles, each with how often a seat opens it."""
    columns = BattleCase.battle, BattleCase.snapshot_id, BattleCase.count
    query: Any = BattleCase.select(*columns).where(BattleCase.battle.in_(battle_ids))
    rows = sorted(query.tuples())
    return {battle_id: [row[1:] for row in own] for battle_id, own in groupby(rows, key=itemgetter(0))}
