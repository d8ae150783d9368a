"""Proofs: the server seed of a bet is revealed when the bet is due, and is sent to its player at least once.

The time a proof is due is stored with the bet, so nothing here needs to survive a restart. A seed that was
revealed stays revealed, although the clock is set back afterwards.

With several processes, one of them claims each bet that is due: it reveals the seed and announces the live
bet. It holds the proof while it sends it to the socket that placed the bet, if that is connected to it; any
other proof is sent by each process with sockets of the player.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import peewee

from models import proof_queries
from models.bets import Bet
from models.db.connection import reading
from models.proof_queries import DueBet, UndeliveredBet
from services.fairness.server_seeds import ServerSeeds
from services.shared.clock import Millis

BATCH = 500

Value = TypeVar("Value")


class Proof(DueBet):
    """A bet that is due, with its revealed seed."""

    server_seed: str


@dataclass(frozen=True, kw_only=True)
class Undelivered:
    """Proofs to send, in the order of each player's nonces."""

    bets: list[UndeliveredBet]
    waiting: set[int]
    """The players who must wait for more: an earlier proof is due, and no process has revealed it yet."""
    unfinished: dict[int, int]
    """The players who have more than fit in one answer, with the nonces after which these begin."""


class Proofs:
    """Reveals server seeds and remembers which proofs have reached their players."""

    def __init__(self, *, seeds: ServerSeeds, process_id: Callable[[], int]) -> None:
        self._seeds = seeds
        self._process_id = process_id
        # Bets whose seeds are revealed but not written to the database yet.
        self._unwritten: set[int] = set()

    @reading()
    def pending(self, *, due_by: Millis | None) -> list[tuple[int, Millis]]:
        """The bets whose seeds are not revealed, and when they are due, earliest first.

        With ``due_by`` only those that are due by then.
        """
        unrevealed: Any = Bet.select(Bet.id, Bet.completed_at_ms).where(Bet.server_seed.is_null())
        if due_by is not None:
            unrevealed = unrevealed.where(Bet.completed_at_ms <= due_by)
        return list(unrevealed.order_by(Bet.completed_at_ms, Bet.id).tuples())

    def open(self, bet_ids: Sequence[int]) -> list[Proof]:
        """The proofs of these bets, which are due, in the order of the bets.

        Nothing is written: ``mark_delivered`` or ``write_seeds`` does that for many at once. Until then only
        this process knows that these seeds are revealed.
        """
        proofs: list[Proof] = []
        for chunk in peewee.chunked(sorted(bet_ids), BATCH):
            proofs += self._decrypted(chunk)
        self._unwritten.update(proof.id for proof in proofs if proof.sealed_server_seed is not None)
        return proofs

    def write_seeds(self, seeds: Mapping[int, str]) -> None:
        """Write opened seeds to the database, by the ids of their bets. Doing it again changes nothing."""
        for chunk in _chunks(seeds):
            proof_queries.reveal(chunk)
            self._unwritten.difference_update(chunk)

    def postpone(self, due_times: Mapping[int, Millis]) -> None:
        """Write the due times of proofs whose settlement took long, by the ids of their bets."""
        for chunk in _chunks(due_times):
            proof_queries.postpone(chunk)

    def reveal(self, bet_ids: Sequence[int]) -> None:
        """Reveal the seeds of these bets, whose proofs are due, and write them to the database."""
        self.write_seeds({proof.id: proof.server_seed for proof in self.open(bet_ids)})

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
    def undelivered(self, user_ids: Collection[int], *, now: Millis) -> list[tuple[int, int]]:
        """The bets whose due proofs have not reached these players, and their players, oldest first."""
        is_due = (Bet.completed_at_ms <= now) | Bet.server_seed.is_null(False)
        is_undelivered = Bet.user.in_(list(user_ids)) & Bet.proof_delivered_at_ms.is_null()
        query: Any = Bet.select(Bet.id, Bet.user).where(is_undelivered, is_due).order_by(Bet.user, Bet.nonce)
        return list(query.tuples())

    def mark_delivered(self, seeds: Mapping[int, str], *, now: Millis) -> None:
        """Mark proofs as delivered, by the ids of their bets, and write their seeds in the same statement."""
        for chunk in _chunks(seeds):
            proof_queries.mark_delivered(chunk, delivered_at=now)
            self._unwritten.difference_update(chunk)

    def claim(self, bet_ids: Sequence[int], *, held: Collection[int]) -> list[Proof]:
        """Claim those of these bets, which are due, that no other process has claimed; returns their proofs.

        Only for one of several processes, on PostgreSQL. This one holds the proofs of the bets in ``held``.
        The seeds are committed on return.
        """
        proofs = self._decrypted(bet_ids)
        seeds = {proof.id: proof.server_seed for proof in proofs}
        claimed = proof_queries.claim(seeds, held=held, by=self._process_id())
        return [proof for proof in proofs if proof.id in claimed]

    def release(self, bet_ids: Collection[int]) -> set[int]:
        """Let every process send the proofs of these bets; returns the players who still miss one."""
        self._unwritten.difference_update(bet_ids)
        return proof_queries.release(bet_ids)

    def deliverable(self, after: Mapping[int, int], *, now: Millis, held_here: Sequence[int]) -> Undelivered:
        """The revealed proofs of these players that are not delivered, up to the first that is not revealed.

        ``after`` has the nonce of each player after which to begin. Only for one of several processes, on
        PostgreSQL. Those that other live processes hold are left out.
        """
        to_send: list[UndeliveredBet] = []
        waiting: set[int] = set()
        found = proof_queries.undelivered(after, now=now, held_here=held_here)
        for bet in found:
            if not bet.is_revealed:
                waiting.add(bet.user_id)
            elif bet.user_id not in waiting:
                to_send.append(bet)
        numbers = Counter(bet.user_id for bet in found)
        full = {user_id for user_id, number in numbers.items() if number == proof_queries.MOST_OF_A_PLAYER}
        unfinished = {bet.user_id: bet.nonce for bet in to_send if bet.user_id in full - waiting}
        return Undelivered(bets=to_send, waiting=waiting, unfinished=unfinished)

    def _decrypted(self, bet_ids: Sequence[int]) -> list[Proof]:
        """The proofs of these bets, except those that no key decrypts.

        Must not be called within a transaction, because of ``cover``.
        """
        bets = proof_queries.find(bet_ids)
        self._seeds.witness.cover({bet.user_id: bet.nonce for bet in bets if bet.server_seed is None})
        proofs = [Proof._make(bet._replace(server_seed=self._seeds.of_bet(bet))) for bet in bets]
        return [proof for proof in proofs if proof.server_seed]


def _chunks(values: Mapping[int, Value]) -> Iterator[dict[int, Value]]:
    """Yield the values in the order of their bets, so that two writers do not deadlock."""
    for chunk in peewee.chunked(sorted(values.items()), BATCH):
        yield dict(chunk)
