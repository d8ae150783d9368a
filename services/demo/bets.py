"""Demo bets, so that the live bets and the leaderboard of a fresh database are not empty.

They are settled like all other bets, and pass both audits.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from models.bets import Bet
from models.db.connection import reading
from models.users import User
from services.accounts import users
from services.fairness.server_seeds import ServerSeeds
from services.games.play import Clock
from services.games.proofs import Proofs
from services.openings.opening import OpeningRequest, Openings
from services.shared import decimal_json
from services.shared.clock import Millis
from services.shared.errors import PlatformError, UserNotFound
from services.shared.money import Cents
from services.upgrader.spin import SpinRequest, Upgrader

FILE = Path(__file__).parent / "bets.json"

FIRST_PLATFORM_ID = 76561190000000101
BALANCE = Cents(1_000_00)
INTERVAL_MS = 75_000
"""Time between two bets. The proof of the last one is due when the command ends."""


@dataclass(frozen=True, kw_only=True)
class Games:
    """The services that play the bets."""

    upgrader: Upgrader
    case_openings: Openings
    irl_openings: Openings

    def play(self, row: dict[str, Any], *, user_id: int, clock: Clock) -> Bet:
        """Play one row of the file. Raises the refusals of its game."""
        if "item" in row:
            spin = SpinRequest(amount=row["wager"], item=row["item"])
            return self.upgrader.play(user_id=user_id, request=spin, clock=clock).bet
        openings, case = (
            (self.case_openings, row["case"]) if "case" in row else (self.irl_openings, row["irlCase"])
        )
        opening = OpeningRequest(event=f"{openings.game}:open", case=case)
        return openings.play(user_id=user_id, request=opening, clock=clock).bet


def play(*, games: Games, proofs: Proofs, seeds: ServerSeeds, now: Millis) -> int:
    """Play the demo bets if nobody has bet yet; returns how many were settled.

    A bet that is refused is left out: an operator may have changed a price or deleted a case.
    """
    with reading():
        if Bet.select().exists():
            return 0
    content: Any = decimal_json.loads(FILE.read_bytes())
    bets = content["bets"]
    began = Millis(now - games.upgrader.rules.proof_delay - len(bets) * INTERVAL_MS)
    players = {
        row["username"]: _player(FIRST_PLATFORM_ID + number, row, seeds=seeds, now=began)
        for number, row in enumerate(content["players"])
    }
    settled = []
    for number, row in enumerate(bets, start=1):
        clock = partial(Millis, began + number * INTERVAL_MS)
        try:
            settled.append(games.play(row, user_id=players[row["player"]].id, clock=clock).id)
        except PlatformError:
            continue
    # Nobody is going to receive these proofs.
    revealed = {proof.bet_id: proof.server_seed for proof in proofs.open(settled)}
    proofs.mark_delivered(revealed, now=now)
    return len(settled)


def _player(platform_id: int, row: dict[str, Any], *, seeds: ServerSeeds, now: Millis) -> User:
    try:
        return users.get(platform_id=str(platform_id))
    except UserNotFound:
        return users.create(
            platform_id=str(platform_id),
            username=row["username"],
            avatar=row["avatar"],
            balance=BALANCE,
            seeds=seeds,
            now=now,
        )
