"""Timed proofs: when a bet is over, its seed goes to its player and the bet to everybody.

When each proof is due stands in the database. What is kept here only says which socket asked, which proofs
have been handed to a socket so lately that it may still turn out to be dead, and how much time has passed: a
clock that is set back, by an hour or by a year, makes no proof wait for longer than its delay.
"""

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from typing import cast

from flask import Flask, current_app
from flask_socketio import SocketIO

from blueprints.common.failures import describe
from blueprints.common.platform import platform
from blueprints.realtime import outgoing
from blueprints.realtime.proof_queues import Sent, SentLately, Waiting
from blueprints.realtime.server import Realtime, pause, realtime
from models.bets import Bet
from services.background import in_slices
from services.clock import Millis
from services.upgrader.proofs import Proof

log = logging.getLogger("platform.proofs")

EXTENSION = "proofs"
NOBODY: Mapping[int, str | None] = {}

SHORTEST_WAIT_SECONDS = 0.05
"""Under load, proofs go out in rounds rather than one by one."""

PROOFS_AT_ONCE = 100
"""Opened and sent in one go, which holds up everybody else: some 7 ms."""

LONGEST_WAIT_SECONDS = 1.0
"""How late a step ahead of the system clock, or a database that is back, is noticed at the most."""

LONGEST_ROUND_SECONDS = 10.0
"""What a stop waits for at the most; a round takes as long as the database lets it."""

SETTLING_SECONDS = 1.0
"""A proof counts as delivered this long after it was handed to the transport, not at once: a process that
is killed in between sends it again."""

PENDING_SECONDS = 10.0
"""How often the database is asked for bets that nobody here has scheduled; there are nearly never any."""

BROKEN_SECONDS = 5.0
"""A connection that broke may not have carried what it was handed in this time before."""

HEARTBEAT_SECONDS = 60.0
"""A socket that died in silence is found out within this time (ping interval and timeout, and some)."""


class ProofDelivery:
    """One background task for each process that reveals seeds on time and sees proofs to their players."""

    def __init__(self, app: Flask, socketio: SocketIO) -> None:
        self._app = app
        self._socketio = socketio
        self._waiting = Waiting()
        self._sent = SentLately()
        self._claimed: set[int] = set()
        self._guard = threading.Lock()
        # Whether a proof was delivered is decided, here and in the database, by one at a time.
        self._deciding = threading.Lock()
        self._wake = threading.Event()
        self._running = False
        self._stopping = False
        self._ended = threading.Event()

    def start(self) -> None:
        """Begin, once: with what other processes, or this one before a restart, left to be revealed."""
        with self._guard:
            if self._running or self._stopping:
                return
            self._running = True
        self._socketio.start_background_task(self._run)

    def schedule(self, bet: Bet, *, sid: str) -> None:
        """Send this bet's proof to this socket when it is due."""
        self._enqueue(bet.id, Millis(bet.completed_at_ms), sid=sid)
        if len(self._waiting) == 1:
            # Proofs fall due in the order of their spins, so with others waiting it is awake in time.
            self._wake.set()

    def deliver_missed(self, user_id: int) -> None:
        """Send a player who is connected now the proofs that fell due while they were not."""
        services = platform()
        now = services.clock()
        missed = services.proofs.undelivered(user_id=user_id, now=now)
        with self._guard:
            # Several sockets of one player may come back at once; each proof is one task's to send.
            claimed = {bet_id for bet_id in missed if bet_id not in self._sent} - self._claimed
            self._claimed |= claimed
        try:
            self._send_all(services.proofs.open(list(claimed)))
        finally:
            with self._guard:
                self._claimed -= claimed

    def socket_gone(self, sid: str, within_seconds: float) -> None:
        """Take back what a socket was sent in this time before it ended, and find the player another."""
        since = time.monotonic() - within_seconds
        services = platform()
        with self._deciding:
            with self._guard:
                lost = self._sent.to_socket(sid, since=since)
            # First there, then here: while the database is away they stay known, and are not lost.
            services.proofs.mark_undelivered(lost)
            with self._guard:
                self._sent.take_back(lost)
        self._send_all(services.proofs.open(lost))

    def close(self) -> None:
        """Stop, after the round that is under way. What is not sent by now is sent after the next start."""
        self._stopping = True
        self._wake.set()
        if self._running:
            self._ended.wait(LONGEST_ROUND_SECONDS)

    def _run(self) -> None:
        with self._app.app_context():
            looked_at = -PENDING_SECONDS
            while True:
                self._wake.clear()
                if self._stopping:
                    break
                try:
                    # Again and again: a commit whose answer was lost, or a process that died, leaves bets
                    # that nobody has scheduled.
                    if time.monotonic() - looked_at >= PENDING_SECONDS:
                        self._schedule_pending()
                        looked_at = time.monotonic()
                    self._mark_sent(at_least_seconds_ago=SETTLING_SECONDS)
                    self._forget_outlived()
                    self._send_due()
                except Exception as failure:  # noqa: BLE001  # the next round tries again
                    log.error("proofs delayed", extra={"failure": describe(failure)})  # noqa: TRY400
                    self._wake.wait(LONGEST_WAIT_SECONDS)
                self._wake.wait(self._seconds_to_wait())
            self._mark_the_last()
        self._ended.set()

    def _mark_the_last(self) -> None:
        try:
            self._mark_sent(at_least_seconds_ago=0)
        except Exception as failure:  # noqa: BLE001  # they come again after the next start
            log.error("proofs not written down", extra={"failure": describe(failure)})  # noqa: TRY400

    def _schedule_pending(self) -> None:
        for bet_id, completed_at in in_slices(platform().proofs.pending(), PROOFS_AT_ONCE):
            self._enqueue(bet_id, completed_at, sid=None)

    def _enqueue(self, bet_id: int, completed_at: Millis, *, sid: str | None) -> None:
        """Once for each bet, although a new one may be found in the database and scheduled as well."""
        services = platform()
        # One that lies further ahead than any delay was made under a clock that was set back since.
        ahead_ms = min(completed_at - services.clock(), services.upgrader.rules.proof_delay)
        due_at = time.monotonic() + max(ahead_ms, 0) / 1000
        with self._guard:
            # One that has been sent stays sealed in the database for a moment.
            if bet_id not in self._sent:
                self._waiting.add(bet_id, due_at_ms=completed_at, due_at=due_at, sid=sid)

    def _send_due(self) -> None:
        """Some at a time: after a standstill there may be thousands."""
        now = platform().clock()
        with self._guard:
            due = self._waiting.due(now=now, timer=time.monotonic())
        for first in range(0, len(due), PROOFS_AT_ONCE):
            if self._stopping:
                break
            self._send_these(due[first : first + PROOFS_AT_ONCE])
            pause()

    def _send_these(self, due: list[int]) -> None:
        services = platform()
        # Opened first, no longer waiting only then: what the database can't do now is tried again.
        opened = services.proofs.open(due)
        with self._guard:
            asked_by = self._waiting.take(due)
        outgoing.announce_live_bets([proof.live_bet for proof in opened])
        self._send_all([proof for proof in opened if not proof.is_delivered], asked_by)

    def _send_all(self, proofs: Sequence[Proof], asked_by: Mapping[int, str | None] = NOBODY) -> None:
        """What reaches nobody now is written down now; all else when it counts as delivered."""
        kept = [proof for proof in proofs if not self._send(proof, asked_by=asked_by.get(proof.bet_id))]
        platform().proofs.write_down(kept)

    def _send(self, proof: Proof, *, asked_by: str | None) -> bool:
        """To the socket that asked; else to the player's others; else it waits for the next connection.

        Whether it is on its way.
        """
        if proof.bet_id in self._sent:
            return True
        sids = realtime().connections.sids_of(proof.user_id, now=platform().clock())
        for sid in [asked_by] if asked_by in sids else sids:
            outgoing.send_proof(sid, proof)
            with self._guard:
                self._sent.add(Sent(proof.bet_id, sid, time.monotonic(), proof))
        return bool(sids)

    def _mark_sent(self, *, at_least_seconds_ago: float) -> None:
        """Write down which proofs have reached their players, as far as one can know."""
        before = time.monotonic() - at_least_seconds_ago
        with self._deciding:
            with self._guard:
                settled = self._sent.unmarked(until=before)
            if settled:
                services = platform()
                services.proofs.mark_delivered(settled, now=services.clock())
            with self._guard:
                self._sent.mark(settled)

    def _forget_outlived(self) -> None:
        before = time.monotonic() - HEARTBEAT_SECONDS
        with self._guard:
            self._sent.forget(until=before)

    def _seconds_to_wait(self) -> float:
        now = platform().clock()
        with self._guard:
            ahead = self._waiting.seconds_ahead(now=now, timer=time.monotonic())
            if ahead is not None:
                return min(max(ahead, SHORTEST_WAIT_SECONDS), LONGEST_WAIT_SECONDS)
            return LONGEST_WAIT_SECONDS if self._sent else PENDING_SECONDS


def install_proofs(app: Flask, running: Realtime) -> None:
    """Give this app its proof delivery; it begins with the first request or socket, and ends with the app."""
    delivery = ProofDelivery(app, running.socketio)
    app.extensions[EXTENSION] = delivery
    running.before_close.append(delivery.close)

    @app.before_request
    def reveal_what_fell_due() -> None:
        # Not before, because a command builds an app too and must not run beside itself.
        delivery.start()


def proofs() -> ProofDelivery:
    """The proof delivery of the running app."""
    return cast("ProofDelivery", current_app.extensions[EXTENSION])
