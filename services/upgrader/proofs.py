"""Proofs: when a bet is over its server seed is revealed for good, and sent to its player at least once.

The time a proof is due is stored with the bet, so nothing here needs to survive a restart. A seed that is
out stays so, whatever the clock says afterwards: the bet may be of a clock that was ahead.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import peewee

from models import proof_queries
from models.bets import Bet
from models.database import reading, writing
from models.proof_queries import DueBet
from services.clock import Millis
from services.live_bets import LiveBet, live_bet
from services.server_seeds import ServerSeeds

BATCH = 500


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What proves a bet fair, now that it is over, and what everybody may see of it."""

    bet_id: int
    user_id: int
    nonce: int
    client_seed: str
    server_seed_commitment: str
    server_seed: str = field(repr=False)
    is_delivered: bool
    live_bet: LiveBet


class Proofs:
    """Reveals server seeds and remembers which proofs have reached their players."""

    def __init__(self, *, seeds: ServerSeeds) -> None:
        self._seeds = seeds
        # Bets whose seeds are revealed and not written to the database yet.
        self._out: set[int] = set()

    @reading()
    def pending(self) -> list[tuple[int, Millis]]:
        """The bets whose seeds are still sealed, and when they are due. At start: the ones to schedule."""
        sealed: Any = Bet.select(Bet.id, Bet.completed_at_ms).where(Bet.server_seed.is_null())
        return list(sealed.order_by(Bet.completed_at_ms, Bet.id).tuples())

    def open(self, bet_ids: Sequence[int]) -> list[Proof]:
        """The proofs of these bets, which are due, in the order of the bets.

        Nothing is written: ``mark_delivered`` or ``write_down`` does that for many at once. Until then only
        this process knows that these seeds are revealed.
        """
        proofs: list[Proof] = []
        for chunk in peewee.chunked(sorted(bet_ids), BATCH):
            with reading():
                bets = proof_queries.find(chunk)
            self._seeds.witness.cover([bet.id for bet in bets if bet.server_seed is None])
            for bet in bets:
                seed = self._seeds.of_bet(bet)
                if bet.server_seed is None:
                    self._out.add(bet.id)
                proofs.append(_proof(bet, server_seed=seed))
        return proofs

    def write_down(self, proofs: Sequence[Proof]) -> None:
        """Write these seeds to the database, revealed. Doing it twice changes nothing."""
        for seeds in self._chunks(proofs):
            with writing():
                proof_queries.reveal(seeds)
            self._forget(seeds)

    def reveal(self, bet_ids: Sequence[int]) -> None:
        """Open the seeds of these bets, whose proofs are due, for good."""
        self.write_down(self.open(bet_ids))

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
        if bet.server_seed is None and bet.completed_at_ms > now and bet.id not in self._out:
            return ""
        if bet.server_seed is None:
            self._seeds.witness.cover([bet.id])
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

    def mark_delivered(self, seeds: Mapping[int, str | None], *, now: Millis) -> None:
        """Mark proofs as delivered, by the ids of their bets.

        A seed that is not in the database yet is given with its bet, and written by the same statement; None
        leaves the seed as it is.
        """
        for chunk in peewee.chunked(sorted(seeds.items()), BATCH):
            marked = dict(chunk)
            with writing():
                proof_queries.mark_delivered(marked, delivered_at=now)
            self._forget(marked)

    def _chunks(self, proofs: Sequence[Proof]) -> Iterator[dict[int, str]]:
        """Seeds by the ids of their bets, always in the same order so that two writers do not deadlock."""
        ordered = sorted(proofs, key=lambda proof: proof.bet_id)
        for chunk in peewee.chunked(ordered, BATCH):
            yield {proof.bet_id: proof.server_seed for proof in chunk}

    def _forget(self, written: Iterable[int]) -> None:
        self._out.difference_update(written)


def _proof(bet: DueBet, *, server_seed: str) -> Proof:
    return Proof(
        bet_id=bet.id,
        user_id=bet.user_id,
        nonce=bet.nonce,
        client_seed=bet.client_seed,
        server_seed_commitment=bet.server_seed_commitment,
        server_seed=server_seed,
        is_delivered=bet.proof_delivered_at_ms is not None,
        live_bet=live_bet(bet, player=bet),
    )
