"""Compares the battles of a crash storm with the log, with a second program, and with what players paid."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import requests

from models.battles import Battle, BattleSeat, State
from models.bets import Bet
from models.db.connection import reading
from tests.harness.relays import Network
from tests.harness.waiting import wait_until
from tests.support.recomputed_battles import LoggedBattles, contradictions, log_entries

END_SECONDS = 60
"""After a storm all beacons come. Battles are locked for nine seconds."""


def wait_until_ended() -> None:
    """Return when no battle is locked any more, and all ends are in the log. Raises TimeoutError."""
    wait_until(lambda: not _count(State.LOCKED), seconds=END_SECONDS, step_seconds=0.5)
    wait_until(lambda: not _waiting_ends(), seconds=END_SECONDS, step_seconds=0.5)


@reading()
def _waiting_ends() -> int:
    """How many ends wait for the log."""
    ended = Battle.select().where(Battle.end_entry.is_null(False), Battle.end_index.is_null())
    return int(ended.count())


@reading()
def open_battles(user_id: int) -> list[str]:
    """The public ids of the open battles that this player has created."""
    is_own = (Battle.creator == user_id) & (Battle.state == State.OPEN)
    return list(Battle.select(Battle.public_id).where(is_own).scalars())


@reading()
def seats_of(user_id: int) -> list[BattleSeat]:
    """All seats that a player has taken, each with its battle and, if it was settled, its bet."""
    query: Any = BattleSeat.select(BattleSeat, Battle, Bet).join(Battle).switch(BattleSeat)
    return list(query.join(Bet, "LEFT JOIN").where(BattleSeat.user == user_id))


def cents_of(seat: BattleSeat) -> int:
    """What a seat has added to its player's balance."""
    if seat.battle.state == State.SETTLED and seat.left_at_ms is None:
        return int(seat.bet.payout_cents - seat.battle.cost_cents)
    is_paid = seat.battle.state in (State.OPEN, State.LOCKED) and seat.left_at_ms is None
    return -int(seat.battle.cost_cents) if is_paid else 0


def problems(url: str, network: Network, counts: Counter[str]) -> Iterator[str]:
    """All contradictions about the battles of a storm, whose states are counted.

    ``network`` is what decides them: its key tells whether a signature is that of the round.
    """
    session = requests.Session()

    def read(path: str) -> bytes:
        answer = session.get(url + path, timeout=30)
        answer.raise_for_status()
        return answer.content

    logged = LoggedBattles(log_entries(lambda path: read(f"/log/{path}")))
    yield from logged.problems
    stored = _battles()
    for public_id, round_ in stored:
        battle = session.get(f"{url}/battles/{public_id}", timeout=30).json()
        reason = f", {battle['reason']}" if battle["state"] == "void" else ""
        counts[f"battle, {battle['state']}{reason}"] += 1
        found = list(contradictions(battle, logged, lambda hash_: read(f"/snapshots/{hash_}")))
        if battle["state"] == "settled" and battle["signature"] != network.sign(round_):
            found.append("its signature is not that of its round")
        if battle["state"] in ("open", "locked"):
            found.append(f"it is still {battle['state']}")
        yield from (f"battle {public_id}: {line}" for line in found)
    names = {hashlib.sha256(public_id.encode()).hexdigest() for public_id, _ in stored}
    if unknown := logged.locks.keys() - names:
        yield f"the log has {len(unknown)} battles that are not in the database"


@reading()
def _battles() -> list[tuple[str, int]]:
    return list(Battle.select(Battle.public_id, Battle.round).order_by(Battle.id).tuples())


@reading()
def _count(state: State) -> int:
    return int(Battle.select().where(Battle.state == state).count())
