"""Demo bets, so that the live bets and the leaderboard of a fresh database are not empty.

They are settled like all other bets, and pass both audits.
"""

from functools import partial
from pathlib import Path
from typing import Any

from models.bets import Bet
from models.db.connection import reading
from models.users import User
from services.accounts import users
from services.fairness.server_seeds import ServerSeeds
from services.games.proofs import Proofs
from services.shared import decimal_json
from services.shared.clock import Millis
from services.shared.errors import PlatformError, UserNotFound
from services.shared.money import Cents
from services.upgrader.spin import SpinRequest, Upgrader

FILE = Path(__file__).parent / "bets.json"

FIRST_PLATFORM_ID = 76561190000000101
BALANCE = Cents(1_000_00)
INTERVAL_MS = 75_000
"""Time between two bets. The last one is over when the command ends."""


def play(*, upgrader: Upgrader, proofs: Proofs, seeds: ServerSeeds, now: Millis) -> int:
    """Play the demo bets if nobody has bet yet; returns how many were settled.

    A bet that is refused is left out: an operator may have changed the price of its item.
    """
    with reading():
        if Bet.select().exists():
            return 0
    content: Any = decimal_json.loads(FILE.read_bytes())
    bets = content["bets"]
    began = Millis(now - upgrader.rules.proof_delay - len(bets) * INTERVAL_MS)
    players = {
        row["username"]: _player(FIRST_PLATFORM_ID + number, row, seeds=seeds, now=began)
        for number, row in enumerate(content["players"])
    }
    settled = []
    for number, row in enumerate(bets, start=1):
        request = SpinRequest(amount=row["wager"], item=row["item"])
        clock = partial(Millis, began + number * INTERVAL_MS)
        try:
            spin = upgrader.play(user_id=players[row["player"]].id, request=request, clock=clock)
        except PlatformError:
            continue
        settled.append(spin.bet.id)
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
