"""Timed proofs: when a bet is over, its seed goes to its player and the bet to everybody.

When each proof is due stands in the database. What is kept here only says which socket asked, and which
proofs have been handed to a socket so lately that it may still turn out to be dead.
"""

import heapq
import logging
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

from flask import Flask, current_app
from flask_socketio import SocketIO

from blueprints.common.failures import describe
from blueprints.common.platform import platform
from blueprints.realtime import outgoing
from blueprints.realtime.server import Realtime, realtime
from models.bets import Bet
from services.live_bets import live_bet

log = logging.getLogger("platform.proofs")

EXTENSION = "proofs"

LONGEST_WAIT_SECONDS = 1.0
"""How late a step of the system clock, or a database that is back, is noticed at the most."""

LONGEST_ROUND_SECONDS = 10.0
"""What a stop waits for at the most; a round takes as long as the database lets it."""

SETTLING_SECONDS = 1.0
"""A proof counts as delivered this long after it was handed to the transport, not at once: a process that
is killed in between sends it again."""

HEARTBEAT_SECONDS = 60.0
"""A socket that died in silence is found out within this time (ping interval and timeout, and some)."""


@dataclass(order=True, frozen=True)
class _Due:
    due_at_ms: int
    bet_id: int
    sid: str | None = field(compare=False)


@dataclass
class _Sent:
    bet_id: int
    sid: str
    sent_at: float
    marked: bool = False


class ProofDelivery:
    """One background task for each process that reveals seeds on time and sees proofs to their players."""

    def __init__(self, app: Flask, socketio: SocketIO) -> None:
        self._app = app
        self._socketio = socketio
        self._due: list[_Due] = []
        self._sent: dict[int, _Sent] = {}
        self._guard = threading.Lock()
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
        with self._guard:
            heapq.heappush(self._due, _Due(bet.completed_at_ms, bet.id, sid))
        self._wake.set()

    def deliver_missed(self, user_id: int) -> None:
        """Send a player who is connected now the proofs that fell due while they were not."""
        services = platform()
        now = services.clock()
        missed = services.proofs.undelivered(user_id=user_id, now=now)
        missed = [bet_id for bet_id in missed if bet_id not in self._sent]
        for bet in services.proofs.reveal(missed, now=now):
            self._send(bet, asked_by=None)

    def socket_gone(self, sid: str, was_dead: bool) -> None:  # noqa: FBT001
        """Take back what was sent to a socket that had died unnoticed, and find the player another."""
        with self._guard:
            lost = [sent.bet_id for sent in self._sent.values() if sent.sid == sid and was_dead]
            marked = [bet_id for bet_id in lost if self._sent[bet_id].marked]
            for bet_id in lost:
                del self._sent[bet_id]
        if not lost:
            return
        services = platform()
        services.proofs.mark_undelivered(marked)
        for bet in services.proofs.reveal(lost, now=services.clock()):
            self._send(bet, asked_by=None)

    def close(self) -> None:
        """Stop, after the round that is under way. What is not sent by now is sent after the next start."""
        self._stopping = True
        self._wake.set()
        if self._running:
            self._ended.wait(LONGEST_ROUND_SECONDS)

    def _run(self) -> None:
        with self._app.app_context():
            pending_known = False
            while True:
                self._wake.clear()
                if self._stopping:
                    break
                try:
                    if not pending_known:
                        self._schedule_pending()
                        pending_known = True
                    self._mark_settled()
                    self._send_due()
                except Exception as failure:  # noqa: BLE001  # the next round tries again
                    log.error("proofs delayed", extra={"failure": describe(failure)})  # noqa: TRY400
                    self._wake.wait(LONGEST_WAIT_SECONDS)
                self._wake.wait(self._seconds_to_wait())
        self._ended.set()

    def _schedule_pending(self) -> None:
        with self._guard:
            known = {due.bet_id for due in self._due}
        for bet in platform().proofs.pending():
            if bet.id not in known:
                with self._guard:
                    heapq.heappush(self._due, _Due(bet.completed_at_ms, bet.id, None))

    def _send_due(self) -> None:
        services = platform()
        now = services.clock()
        due = self._take_due(now)
        if not due:
            return
        asked_by = {entry.bet_id: entry.sid for entry in due}
        try:
            bets = services.proofs.reveal(list(asked_by), now=now)
        except Exception:
            with self._guard:
                for entry in due:
                    heapq.heappush(self._due, entry)
            raise
        for bet in bets:
            outgoing.announce_live_bet(live_bet(bet))
            if bet.proof_delivered_at_ms is None and bet.id not in self._sent:
                self._send(bet, asked_by=asked_by[bet.id])

    def _take_due(self, now: int) -> list[_Due]:
        with self._guard:
            due = []
            while self._due and self._due[0].due_at_ms <= now:
                due.append(heapq.heappop(self._due))
            return due

    def _send(self, bet: Bet, *, asked_by: str | None) -> None:
        """To the socket that asked; else to the player's others; else it waits for the next connection."""
        sids = realtime().connections.sids_of(bet.user_id, now=platform().clock())
        for sid in [asked_by] if asked_by in sids else sids:
            outgoing.send_proof(sid, bet)
            with self._guard:
                self._sent[bet.id] = _Sent(bet.id, sid, time.monotonic())

    def _mark_settled(self) -> None:
        """Write down what was sent a moment ago, and forget what has outlived a heartbeat."""
        now = time.monotonic()
        with self._guard:
            settled = [
                sent
                for sent in self._sent.values()
                if not sent.marked and now - sent.sent_at >= SETTLING_SECONDS
            ]
        if settled:
            services = platform()
            services.proofs.mark_delivered([sent.bet_id for sent in settled], now=services.clock())
        with self._guard:
            for sent in settled:
                sent.marked = True
            for bet_id in _outlived(self._sent.values(), now):
                del self._sent[bet_id]

    def _seconds_to_wait(self) -> float:
        with self._guard:
            unmarked = any(not sent.marked for sent in self._sent.values())
            if self._due:
                ahead = (self._due[0].due_at_ms - platform().clock()) / 1000
                return min(max(ahead, 0.0), LONGEST_WAIT_SECONDS)
        return SETTLING_SECONDS if unmarked or self._sent else 60.0


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


def _outlived(sent: Iterable[_Sent], now: float) -> list[int]:
    return [entry.bet_id for entry in sent if entry.marked and now - entry.sent_at >= HEARTBEAT_SECONDS]
