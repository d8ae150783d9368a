"""Proofs: the server seed of a bet is revealed when the bet is due, and is sent to its player at least once.

The time a proof is due is stored with the bet, so nothing here needs to survive a restart. A seed that was
revealed stays revealed, although the clock is set back afterwards.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import peewee

from models import proof_queries
from models.bets import Bet
from models.db.connection import reading, writing
from models.proof_queries import DueBet
from services.fairness.server_seeds import ServerSeeds
from services.games.live_bets import LiveBet, live_bet
from services.shared.clock import Millis

BATCH = 500

Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True)
class Proof:
    """The revealed seed of a bet that is due, and the bet as the public feed shows it."""

    bet_id: int
    user_id: int
    game: str
    snapshot: str | None
    """The hash of the snapshot of an opening."""
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
        # Bets whose seeds are revealed but not written to the database yet.
        self._unwritten: set[int] = set()

    @reading()
    def pending(self) -> list[tuple[int, Millis]]:
        """The bets whose seeds are not revealed, and when they are due, earliest first."""
        unrevealed: Any = Bet.select(Bet.id, Bet.completed_at_ms).where(Bet.server_seed.is_null())
        return list(unrevealed.order_by(Bet.completed_at_ms, Bet.id).tuples())

    def open(self, bet_ids: Sequence[int]) -> list[Proof]:
        """The proofs of these bets, which are due, in the order of the bets.

        Nothing is written: ``mark_delivered`` or ``write_seeds`` does that for many at once. Until then only
        this process knows that these seeds are revealed.
        """
        proofs: list[Proof] = []
        for chunk in peewee.chunked(sorted(bet_ids), BATCH):
            with reading():
                bets = proof_queries.find(chunk)
            self._seeds.witness.cover({bet.user_id: bet.nonce for bet in bets if bet.server_seed is None})
            for bet in bets:
                seed = self._seeds.of_bet(bet)
                if bet.server_seed is None:
                    self._unwritten.add(bet.id)
                proofs.append(proof_of(bet, server_seed=seed))
        return proofs

    def write_seeds(self, seeds: Mapping[int, str]) -> None:
        """Write opened seeds to the database, by the ids of their bets. Doing it again changes nothing."""
        for chunk in _chunks(seeds):
            with writing():
                proof_queries.reveal(chunk)
            self._unwritten.difference_update(chunk)

    def postpone(self, due_times: Mapping[int, Millis]) -> None:
        """Write the due times of proofs whose settlement took long, by the ids of their bets."""
        for chunk in _chunks(due_times):
            with writing():
                proof_queries.postpone(chunk)

    def reveal(self, bet_ids: Sequence[int]) -> None:
        """Reveal the seeds of these bets, whose proofs are due, and write them to the database."""
        self.write_seeds({proof.bet_id: proof.server_seed for proof in self.open(bet_ids)})

    def reveal_due(self, *, user_id: int, now: Millis) -> None:
        """Reveal the seeds of this player's bets that are due and not revealed yet."""
        with reading():
            query = Bet.select(Bet.id).where(
                Bet.server_seed.is_null(), Bet.completed_at_ms <= now, Bet.user == user_id
            )
            due = list(query.scalars())
        self.reveal(due)

    def visible_server_seed(self, bet: Bet, *, now: Millis) -> str:
        """The bet's server seed; empty until its proof is due."""
        if bet.server_seed is None and bet.completed_at_ms > now and bet.id not in self._unwritten:
            return ""
        if bet.server_seed is None:
            user_id: int = bet.user_id  # type: ignore[attr-defined]  # made by peewee
            self._seeds.witness.cover({user_id: bet.nonce})
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

    def mark_delivered(self, seeds: Mapping[int, str], *, now: Millis) -> None:
        """Mark proofs as delivered, by the ids of their bets, and write their seeds in the same statement."""
        for chunk in _chunks(seeds):
            with writing():
                proof_queries.mark_delivered(chunk, delivered_at=now)
            self._unwritten.difference_update(chunk)


def _chunks(values: Mapping[int, Value]) -> Iterator[dict[int, Value]]:
    """Yield the values in the order of their bets, so that two writers do not deadlock."""
    for chunk in peewee.chunked(sorted(values.items()), BATCH):
        yield dict(chunk)


def proof_of(bet: DueBet, *, server_seed: str) -> Proof:
    """The proof of a bet with this seed."""
    return Proof(
        bet_id=bet.id,
        user_id=bet.user_id,
        game=bet.game,
        snapshot=bet.snapshot,
        nonce=bet.nonce,
        client_seed=bet.client_seed,
        server_seed_commitment=bet.server_seed_commitment,
        server_seed=server_seed,
        is_delivered=bet.proof_delivered_at_ms is not None,
        live_bet=live_bet(bet, player=bet),
    )
