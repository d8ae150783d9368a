"""Proofs: the server seed of a bet is revealed when the bet is due, and is sent to its player at least once.

The row of the bet has everything, so nothing here needs to survive a restart. A process claims a proof before
it sends it. From then on its seed counts as revealed, although the clock is set back afterwards.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import peewee

from models import proof_queries
from models.bets import Bet
from models.db.connection import reading
from models.proof_queries import Proof, UndeliveredBet
from services.bets.seeds import ServerSeeds
from services.log.bet_log import BetLog
from services.shared.clock import Millis

BATCH = 500


class Proofs:
    """Claims and releases proofs of this process, and reveals server seeds."""

    def __init__(self, *, seeds: ServerSeeds, bet_log: BetLog, process_id: Callable[[], int]) -> None:
        self._seeds = seeds
        self.bet_log = bet_log
        self._process_id = process_id
        # Holds what this process claims while it is not in the list of processes. It is never live.
        self._unlisted = -1 - secrets.randbelow(2**31 - 1)

    def undelivered(self, players: Mapping[int, bool]) -> list[UndeliveredBet]:
        """The undelivered bets of these players: see ``proof_queries.undelivered``."""
        return proof_queries.undelivered(players, process=self._process)

    def claim(self, holders: Mapping[int, int | None]) -> list[Proof]:
        """Claim these bets from the holders that they were found with; None is for a bet without one.

        Returns those that this process holds now, in the order of their ids, with their server seeds, which
        are empty if no key decrypts them. Doing it again returns them again. Must not be called within a
        transaction.
        """
        # Appending takes time, so it comes first: a process that is killed meanwhile holds nothing.
        self.bet_log.cover(holders)
        bets = proof_queries.claim(holders, process=self._process)
        # Once more, because the database may have been set back meanwhile.
        self.bet_log.cover([bet.id for bet in bets if not bet.server_seed])
        return [bet._replace(server_seed=self._seeds.of_bet(bet)) for bet in bets]

    def release(self, seeds: Mapping[int, str]) -> None:
        """Let any process send these proofs, unless another one has claimed them. By the ids of the bets."""
        proof_queries.release(seeds, process=self._process)

    def reveal(self, bet_ids: Iterable[int]) -> dict[int, str]:
        """Write the seeds of these bets, which are due; returns them, except those that no key decrypts."""
        seeds: dict[int, str] = {}
        for chunk in peewee.chunked(bet_ids, BATCH):
            with reading():
                bets: list[Any] = list(Bet.select().where(Bet.id.in_(chunk)).order_by(Bet.id))
            self.bet_log.cover([bet.id for bet in bets])
            seeds |= {bet.id: seed for bet in bets if (seed := self._seeds.of_bet(bet))}
        proof_queries.reveal(seeds)
        return seeds

    def reveal_due(self, *, user_id: int, now: Millis) -> None:
        """Write the seeds of this player's bets that are due and not revealed yet."""
        is_due = (Bet.proof_due_at_ms <= now) | Bet.proof_held_by.is_null(False)
        unrevealed = (Bet.user == user_id) & Bet.proof_delivered_at_ms.is_null() & Bet.server_seed.is_null()
        with reading():
            due = list(Bet.select(Bet.id).where(unrevealed, is_due).scalars())
        self.reveal(due)

    def visible_server_seed(self, bet: Bet, *, now: Millis, is_logged: bool = False) -> str:
        """The bet's server seed; empty until its proof is due.

        ``is_logged`` says that the bet is known to be in the checkpoint of this machine.
        """
        if bet.server_seed is None and bet.proof_held_by is None and bet.proof_due_at_ms > now:
            return ""
        if bet.server_seed is None and not is_logged:
            self.bet_log.cover([bet.id])
        return self._seeds.of_bet(bet)

    @property
    def _process(self) -> int:
        return self._process_id() or self._unlisted
