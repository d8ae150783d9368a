"""The requests of a crash storm's players, to a server that may be killed before it answers.

A player without an answer connects again and repeats the request where a request id or a transaction hash
makes that safe. The outcome of a request that can't be repeated stays unknown.
"""

import threading
import time
from dataclasses import dataclass, field
from typing import Any

import requests
import websocket
from flask import Flask

from bench.harness.cluster import Cluster
from bench.harness.crashes.memory import Act, Memory, Outcome
from bench.harness.sockets import Closed, Refused, Socket
from models.db.connection import UNAVAILABLE
from models.users import User
from services.payments import transfers as payments
from services.payments.transfers import PaymentType, Transfer
from services.shared.clock import now_ms
from services.shared.money import Cents

GONE = (Closed, Refused, OSError, websocket.WebSocketException)
"""The errors of a socket while the server or its database is down."""

FAILED = "Something went wrong"
IN_PROGRESS = "A spin is already in progress"
CODE_USED = "You've already used a promo code."
PRIZE_GONE = "Prize is no longer available"
PATIENCE_SECONDS = 60
PAUSE_SECONDS = 0.1
TURN_SECONDS = 2
"""The longest that a socket waits for the answer of another socket of its player."""


class NoAnswer(Exception):
    """The server did not answer for as long as a player waits."""


@dataclass
class StormState:
    """What the players share: the servers, and how many answers they have given."""

    app: Flask
    """On the same database as the servers, in this process."""
    servers: Cluster
    answers: int = 0
    open: threading.Event = field(default_factory=threading.Event)
    ending: threading.Event = field(default_factory=threading.Event)
    moved: threading.Condition = field(default_factory=threading.Condition)

    def answered(self) -> None:
        with self.moved:
            self.answers += 1
            self.moved.notify_all()

    def wait_for_answers(self, count: int, *, seconds: float) -> None:
        """Return after this many more answers, or when the time is over."""
        with self.moved:
            wanted = self.answers + count
            self.moved.wait_for(lambda: self.answers >= wanted, seconds)


class PlayerSocket(Socket):
    """A socket that records its events in its player's memory."""

    def __init__(self, url: str, memory: Memory) -> None:
        self._memory = memory
        super().__init__(url, auth={"token": memory.player.token})

    def _event(self, packet: str) -> tuple[str, Any]:
        if packet.startswith('42["live-bets'):
            # Every socket receives every bet; parsing them would take most of the storm's time.
            return "live-bets", None
        event, payload = super()._event(packet)
        self._memory.hear(event, payload)
        return event, payload


class PlayerClient:
    """One socket of a player, opened again whenever it ends, and the player's HTTP requests."""

    def __init__(self, state: StormState, memory: Memory) -> None:
        self._state = state
        self._memory = memory
        self._socket: PlayerSocket | None = None
        self._trouble = ""

    def bet(self, act: Act) -> None:
        """Send a spin or an opening once; one with a request id until it is answered."""
        while True:
            answer = self.emit(act)
            error = FAILED if answer is None else answer.get("error")
            # After a lost answer, "in progress" may be about the first attempt of this same bet.
            if error != FAILED and not (act.attempts > 1 and error == IN_PROGRESS):
                act.answer = answer
                act.outcome = Outcome.ACKNOWLEDGED if answer["status"] else Outcome.REFUSED
                if answer["status"] and act.attempts == 1:
                    self._hear_what_follows(act)
                self._answered_bet(error)
                return
            if answer is not None:
                self._trouble = str(error)
            self._pause(act, for_turn=error == IN_PROGRESS)
            if not act.repeatable:
                return

    def emit(self, act: Act) -> Any:
        """Send a bet; returns the acknowledgement, or None when the socket ends."""
        act.attempts += 1
        try:
            if self._socket is None:
                self._socket = PlayerSocket(self._state.servers.url, self._memory)
            return self._socket.call(act.event, act.request)
        except GONE as gone:
            self._trouble = repr(gone)
            self.leave()
            return None

    def send(
        self,
        act: Act,
        path: str,
        body: Any = None,
        *,
        method: str = "POST",
        by: Memory | None = None,
        repeated: bool = False,
        done_before: str = "",
    ) -> None:
        """Send a request of this player, or of another one, once or ``repeated`` until it is answered.

        ``done_before`` is the refusal that may follow a lost answer.
        """
        memory = by or self._memory
        while (answer := self._attempt(act, method, path, body, memory)) is None:
            self._pause(act)
            if not repeated:
                return
        act.answered_at_ms = now_ms()
        act.answer = answer.json()
        was_done = act.attempts > 1 and done_before in (act.answer.get("error"), act.answer.get("message"))
        # A limit that is not lower is only requested, and its answer is the request.
        done = answer.status_code == 200 and "confirmableAt" not in act.answer
        act.outcome = Outcome.ACKNOWLEDGED if done or was_done else Outcome.REFUSED
        self._state.answered()

    def record(self, act: Act, payer: Memory) -> None:
        """Record a deposit as the operator's command does, repeated until it is recorded."""
        user, transfer = User(id=payer.user_id), Transfer(txhash=act.key)
        usd = Cents(act.cents)
        while act.outcome is Outcome.UNKNOWN:
            act.attempts += 1
            try:
                payments.record(
                    user=user, type_=PaymentType.DEPOSIT, usd=usd, transfer=transfer, now=now_ms()
                )
                act.outcome = Outcome.ACKNOWLEDGED
            except UNAVAILABLE:
                self._pause(act)
        self._state.answered()

    def hear_proofs(self, count: int) -> None:
        """Read events until so many spins of the player have their proof, or until the socket ends."""
        try:
            while self._socket is not None and len(self._memory.proven) < count:
                self._socket.next()
        except GONE:
            self.leave()

    def leave(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _hear_what_follows(self, act: Act) -> None:
        """Read the events after a bet, up to the next commitment, which the next bet may name."""
        try:
            if self._socket is not None:
                while self._socket.expect(f"{act.game}:pf")["clientSeed"] != act.request["clientSeed"]:
                    pass
                self._socket.expect("upgrader:commitment")
        except GONE:
            self.leave()

    def _answered_bet(self, error: str | None) -> None:
        if error == IN_PROGRESS:
            self._memory.wait_for_turn(TURN_SECONDS)
            return
        self._state.answered()
        if self._memory.pass_turn():
            # The spin lock has no queue: a socket that spins again at once would keep the others out.
            threading.Event().wait(PAUSE_SECONDS)

    def _attempt(
        self, act: Act, method: str, path: str, body: Any, memory: Memory
    ) -> requests.Response | None:
        """Send a request; returns None when its outcome is unknown."""
        act.attempts += 1
        try:
            answer = requests.request(
                method, self._state.servers.url + path, json=body, headers=memory.headers, timeout=10
            )
        except OSError:  # RequestException is one
            return None
        return answer if answer.status_code < 500 else None

    def _pause(self, act: Act, *, for_turn: bool = False) -> None:
        """Wait for a moment, or for the player's next turn, and until there is a server.

        Raises NoAnswer after PATIENCE_SECONDS of waiting, not counting the time without a server.
        """
        if act.waited_seconds > PATIENCE_SECONDS:
            raise NoAnswer(f"{act.kind} {act.key} after {act.attempts} attempts, the last: {self._trouble}")
        began = time.monotonic()
        if for_turn:
            self._memory.wait_for_turn(TURN_SECONDS)
        else:
            threading.Event().wait(PAUSE_SECONDS)
        act.waited_seconds += time.monotonic() - began
        self._state.open.wait(PATIENCE_SECONDS)
