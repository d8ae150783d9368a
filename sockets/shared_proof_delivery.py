"""Delivers proofs when several processes share the database.

A process claims the bets that are due, which reveals their seeds, and commits that before it announces or
sends anything. It sends to its own sockets. A signal tells the other processes whose players have proofs;
since a signal may be lost, each process also looks up its connected players' proofs every two seconds.
"""

import time
from collections import deque
from collections.abc import Iterable
from itertools import islice

import peewee

from server.cluster import cluster
from server.realtime.server import Realtime
from services.container import Services
from services.games.proofs import Proof
from services.shared.background import in_slices, pause
from services.shared.clock import Millis
from services.shared.signals import Signal
from sockets.live_feed import LiveFeed
from sockets.proof_delivery import PLAYERS_AT_ONCE, PROOFS_AT_ONCE, ProofDelivery

OVERDUE_MS = 2_000
"""A bet that is later than this is claimed by any process, since its own has stopped or is slow."""

BEFORE_START_MS = 10_000
"""Bets that were due longer than this before the start are not announced: each new socket gets a list."""


class SharedProofDelivery(ProofDelivery):
    """The proof delivery of one of several processes."""

    def __init__(self, running: Realtime, services: Services, live_feed: LiveFeed) -> None:
        super().__init__(running, services, live_feed)
        self._proofs = self._services.proofs
        self._started_at = time.monotonic()
        # Proofs that only this process sends, with the sockets that placed the bets, by the ids of the bets.
        self._held: dict[int, tuple[Proof, str]] = {}
        # Players, and the nonces after which they may have undelivered proofs.
        self._players: deque[tuple[int, int]] = deque()
        # Bets whose sockets have ended.
        self._lost: deque[int] = deque()
        self.look_up_seconds = cluster.ROUND_SECONDS

    def left(self, sid: str) -> None:
        """Let all processes send what this socket did not confirm, and what waits to be sent to it."""
        self._lost.extend(self._unconfirmed.socket_gone(sid))
        self._lost.extend(bet_id for bet_id, (_, asking) in list(self._held.items()) if asking == sid)

    @property
    def overdue(self) -> int:
        """How many proofs wait to be sent although they are due. It is 0 most of the time."""
        return super().overdue + len(self._held)

    def _look_up(self) -> None:
        """Note all connected players, and find the overdue bets of all processes."""
        self.note_players(self._connections.players())
        overdue = self._proofs.pending(due_by=Millis(self._services.clock() - OVERDUE_MS))
        for bet_id, _ in in_slices(overdue, PROOFS_AT_ONCE):
            self._due.setdefault(bet_id, None)

    def _send_due(self) -> None:
        self._claim_due()
        self._release_lost()
        self._send_to_players()

    def _leave_unconfirmed(self) -> None:
        """Leave unsent and unconfirmed proofs to the other processes."""
        self._lost.extend(self._held)
        self._lost.extend(self._unconfirmed.seeds())
        self._release_lost()

    def _claim_due(self) -> None:
        """Claim the bets that are due, note whose proofs are to be sent, and announce what was claimed.

        If the database fails, the next round tries again.
        """
        while self._due and not self.rounds.stopping.is_set():
            chunk = dict(islice(self._due.items(), PROOFS_AT_ONCE))
            asking = {bet_id: sid for bet_id, sid in chunk.items() if sid and self._is_connected(sid)}
            claimed = self._proofs.claim(list(chunk), held=asking.keys())
            for bet_id in chunk:
                del self._due[bet_id]
            held = {proof.id: (proof, asking[proof.id]) for proof in claimed if proof.id in asking}
            self._held |= held
            self._tell_all(proof.user_id for proof in claimed if proof.id not in held)
            # Not a time of the start: until it was compared with the database's, the clock may be wrong.
            running_ms = (time.monotonic() - self._started_at) * 1000
            announced_since = self._services.clock() - running_ms - BEFORE_START_MS
            self._live_feed.announce([bet for bet in claimed if bet.completed_at_ms >= announced_since])
            pause()

    def _release_lost(self) -> None:
        """Stop holding the proofs of sockets that have ended. Their players' other sockets get them."""
        if self._lost:
            lost = list(self._lost)
            players = self._proofs.release(lost)
            for bet_id in lost:
                self._lost.popleft()
                self._held.pop(bet_id, None)
            self._tell_all(players)

    def note_players(self, user_ids: Iterable[int]) -> None:
        self._players.extend((user_id, 0) for user_id in user_ids)

    def _tell_all(self, user_ids: Iterable[int]) -> None:
        """Note players who have proofs that no process holds, here and in the other processes."""
        players = sorted(set(user_ids))
        self.note_players(players)
        if players:
            self._services.signals.publish(Signal.PROOFS, players)

    def _send_to_players(self) -> None:
        """Send undelivered proofs to the sockets that placed the bets, or else to all of their players'.

        When the database fails, the players are forgotten until the next time all are looked up.
        """
        noted = sorted((self._players.popleft() for _ in range(len(self._players))), reverse=True)
        # Of a player who was noted several times, the lowest nonce.
        after = {user_id: nonce for user_id, nonce in noted if self._connections.sids_of(user_id)}
        for proof, _ in self._held.values():
            after.setdefault(proof.user_id, 0)
        for some in map(dict, peewee.chunked(after.items(), PLAYERS_AT_ONCE)):
            now = self._services.clock()
            found = self._proofs.deliverable(some, now=now, held_here=list(self._held))
            self._send_in_order([bet.id for bet in found.bets])
            done = set(some) - found.waiting - found.unfinished.keys()
            self._players.extend(found.unfinished.items())
            sent = {bet.id for bet in found.bets}
            for bet_id, (proof, _) in list(self._held.items()):
                if bet_id in sent or proof.user_id in done:
                    del self._held[bet_id]

    def _send_in_order(self, bet_ids: Iterable[int]) -> None:
        """Send held proofs to the sockets that placed the bets, and the others to all of their players'."""
        new = [bet_id for bet_id in bet_ids if bet_id in self._held or bet_id not in self._unconfirmed]
        for some in peewee.chunked(new, PROOFS_AT_ONCE):
            to_find = [bet_id for bet_id in some if bet_id not in self._held]
            found = {proof.id: (proof, None) for proof in self._proofs.open(to_find)}
            proofs = [self._held.get(bet_id) or found[bet_id] for bet_id in some]
            gone = {proof.id for proof, sid in proofs if sid and not self._is_connected(sid)}
            self._lost.extend(gone)
            self._send((proof, sid) for proof, sid in proofs if proof.id not in gone)
            pause()

    def _is_connected(self, sid: str) -> bool:
        return self._connections.player_of(sid) is not None


def new_proof_delivery(running: Realtime, services: Services, live_feed: LiveFeed) -> ProofDelivery:
    """The proof delivery of this process."""
    delivery = SharedProofDelivery if services.settings.redis_url else ProofDelivery
    return delivery(running, services, live_feed)
