"""Proofs that several processes deliver from one database.

One process claims each bet that is due: it reveals the seed and announces the live bet. It holds the proof
while it sends it to the socket that placed the bet, if that is connected to it; any other proof is sent by
each process with sockets of the player.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from models import proof_claims, proof_queries
from models.db.connection import reading, writing
from models.proof_claims import Opened, UndeliveredBet
from services.fairness.server_seeds import ServerSeeds
from services.games.proofs import Proof, proof_of
from services.shared.clock import Millis
from services.shared.processes import Processes


@dataclass(frozen=True, kw_only=True)
class Claim:
    """The proofs of all bets that were to be claimed, and the ids of those that this process has claimed."""

    proofs: list[Proof]
    claimed: set[int]


@dataclass(frozen=True, kw_only=True)
class Undelivered:
    """Proofs to send, in the order of each player's nonces, and the players who must wait for more.

    An earlier proof of these players is due, and no process has revealed it yet.
    """

    bets: list[UndeliveredBet]
    waiting: set[int]


class SharedProofs:
    """Claims bets and finds undelivered proofs, for one of several processes. PostgreSQL only."""

    def __init__(self, *, seeds: ServerSeeds, processes: Processes) -> None:
        self._seeds = seeds
        self._processes = processes

    def claim(self, bet_ids: Sequence[int], *, held: Collection[int]) -> Claim:
        """Reveal the seeds of these bets, which are due, and claim those that no other process has claimed.

        This process holds the proofs of the bets in ``held``. The seeds are committed on return.
        """
        with reading():
            bets = proof_queries.find(bet_ids)
        # Outside of a transaction: the mark must be committed before its file is written.
        self._seeds.witness.cover({bet.user_id: bet.nonce for bet in bets if bet.server_seed is None})
        seeds = {bet.id: self._seeds.of_bet(bet) for bet in bets}
        me = self._processes.id
        with writing():
            claimed = proof_claims.claim(
                {bet_id: Opened(seed, me if bet_id in held else 0) for bet_id, seed in seeds.items()}
            )
        return Claim(proofs=[proof_of(bet, server_seed=seeds[bet.id]) for bet in bets], claimed=claimed)

    def release(self, bet_ids: Iterable[int]) -> set[int]:
        """Stop holding these proofs; returns the players to whom they are not delivered."""
        with writing():
            return proof_claims.release(bet_ids)

    @reading()
    def overdue(self, *, before: Millis, limit: int) -> list[int]:
        """The bets that were due at this time and whose seeds nobody has revealed, oldest first."""
        return proof_claims.overdue(before=before, limit=limit)

    @reading()
    def undelivered(
        self, user_ids: Iterable[int], *, now: Millis, held_here: Sequence[int] = (), held_too: bool = False
    ) -> Undelivered:
        """The revealed proofs of these players that are not delivered, up to the first that is not revealed.

        Those that other live processes hold are left out, unless ``held_too``.
        """
        to_send: list[UndeliveredBet] = []
        waiting: set[int] = set()
        for bet in proof_claims.undelivered(user_ids, now=now, held_here=held_here, held_too=held_too):
            if not bet.is_revealed:
                waiting.add(bet.user_id)
            elif bet.user_id not in waiting:
                to_send.append(bet)
        return Undelivered(bets=to_send, waiting=waiting)
