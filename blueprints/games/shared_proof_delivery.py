"""Delivers proofs when several processes share the database.

A process claims the bets that are due, which reveals their seeds, and commits that before it announces or
sends anything. A proof whose bet was placed by one of its sockets is its alone to send. A signal tells the
other processes whose players have other proofs; since a signal may be lost, each process also looks up its
connected players' proofs every two seconds.
"""

import time
from collections import deque
from collections.abc import Iterable
from itertools import islice

import peewee
from flask import Flask

from blueprints.games.proof_delivery import PLAYERS_AT_ONCE, PROOFS_AT_ONCE, ProofDelivery
from models import proof_queries
from server.realtime.server import Realtime
from services.container import Services
from services.shared.background import in_slices, pause
from services.shared.clock import Millis
from services.shared.signals import Signal

OVERDUE_MS = 2_000
"""A bet that is later than this is claimed by any process, since its own has stopped or is slow."""

BEFORE_START_MS = 10_000
"""Bets that were due longer than this before the start are not announced: each new socket gets a list."""


class SharedProofDelivery(ProofDelivery):
    """The proof delivery of one of several processes."""

    def __init__(self, app: Flask, running: Realtime) -> None:
        super().__init__(app, running)
        self._proofs = self._services.proofs
        self._started_at = time.monotonic()
        # Players who may have undelivered proofs.
        self._players: set[int] = set()
        # Bets whose sockets have ended.
        self._lost: deque[int] = deque()
        self._must_look_up = True
        self._services.signals.on(Signal.PROOFS, self._players.update)
        running.every_two_seconds(self.look_up)

    def look_up(self) -> None:
        """Have the task look up overdue bets and the connected players' proofs. Does not wait."""
        self._must_look_up = True

    def socket_gone(self, sid: str) -> None:
        """Let all processes send what this socket did not confirm."""
        self._lost.extend(self._unconfirmed.socket_gone(sid))

    def _schedule_pending(self) -> None:
        """Schedule nothing: bets that no process has scheduled are claimed when they are overdue."""

    def _send_due(self) -> None:
        if self._must_look_up:
            self._must_look_up = False
            self._players.update(self._connections.players())
            overdue = self._proofs.pending(due_by=Millis(self._services.clock() - OVERDUE_MS))
            for bet_id, _ in in_slices(overdue, PROOFS_AT_ONCE):
                self._due.setdefault(bet_id, None)
        self._claim_due()
        self._release_lost()
        self._send_to_players()

    def _leave_unconfirmed(self) -> None:
        """Leave unconfirmed proofs to the other processes."""
        self._lost.extend(self._unconfirmed.seeds())
        self._release_lost()

    def _claim_due(self) -> None:
        """Claim the bets that are due, send their proofs to the sockets that placed them, and announce them.

        If the database fails, the next round tries again.
        """
        while self._due and not self._rounds.stop.is_set():
            chunk = dict(islice(self._due.items(), PROOFS_AT_ONCE))
            asking = {bet_id: sid for bet_id, sid in chunk.items() if sid and self._is_connected(sid)}
            claimed = self._proofs.claim(list(chunk), held=asking.keys())
            for bet_id in chunk:
                del self._due[bet_id]
            held = [(proof, asking[proof.id]) for proof in claimed if proof.id in asking]
            self._lost.extend(proof.id for proof, sid in held if not self._is_connected(sid))
            self._send((proof, sid) for proof, sid in held if self._is_connected(sid))
            self._note(proof.user_id for proof in claimed if proof.id not in asking)
            # Not a time of the start: until it was compared with the database's, the clock may be wrong.
            running_ms = (time.monotonic() - self._started_at) * 1000
            announced_since = self._services.clock() - running_ms - BEFORE_START_MS
            self._live_feed.announce([bet for bet in claimed if bet.completed_at_ms >= announced_since])
            pause()

    def _release_lost(self) -> None:
        """Stop holding the proofs of sockets that have ended. Their players' other sockets get them."""
        if self._lost:
            lost = list(self._lost)
            self._note(self._proofs.release(lost))
            for _ in lost:
                self._lost.popleft()

    def _note(self, user_ids: Iterable[int]) -> None:
        """Have all processes look up the proofs of these players."""
        players = sorted(set(user_ids))
        if players:
            self._players.update(players)
            self._services.signals.publish(Signal.PROOFS, players)

    def _send_to_players(self) -> None:
        """Send undelivered proofs that no process holds to all sockets of their players.

        When the database fails, the players are forgotten until the next time all are looked up.
        """
        noted = [self._players.pop() for _ in range(len(self._players))]
        connected = [user_id for user_id in noted if self._connections.sids_of(user_id)]
        for some in peewee.chunked(connected, PLAYERS_AT_ONCE):
            found = proof_queries.not_held(some)
            new = [bet_id for bet_id in found if bet_id not in self._unconfirmed]
            for part in peewee.chunked(new, PROOFS_AT_ONCE):
                self._send((proof, None) for proof in self._proofs.open(part))
                pause()

    def _is_connected(self, sid: str) -> bool:
        return self._connections.player_of(sid) is not None


def install_proofs(app: Flask, running: Realtime) -> None:
    """Give this app its proof delivery, with REDIS_URL this one. It starts with the server."""
    services: Services = app.extensions["services"]
    delivery = (SharedProofDelivery if services.settings.redis_url else ProofDelivery)(app, running)
    app.extensions["proofs"] = delivery
    running.on_left = delivery.socket_gone
    running.manager.acknowledged = delivery.acknowledged
    running.transports.on_pong = delivery.answered_ping
