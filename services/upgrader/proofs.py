"""Proofs: when a bet is over its server seed is revealed for good, and sent to its player at least once.

The time a proof is due is stored with the bet, so nothing here needs to survive a restart. A seed that has
been revealed stays so, whatever the clock says afterwards: the bet may be of a clock that was ahead.
"""

from collections.abc import Iterable, Sequence

import peewee

from models.bets import Bet
from models.database import reading, writing
from models.users import User
from services.clock import Millis
from services.server_seeds import ServerSeeds

BATCH = 500


class Proofs:
    """Reveals server seeds and remembers which proofs have reached their players."""

    def __init__(self, *, seeds: ServerSeeds) -> None:
        self._seeds = seeds

    @reading()
    def pending(self) -> list[Bet]:
        """Bets whose seed is still sealed, by the time they are due. At start: the ones to schedule."""
        return list(Bet.select().where(Bet.server_seed.is_null()).order_by(Bet.completed_at_ms, Bet.id))

    def reveal(self, bet_ids: Sequence[int]) -> list[Bet]:
        """Open the seeds of these bets, whose proofs are due, for good; the bets in the order of their ids.

        Doing it again, here or in another process, changes nothing. Players come loaded with the bets.
        """
        revealed: list[Bet] = []
        for chunk in peewee.chunked(sorted(bet_ids), BATCH):
            with writing():
                bets = list(
                    Bet.select(Bet, User.username, User.avatar, User.id)
                    .join(User)
                    .where(Bet.id.in_(chunk))
                    .order_by(Bet.id)
                )
                self._open([bet for bet in bets if bet.server_seed is None])
            revealed += bets
        return revealed

    def reveal_due(self, *, user_id: int, now: Millis) -> None:
        """Open what is due of this player's and still sealed; nearly always nothing."""
        with reading():
            query = Bet.select(Bet.id).where(
                Bet.server_seed.is_null(), Bet.completed_at_ms <= now, Bet.user == user_id
            )
            due = list(query.scalars())
        self.reveal(due)

    def visible_server_seed(self, bet: Bet, *, now: Millis) -> str:
        """The bet's server seed; empty until its proof is due."""
        if bet.server_seed is None and bet.completed_at_ms > now:
            return ""
        return self._seeds.of_bet(bet)

    @reading()
    def undelivered(self, *, user_id: int, now: Millis) -> list[int]:
        """The ids of the player's bets whose due proof has not reached them, oldest first."""
        is_due = (Bet.completed_at_ms <= now) | Bet.server_seed.is_null(False)
        query = (
            Bet.select(Bet.id)
            .where(Bet.user == user_id, Bet.proof_delivered_at_ms.is_null(), is_due)
            .order_by(Bet.nonce)
        )
        return list(query.scalars())

    def mark_delivered(self, bet_ids: Iterable[int], *, now: Millis) -> None:
        """Remember that these proofs have reached their player."""
        self._mark(bet_ids, now)

    def mark_undelivered(self, bet_ids: Iterable[int]) -> None:
        """Take that back: their socket turns out to have been dead."""
        self._mark(bet_ids, None)

    def _mark(self, bet_ids: Iterable[int], at: Millis | None) -> None:
        for chunk in peewee.chunked(sorted(bet_ids), BATCH):
            with writing():
                Bet.update(proof_delivered_at_ms=at).where(Bet.id.in_(chunk)).execute()

    def _open(self, sealed: Sequence[Bet]) -> None:
        for bet in sealed:
            bet.server_seed = self._seeds.of_bet(bet)
        if sealed:
            opened = peewee.ValuesList([(bet.id, bet.server_seed) for bet in sealed]).alias("opened")
            Bet.update(server_seed=opened.c.column2, sealed_server_seed=None).from_(opened).where(
                Bet.id == opened.c.column1, Bet.server_seed.is_null()
            ).execute()
