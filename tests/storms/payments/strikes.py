"""The faults of a storm of payments.

Processes and the database are killed and paused, also in the middle of their requests to BTCPay; answers of
BTCPay fail; and its staff make mistakes.
"""

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from tests.harness.btcpay.faults import Fault, endless
from tests.harness.cluster import Process
from tests.harness.databases import DurablePostgres
from tests.harness.process_stats import children
from tests.storms.payments.scene import Scene
from tests.storms.payments.staff import Staff

HOLD_SECONDS = 29.0
"""A lease lasts 15 seconds after its last renewal, and ten more during a call. So another process has done
the work of a paused one when the fake does what the paused one has asked for."""

PAUSE_SECONDS = 31.0
DATABASE_AWAY_SECONDS = 0.5
MISTAKE_SECONDS = 3
IN_FLIGHT_SECONDS, SHORT_IN_FLIGHT_SECONDS = 10.0, 4.0
"""How long a strike waits for its request, before it comes without one."""

TEN_SECONDS = (Fault.TOO_SLOW, Fault.HELD)
"""Faults for which the platform waits in vain."""

PRECEDED_BY = {
    "list invoices": ("create invoice", Fault.LOST_ANSWER),
    "list store payouts": ("create payout", Fault.LOST_ANSWER),
    "cancel payout": ("create payout", Fault.LATE_WORK),
}
"""Operations that are only asked for after a fault of another one."""

ANSWERS = {
    # The invoice may exist, come later, or not exist.
    "create invoice": "LOST_ANSWER NO_ANSWER LATE_WORK ERROR_AFTER TOO_SLOW REFUSED_CONNECTIONS",
    "get invoice": "STALE STALE TOO_SLOW UNAVAILABLE",
    "list invoices": "STALE",
    # The same of payouts, where a second one would be paid too.
    "create payout": "LOST_ANSWER LATE_WORK HELD ERROR_AFTER ERROR_BEFORE REFUSED_CONNECTIONS",
    "approve payout": "LOST_ANSWER NO_ANSWER LATE_WORK ERROR_AFTER TOO_SLOW",
    "cancel payout": "LOST_ANSWER ERROR_BEFORE",
    "get payout": "STALE STALE ERROR_BEFORE",
    "list store payouts": "STALE SLOW NO_ANSWER",
}
KILLS = {
    "": "NONE",
    "create invoice": "NONE NO_ANSWER",
    "get invoice": "NONE",
    "create payout": "NONE NONE LATE_WORK",
    "approve payout": "NONE NO_ANSWER",
    "get payout": "NONE",
    "list store payouts": "NONE",
}
PAUSES = {
    "": "NONE",
    "create payout": "NONE HELD HELD",
    "approve payout": "NONE HELD",
    "get payout": "NONE",
    "create invoice": "HELD",
}
"""Operations and their faults. One that is named twice comes twice as often."""

RESTARTS = ("", "create invoice", "create payout", "approve payout", "get invoice", "get payout")

Step = Callable[[], None]


class Strikes:
    """Each method does one fault, and returns when everything runs again.

    ``kill``, ``pause`` and ``restart_database`` strike in the next request of an operation, before it has the
    answer; without an operation at any time.
    """

    def __init__(self, scene: Scene, staff: Staff, *, database: DurablePostgres | None, short: bool) -> None:
        self._scene = scene
        self._staff = staff
        self._random = scene.random("strikes")
        self._database = database
        self._is_short = short
        self._in_flight_seconds = SHORT_IN_FLIGHT_SECONDS if short else IN_FLIGHT_SECONDS
        self.counts: Counter[str] = Counter()

    def planned(self, count: int) -> list[Step]:
        """So many faults in a random order; in a short storm none that takes more than ten seconds."""
        answers = [each for each in _listed(ANSWERS) if not (self._is_short and each[1] in TEN_SECONDS)]
        mistakes = [self.take_rate_away, self.overdraw, self.archive, self.hurry, self.hurry]
        groups: list[tuple[int, list[Step]]] = [
            (11, [partial(self.answer, *each) for each in answers]),
            (5, [partial(self.kill, *each) for each in _listed(KILLS)]),
            (3, mistakes),
        ]
        if not self._is_short:
            groups.append((2, [partial(self.pause, *each) for each in _listed(PAUSES)]))
        if self._database is not None:
            groups.append((3, [partial(self.restart_database, each) for each in RESTARTS]))
        bags = [endless(steps, self._random) for _, steps in groups]
        chosen = self._random.choices(bags, weights=[share for share, _ in groups], k=count)
        return [next(bag) for bag in chosen]

    def kill(self, operation: str = "", fault: Fault = Fault.NONE) -> None:
        """Kill a process and start it again."""
        self._strike("killed", operation, fault, self._kill)
        for process in self._scene.servers.processes:
            if process.running is None or process.running.process.poll() is not None:
                process.kill()
                process.start()
        self._scene.open.set()

    def pause(self, operation: str = "", fault: Fault = Fault.NONE) -> None:
        """Let a process stand still for longer than its lease lasts."""
        paused: list[Process] = []

        def stop(process: Process) -> None:
            _signal(process, signal.SIGSTOP)
            paused.append(process)

        self._strike("paused", operation, fault, stop)
        time.sleep(PAUSE_SECONDS)
        for process in paused:
            _signal(process, signal.SIGCONT)

    def restart_database(self, operation: str = "") -> None:
        """Stop PostgreSQL without a shutdown, and start it again."""
        assert self._database is not None
        restart = partial(self._database.restart, self._random.uniform(0, DATABASE_AWAY_SECONDS))
        self._strike("database restarted", operation, Fault.NONE, lambda _: restart())

    def answer(self, operation: str, fault: Fault) -> None:
        """Let the next request of this operation fail. The fake counts it when it has happened."""
        faults = self._scene.fake.faults
        if operation in PRECEDED_BY:
            faults.next(*PRECEDED_BY[operation])
        faults.next(operation, fault)
        until = time.monotonic() + self._in_flight_seconds
        happened = len(faults.log)
        while (operation, fault) not in faults.log[happened:] and time.monotonic() < until:
            time.sleep(0.05)
        faults.forget(operation)

    def take_rate_away(self) -> None:
        """Let BTCPay know no rate for a while: payouts can't be approved, and invoices not made."""
        fake = self._scene.fake
        self._mistake(
            "no rate", lambda: fake.set_rate_available(False), lambda: fake.set_rate_available(True)
        )

    def overdraw(self) -> None:
        fund = self._scene.fake.fund
        self._mistake("overdraft", lambda: fund(-1_000_000), lambda: fund(1_000_000))

    def archive(self) -> None:
        archive = self._scene.fake.archive_pull_payment
        self._mistake("archived pull payment", archive, lambda: archive(archived=False))

    def hurry(self) -> None:
        """Let staff try to end withdrawals while an approval is on its way to BTCPay."""
        self.counts["ended by staff during the approval"] += 1
        self.answer("approve payout", Fault.LATE_WORK)
        self._staff.hurry()

    def _mistake(self, name: str, begin: Step, end: Step) -> None:
        self.counts[name] += 1
        begin()
        time.sleep(MISTAKE_SECONDS)
        end()

    def _strike(self, name: str, operation: str, fault: Fault, strike: Callable[[Process], object]) -> None:
        """Call ``strike`` with the process that sends the next request, or with any if none comes."""
        self.counts[f"{name} in {operation}" if operation else f"{name} at any time"] += 1
        if not operation:
            strike(self._any_process())
            return
        done = threading.Event()

        def hit(port: int) -> None:
            # A command of the staff has no process.
            strike(owner_of(port, self._scene.servers.processes) or self._any_process())
            done.set()

        faults = self._scene.fake.faults
        faults.next(operation, fault, strike=hit, hold_seconds=HOLD_SECONDS)
        if not done.wait(self._in_flight_seconds) and faults.forget(operation):
            strike(self._any_process())
        else:
            done.wait(60)

    def _kill(self, process: Process) -> None:
        if len(self._scene.servers.urls) == 1:
            self._scene.open.clear()
        _signal(process, signal.SIGKILL)
        if process.running is not None:
            process.running.process.wait(30)

    def _any_process(self) -> Process:
        return self._random.choice(self._scene.servers.processes)


def _listed(table: Mapping[str, str]) -> list[tuple[str, Fault]]:
    return [(operation, Fault[name]) for operation, names in table.items() for name in names.split()]


def owner_of(port: int, processes: list[Process]) -> Process | None:
    """The process that has the connection from this port of this machine."""
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    inodes = [fields[9] for fields in map(str.split, lines) if fields[1] == f"0100007F:{port:04X}"]
    for process in processes:
        if process.running is not None and inodes:
            master = process.running.process.pid
            with suppress(OSError):
                if any(_has_socket(pid, inodes[0]) for pid in (master, *children(master))):
                    return process
    return None


def _has_socket(pid: int, inode: str) -> bool:
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            if str(file.readlink()) == f"socket:[{inode}]":
                return True
    return False


def _signal(process: Process, number: int) -> None:
    """Send a signal to a process and its workers, if it runs."""
    if process.running is not None:
        with suppress(ProcessLookupError):
            os.killpg(process.running.process.pid, number)
