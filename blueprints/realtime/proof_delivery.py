"""Reveals the seed of each bet that is over: the proof to its player, the live bet to everybody.

The database holds when each proof is due and whether it was delivered. This process only remembers which
socket placed a bet and which proofs no client has confirmed yet. What is lost with the process is sent again
when the player next connects.
"""

import logging
import threading
import time
from collections.abc import Mapping
from typing import Any, cast

from flask import Flask, current_app
from flask_socketio import SocketIO

from blueprints.common.failures import describe
from blueprints.common.platform import platform
from blueprints.realtime import outgoing
from blueprints.realtime.proof_queues import ProofSchedule, UnconfirmedProofs
from blueprints.realtime.server import Realtime, pause, realtime
from models.bets import Bet
from services.background import in_slices
from services.clock import Millis
from services.upgrader.proofs import Proof

log = logging.getLogger("platform.proofs")

EXTENSION = "proofs"

SHORTEST_WAIT_SECONDS = 0.05
"""Under load, proofs are sent in rounds rather than one by one."""

PROOFS_AT_ONCE = 100
"""Opened and sent without a pause for other tasks: about 7 ms."""

LONGEST_WAIT_SECONDS = 1.0
"""The longest time between two rounds while there is work, also after a failure or a step of the clock."""

LONGEST_ROUND_SECONDS = 10.0
"""How long a stop waits for the round that is running. A round takes as long as its queries."""

ACKNOWLEDGING_SECONDS = 1.0
"""How long a seed that was sent is not written yet: most clients acknowledge the proof meanwhile, and one
UPDATE writes both. Without that, the mark follows with the next pong."""

PENDING_SECONDS = 10.0
"""How often the database is asked for bets that nobody has scheduled. There are hardly ever any."""


class ProofDelivery:
    """Sends proofs when they are due, and again until a client confirms them. One task sends all of them."""

    def __init__(self, app: Flask, socketio: SocketIO) -> None:
        self._app = app
        self._socketio = socketio
        self._schedule = ProofSchedule()
        self._unconfirmed = UnconfirmedProofs()
        # Proofs that were due before, by their bets, and the socket that gets them first.
        self._missed: dict[int, str | None] = {}
        self._guard = threading.Lock()
        self._wake = threading.Event()
        self._stopping = False
        self._task: Any = None

    def start(self) -> None:
        """Start the task. It begins with the bets that a stopped server left unrevealed."""
        self._task = self._socketio.start_background_task(self._run)

    def schedule(self, bet: Bet, *, sid: str) -> None:
        """Send this bet's proof to this socket when it is due."""
        self._add(bet.id, Millis(bet.completed_at_ms), sid=sid)
        if len(self._schedule) == 1:
            # Proofs fall due in the order of their spins. With others waiting, the task wakes in time.
            self._wake.set()

    def send_missed(self, user_id: int, *, sid: str) -> None:
        """Send a socket that has just connected the player's proofs that were never confirmed."""
        services = platform()
        missed = services.proofs.undelivered(user_id=user_id, now=services.clock())
        self._send_later(dict.fromkeys(missed, sid))

    def socket_gone(self, sid: str) -> None:
        """Send what this socket did not confirm to the player's others, or at the next connection."""
        self._send_later(dict.fromkeys(self._unconfirmed.socket_gone(sid)))

    def acknowledged(self, sid: str, nonce: int) -> None:
        """The client acknowledged the proof with this nonce."""
        self._unconfirmed.acknowledged(sid, nonce)

    def answered_ping(self, sid: str, pinged_at: float) -> None:
        """The client answered a ping that was queued at this time of ``time.monotonic()``."""
        self._unconfirmed.answered_ping(sid, pinged_at)

    def close(self) -> None:
        """Stop after the running round. What is not confirmed by then is sent again after the next start."""
        self._stopping = True
        self._wake.set()
        if self._task:
            self._task.join(LONGEST_ROUND_SECONDS)

    def _send_later(self, missed: Mapping[int, str | None]) -> None:
        if missed:
            with self._guard:
                self._missed.update(missed)
            self._wake.set()

    def _run(self) -> None:
        with self._app.app_context():
            looked_at = -PENDING_SECONDS
            while True:
                self._wake.clear()
                if self._stopping:
                    break
                try:
                    # A commit whose answer was lost, or another process that died, leaves bets unscheduled.
                    if time.monotonic() - looked_at >= PENDING_SECONDS:
                        self._schedule_pending()
                        looked_at = time.monotonic()
                    self._write(sent_before=time.monotonic() - ACKNOWLEDGING_SECONDS)
                    self._send_due()
                    self._send_missed()
                except Exception as failure:  # noqa: BLE001  # the next round tries again
                    log.error("proofs delayed", extra={"failure": describe(failure)})  # noqa: TRY400
                    self._wake.wait(LONGEST_WAIT_SECONDS)
                self._wake.wait(self._seconds_to_wait())
            self._write_last()

    def _write_last(self) -> None:
        try:
            self._write(sent_before=time.monotonic())
            platform().seeds.witness.cover_all()
        except Exception as failure:  # noqa: BLE001  # they are sent again after the next start
            log.error("proofs not written", extra={"failure": describe(failure)})  # noqa: TRY400

    def _write(self, *, sent_before: float) -> None:
        """Mark the confirmed proofs as delivered, and write the seeds of those sent before this time."""
        services = platform()
        confirmed = self._unconfirmed.confirmed()
        if confirmed:
            seeds = {sent.bet_id: sent.proof.server_seed if sent.proof else None for sent in confirmed}
            services.proofs.mark_delivered(seeds, now=services.clock())
            self._unconfirmed.forget(confirmed)
        unwritten = self._unconfirmed.unwritten(sent_before=sent_before)
        if unwritten:
            services.proofs.write_down(unwritten)
            self._unconfirmed.written(unwritten)

    def _schedule_pending(self) -> None:
        platform().seeds.witness.watch()
        for bet_id, completed_at in in_slices(platform().proofs.pending(), PROOFS_AT_ONCE):
            self._add(bet_id, completed_at, sid=None)

    def _add(self, bet_id: int, completed_at: Millis, *, sid: str | None) -> None:
        """Schedule a bet, unless its proof was sent already: its seed stays sealed for a moment longer."""
        if bet_id in self._unconfirmed:
            return
        services = platform()
        # A bet that is due later than any delay was settled before the clock was set back.
        ahead_ms = min(completed_at - services.clock(), services.upgrader.rules.proof_delay)
        due_at = time.monotonic() + max(ahead_ms, 0) / 1000
        self._schedule.add(bet_id, due_at_ms=completed_at, due_at=due_at, sid=sid)

    def _send_due(self) -> None:
        due = self._schedule.due(now=platform().clock(), timer=time.monotonic())
        # In slices: after a standstill there may be thousands.
        for first in range(0, len(due), PROOFS_AT_ONCE):
            if self._stopping:
                break
            chunk = due[first : first + PROOFS_AT_ONCE]
            # Opened before they are taken: if the database fails, the next round tries again.
            opened = platform().proofs.open(chunk)
            sids = self._schedule.take(chunk)
            outgoing.announce_live_bets([proof.live_bet for proof in opened])
            self._send_all(opened, sids)
            pause()

    def _send_missed(self) -> None:
        """Send proofs that were due before. Their live bets are public already, or due in this round."""
        while self._missed and not self._stopping:
            with self._guard:
                chunk = {bet_id: self._missed.pop(bet_id) for bet_id in list(self._missed)[:PROOFS_AT_ONCE]}
            try:
                opened = platform().proofs.open(list(chunk))
            except Exception:
                self._send_later(chunk)
                raise
            self._send_all(opened, chunk)
            pause()

    def _send_all(self, opened: list[Proof], sids: Mapping[int, str | None]) -> None:
        """Send proofs that are not confirmed. Write the seeds of those whose players are not connected.

        A proof that is on its way is sent to one more socket if that was named: after a broken network the
        client is back before the server has noticed that its old connection is dead.
        """
        unreachable = []
        for proof in opened:
            sid = sids[proof.bet_id]
            if proof.is_delivered or (sid is None and proof.bet_id in self._unconfirmed):
                continue
            if not self._send(proof, sid):
                unreachable.append(proof)
        platform().proofs.write_down(unreachable)

    def _send(self, proof: Proof, sid: str | None) -> bool:
        """Send to this socket, or to the player's others if it has gone. Returns whether there was any."""
        connections = realtime().connections
        connected = connections.sids_of(proof.user_id, now=platform().clock())
        if not connected:
            return False
        receivers = [sid] if sid in connected else connected
        sent = self._unconfirmed.add(proof, receivers)
        if sent is None:
            return True
        for receiver in receivers:
            outgoing.send_proof(receiver, proof)
        sent.sent_at = time.monotonic()
        for receiver in receivers:
            if connections.get(receiver) is None:
                # It ended before the proof was added, so its end did not report the proof.
                self.socket_gone(receiver)
        return True

    def _seconds_to_wait(self) -> float:
        ahead = self._schedule.seconds_ahead(now=platform().clock(), timer=time.monotonic())
        if ahead is not None:
            return min(max(ahead, SHORTEST_WAIT_SECONDS), LONGEST_WAIT_SECONDS)
        return LONGEST_WAIT_SECONDS if self._unconfirmed else PENDING_SECONDS


def install_proofs(app: Flask, running: Realtime) -> None:
    """Give this app its proof delivery, which starts with the server."""
    delivery = ProofDelivery(app, running.socketio)
    app.extensions[EXTENSION] = delivery
    running.at_start.append(delivery.start)
    running.before_close.append(delivery.close)
    running.manager.acknowledged = delivery.acknowledged
    running.on_pong(delivery.answered_ping)


def proofs() -> ProofDelivery:
    """The proof delivery of the running app."""
    return cast("ProofDelivery", current_app.extensions[EXTENSION])
