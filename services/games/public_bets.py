"""A bet as anybody may see it: the link that a player shares."""

from collections.abc import Callable
from typing import Any

from peewee import JOIN

from models.bets import Bet
from models.db.connection import reading
from models.snapshots import Snapshot
from models.users import User
from services.games import snapshots
from services.games.proofs import Proofs
from services.games.snapshots import Content
from services.shared.clock import Millis
from services.shared.errors import BetNotFound


def get(*, bet_id: int, proofs: Proofs, clock: Callable[[], Millis]) -> tuple[Bet, Content | None]:
    """The bet of any player with its player and its revealed seed, and what was in the case of an opening.

    Raises BetNotFound, also while its proof is not due.
    """
    with reading():
        bet: Any = (
            Bet.select(Bet, User.username, Snapshot.hash, Snapshot.content)
            .join(User)
            .switch(Bet)
            .join(Snapshot, JOIN.LEFT_OUTER)
            .where(Bet.id == bet_id)
            .first()
        )
    if bet is None:
        raise BetNotFound
    # Kept on the object alone: the delivery of proofs writes revealed seeds.
    bet.server_seed = proofs.visible_server_seed(bet, now=clock())
    if not bet.server_seed:
        raise BetNotFound
    return bet, snapshots.parse(bet.snapshot.content) if bet.snapshot else None
