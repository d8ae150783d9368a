"""Players and readers of a real server while something that it needs is at fault, and what they were told.

Spins carry request ids and are asked for again until they are settled; afterwards crashes/checks holds the
database against what the players remember.
"""

import itertools
import threading
import time
from collections import Counter
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import requests
import websocket
from flask import Flask

from bench.harness.crashes import checks
from bench.harness.crashes.client import FAILED, GONE, IN_PROGRESS, PlayerSocket
from bench.harness.crashes.memory import Act, Kind, Memory
from bench.harness.crashes.memory import Outcome as Known
from bench.harness.crashes.players import import_items, memory_of
from bench.harness.faults.routes import NEEDS_DATABASE, NEEDS_NONE, Outcome, Route, judge
from bench.harness.waiting import wait_until
from models.bets import Bet
from models.database import reading
from services import users
from services.clock import now_ms
from services.money import Cents

COINS = Cents(100_000)
LONGEST_ANSWER_SECONDS = 10.0
PAUSE_SECONDS = 0.05
READS_A_SECOND = 50
"""Of all readers together, while they are answered at once."""

CALM_SECONDS = 20.0
SPIN = "upgrader:spin"


@dataclass
class Passage:
    """What one fault was like."""

    name: str
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    slowest_seconds: float = 0.0
    free_answers: int = 0
    slowest_free_seconds: float = 0.0
    slowest_free: str = ""
    recovery_seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)


class FaultStorm:
    """A crowd before the server at ``url``. ``app`` is of this process, on the same database, undisturbed."""

    def __init__(self, app: Flask, url: str, *, players: int = 3, readers: int = 24) -> None:
        self._app = app
        self._url = url
        self._platform = app.extensions["platform"]
        self._ending = threading.Event()
        self._guard = threading.Lock()
        self._serials = itertools.count(1)
        self._passage = Passage("before")
        import_items()
        self._memories = [self._player(f"player-{number}") for number in range(players)]
        self._witness = self._player("witness")
        self._witness_socket: PlayerSocket | None = None
        self._threads = [threading.Thread(target=self._play, args=[memory]) for memory in self._memories]
        self._threads += [
            threading.Thread(target=self._read, args=[number, readers]) for number in range(readers)
        ]
        self._threads.append(threading.Thread(target=self._look_in))

    def begin(self) -> None:
        """Ask for everything once, so that what is kept in memory is there, and let the crowd in."""
        for route in NEEDS_NONE + NEEDS_DATABASE:
            self._ask(route, self._memories[0])
        assert not self._passage.wrong, self._passage.wrong
        for thread in self._threads:
            thread.start()

    def suffer(self, name: str, fault: AbstractContextManager[Any], *, seconds: float) -> Passage:
        """Live with a fault for so long, and then until a spin succeeds."""
        with self._guard:
            self._passage = passage = Passage(name)
        with fault:
            time.sleep(seconds)
        passage.recovery_seconds = self._recover()
        return passage

    def end(self) -> list[str]:
        """Let everybody settle what they have begun; a line for all that is not as they were told."""
        self._ending.set()
        for thread in self._threads:
            thread.join(CALM_SECONDS)
        problems = [f"still waits: {thread.name}" for thread in self._threads if thread.is_alive()]
        self._leave_witness()
        # Whatever the clock has been set to: then every bet is over.
        wait_until(_all_is_revealed)
        for memory in [*self._memories, self._witness]:
            problems += checks.problems(memory, self._url)
        return problems + self.audit()

    @property
    def spins(self) -> int:
        """How many have been settled."""
        acts = [act for memory in [*self._memories, self._witness] for act in memory.acts]
        return sum(act.outcome is Known.ACKNOWLEDGED for act in acts)

    def _player(self, name: str) -> Memory:
        user = users.create(username=name, seeds=self._platform.seeds, now=now_ms(), balance=COINS)
        return memory_of(user, self._platform)

    def audit(self) -> list[str]:
        """What the operator's audits find."""
        found = []
        for books in ("ledger", "fairness"):
            result = self._app.test_cli_runner().invoke(args=[books, "audit"])
            if result.exit_code:
                found.append(f"flask {books} audit: {result.stderr.strip()}")
        return found

    def _play(self, memory: Memory) -> None:
        socket = None
        while not self._ending.wait(PAUSE_SECONDS):
            act = self._new_spin(memory)
            until = time.monotonic() + 4 * CALM_SECONDS
            while act.outcome is Known.UNKNOWN and time.monotonic() < until:
                socket = self._attempt(act, memory, socket)
            if act.outcome is Known.UNKNOWN:
                self._note_wrong(f"{act.key} was never settled")
        if socket:
            socket.close()

    def _new_spin(self, memory: Memory) -> Act:
        name = f"spin-{next(self._serials)}"
        request = {"amount": Decimal("0.01"), "item": "Item of 2", "clientSeed": name, "requestId": name}
        return memory.begin(Act(Kind.SPIN, name, 1, request))

    def _attempt(self, act: Act, memory: Memory, socket: PlayerSocket | None) -> PlayerSocket | None:
        """Ask for a spin, or once more for the same; the socket, if there is still one."""
        began = time.monotonic()
        act.attempts += 1
        try:
            # A connection is closed rather than refused while its player can't be looked up.
            socket = socket or PlayerSocket(self._url, memory)
            answer = socket.spin(act.request)
        except websocket.WebSocketTimeoutException:
            self._note(SPIN, Outcome.WRONG, began, "no answer")
            if socket:
                socket.close()
            return None
        except GONE as gone:
            told = Outcome.WRONG if "Unauthorized" in repr(gone) else Outcome.REFUSED
            self._note(SPIN, told, began, repr(gone))
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

    def _read(self, number: int, of: int) -> None:
        """Ask for one thing after the other that needs the database, each reader from elsewhere on."""
        start = number * len(NEEDS_DATABASE) // of
        for route in itertools.cycle(NEEDS_DATABASE[start:] + NEEDS_DATABASE[:start]):
            if self._ending.wait(of / READS_A_SECOND):
                return
            self._ask(route, self._memories[number % len(self._memories)])

    def _look_in(self) -> None:
        """Ask for what needs no database, all the while."""
        for route in itertools.cycle(NEEDS_NONE):
            if self._ending.wait(PAUSE_SECONDS):
                return
            seconds = self._ask(route, self._memories[0])
            with self._guard:
                self._passage.free_answers += 1
                if seconds > self._passage.slowest_free_seconds:
                    self._passage.slowest_free_seconds = seconds
                    self._passage.slowest_free = route.path

    def _ask(self, route: Route, memory: Memory) -> float:
        began = time.monotonic()
        try:
            answer = requests.request(
                route.method,
                self._url + route.path.format(platform_id=memory.platform_id),
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
            self._passage.outcomes[outcome] += 1
            self._passage.slowest_seconds = max(self._passage.slowest_seconds, seconds)
            if outcome is Outcome.REFUSED:
                self._passage.refused[what] += 1
            elif outcome is Outcome.WRONG:
                self._passage.wrong.append(f"{what}: {detail}")
        return seconds

    def _note_wrong(self, what: str) -> None:
        with self._guard:
            self._passage.wrong.append(what)

    def _recover(self) -> float:
        """How long after the fault's end the first spin of somebody who has waited for it succeeds."""
        began = time.monotonic()
        act = self._new_spin(self._witness)
        while act.outcome is Known.UNKNOWN and time.monotonic() - began < CALM_SECONDS:
            self._witness_socket = self._attempt(act, self._witness, self._witness_socket)
        if act.outcome is Known.UNKNOWN:
            self._note_wrong("no recovery")
        return time.monotonic() - began

    def _leave_witness(self) -> None:
        if self._witness_socket:
            self._witness_socket.close()


@reading()
def _all_is_revealed() -> bool:
    return not Bet.select().where(Bet.server_seed.is_null()).exists()
