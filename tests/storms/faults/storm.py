"""Players and readers of a server process during faults, and the answers they got.

Spins carry request ids and are repeated until they are settled. Afterwards ``crashes.checks`` compares the
database with what the players recorded.
"""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any

import requests
import websocket
from flask import Flask

from models.bets import Bet
from models.db.connection import reading
from tests.harness.players import create_players
from tests.harness.waiting import wait_until
from tests.storms.crashes import checks
from tests.storms.crashes.memory import Act, ActKind, Memory
from tests.storms.crashes.memory import Outcome as Known
from tests.storms.crashes.players import (
    FAILED,
    GONE,
    IN_PROGRESS,
    PlayerSocket,
    import_items,
    memory_of,
)
from tests.storms.faults.routes import NEEDS_DATABASE, NEEDS_NONE, Outcome, Route, judge

PLAYERS, READERS, COINS = 3, 24, 1_000
LONGEST_ANSWER_SECONDS = 10.0
MOST_FREE_SECONDS = 0.2
MOST_RECOVERY_SECONDS = 5.0
PAUSE_SECONDS = 0.05
READS_A_SECOND = 50
"""Requests a second of all readers, when they are answered at once."""

CALM_SECONDS = 20.0
SPIN = "upgrader:spin"


@dataclass
class FaultResult:
    """The answers during one fault. "Free" answers are those that need no database."""

    name: str
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    slowest_seconds: float = 0.0
    slowest_free_seconds: float = 0.0
    slowest_free: str = ""
    recovery_seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)

    def broken(self) -> Iterator[str]:
        """A line for each guarantee that does not hold, but for wrong answers."""
        if self.slowest_seconds > LONGEST_ANSWER_SECONDS:
            yield f"an answer took {self.slowest_seconds:.1f} s"
        if self.slowest_free_seconds > MOST_FREE_SECONDS:
            yield f"{self.slowest_free} took {self.slowest_free_seconds * 1000:.0f} ms"
        if self.recovery_seconds > MOST_RECOVERY_SECONDS:
            yield f"a spin succeeded only after {self.recovery_seconds:.1f} s"
        if self.refused and not self.name.startswith(("database", "disk")):
            yield f"refusals, though the database was there: {dict(self.refused)}"

    def figures(self) -> str:
        counts = "".join(f"{self.outcomes[each]:>9,}" for each in Outcome)
        return (
            f"{counts}{self.slowest_seconds:>7.1f} s{self.slowest_free_seconds * 1000:>5.0f} ms"
            f"{self.recovery_seconds:>8.2f} s"
        )


class FaultStorm:
    """Players and readers of the server at ``url``.

    ``app`` runs in this process on the same database, without the fault.
    """

    def __init__(self, app: Flask, url: str) -> None:
        self.app = app
        self._url = url
        self._ending = threading.Event()
        self._guard = threading.Lock()
        self._serials = itertools.count(1)
        self._result = FaultResult("before")
        import_items()
        self._memories = [memory_of(player) for player in create_players(app, PLAYERS + 1, coins=COINS)]
        # Spins only after faults.
        self._witness = self._memories[-1]
        self._witness_socket: PlayerSocket | None = None
        works = [partial(self._play, memory) for memory in self._memories[:-1]]
        works += [partial(self._read, number) for number in range(READERS)]
        works.append(self._read_without_database)
        self._threads = [threading.Thread(target=work, daemon=True) for work in works]

    def begin(self) -> None:
        """Make each request once, which fills the caches, and start the players and readers."""
        for route in NEEDS_NONE + NEEDS_DATABASE:
            self._ask(route, self._memories[0])
        assert not self._result.wrong, self._result.wrong
        for thread in self._threads:
            thread.start()

    def run(self, name: str, fault: AbstractContextManager[Any], *, seconds: float) -> FaultResult:
        """Keep a fault for this time, then wait until a spin succeeds."""
        with self._guard:
            self._result = result = FaultResult(name)
        with fault:
            time.sleep(seconds)
        result.recovery_seconds = self._recover()
        return result

    def end(self) -> list[str]:
        """Let the players finish; a line for each contradiction between answers and database."""
        self._ending.set()
        for thread in self._threads:
            thread.join(CALM_SECONDS)
        problems = [f"still waits: {thread.name}" for thread in self._threads if thread.is_alive()]
        if self._witness_socket:
            self._witness_socket.close()
        # By then every bet is due, whatever the clock was set to.
        wait_until(_all_is_claimed)
        for memory in self._memories:
            problems += checks.problems(memory, self._url)
        return problems + checks.audit(self.app)[0]

    @property
    def spins(self) -> int:
        """The number of settled spins."""
        acts = [act for memory in self._memories for act in memory.acts]
        return sum(act.outcome is Known.ACKNOWLEDGED for act in acts)

    def _play(self, memory: Memory) -> None:
        socket = None
        while not self._ending.wait(PAUSE_SECONDS):
            act = self._new_spin(memory)
            until = time.monotonic() + 4 * CALM_SECONDS
            while act.outcome is Known.UNKNOWN and time.monotonic() < until:
                socket = self._attempt(act, memory, socket)
            if act.outcome is Known.UNKNOWN:
                self._result.wrong.append(f"{act.key} was never settled")
        if socket:
            socket.close()

    def _new_spin(self, memory: Memory) -> Act:
        name = f"spin-{next(self._serials)}"
        request = {"amount": Decimal("0.01"), "item": "Item of 2", "clientSeed": name, "requestId": name}
        return memory.begin(Act(ActKind.SPIN, name, 1, request=request))

    def _attempt(self, act: Act, memory: Memory, socket: PlayerSocket | None) -> PlayerSocket | None:
        """Send a spin or repeat it; returns the socket unless it was closed."""
        began = time.monotonic()
        act.attempts += 1
        try:
            # While the server can't look up the player, it closes the connection without a refusal.
            socket = socket or PlayerSocket(self._url, memory)
            answer = socket.spin(act.request)
        except websocket.WebSocketTimeoutException:
            self._note(SPIN, Outcome.WRONG, began, "no answer")
            if socket:
                socket.close()
            return None
        except GONE as gone:
            outcome = Outcome.WRONG if "Unauthorized" in repr(gone) else Outcome.REFUSED
            self._note(SPIN, outcome, began, repr(gone))
            if socket:
                socket.close()
            self._ending.wait(PAUSE_SECONDS)
            return None
        if answer["status"]:
            act.answer, act.outcome = answer, Known.ACKNOWLEDGED
            self._note(SPIN, Outcome.SUCCESS, began)
        else:
            clear = answer["error"] == FAILED or (act.attempts > 1 and answer["error"] == IN_PROGRESS)
            self._note(SPIN, Outcome.REFUSED if clear else Outcome.WRONG, began, answer["error"])
            self._ending.wait(PAUSE_SECONDS)
        return socket

    def _read(self, number: int) -> None:
        """Make the requests that need the database in turn; each reader starts with another one."""
        start = number * len(NEEDS_DATABASE) // READERS
        for route in itertools.cycle(NEEDS_DATABASE[start:] + NEEDS_DATABASE[:start]):
            if self._ending.wait(READERS / READS_A_SECOND):
                return
            self._ask(route, self._memories[number % len(self._memories)])

    def _read_without_database(self) -> None:
        """Make the requests that need no database in turn."""
        for route in itertools.cycle(NEEDS_NONE):
            if self._ending.wait(PAUSE_SECONDS):
                return
            seconds = self._ask(route, self._memories[0])
            with self._guard:
                if seconds > self._result.slowest_free_seconds:
                    self._result.slowest_free_seconds = seconds
                    self._result.slowest_free = route.path

    def _ask(self, route: Route, memory: Memory) -> float:
        began = time.monotonic()
        try:
            answer = requests.request(
                route.method,
                self._url + route.path.format(platform_id=memory.player.platform_id),
                json=route.body,
                headers=memory.headers,
                timeout=2 * LONGEST_ANSWER_SECONDS,
            )
            outcome, detail = judge(route, answer)
            if route in NEEDS_NONE and outcome is not Outcome.SUCCESS:
                outcome, detail = Outcome.WRONG, f"{route.path} was refused"
        except (requests.RequestException, ValueError, KeyError) as failure:
            outcome, detail = Outcome.WRONG, f"{route.method} {route.path}: {failure!r}"
        return self._note(route.path, outcome, began, detail)

    def _note(self, what: str, outcome: Outcome, began: float, detail: str = "") -> float:
        seconds = time.monotonic() - began
        with self._guard:
            self._result.outcomes[outcome] += 1
            self._result.slowest_seconds = max(self._result.slowest_seconds, seconds)
            if outcome is Outcome.REFUSED:
                self._result.refused[what] += 1
            elif outcome is Outcome.WRONG:
                self._result.wrong.append(f"{what}: {detail}")
        return seconds

    def _recover(self) -> float:
        """The seconds from the fault's end until a waiting player's spin succeeds."""
        began = time.monotonic()
        act = self._new_spin(self._witness)
        while act.outcome is Known.UNKNOWN and time.monotonic() - began < CALM_SECONDS:
            self._witness_socket = self._attempt(act, self._witness, self._witness_socket)
        if act.outcome is Known.UNKNOWN:
            self._result.wrong.append("no recovery")
        return time.monotonic() - began


@reading()
def _all_is_claimed() -> bool:
    return not Bet.select().where(Bet.proof_held_by.is_null()).exists()
