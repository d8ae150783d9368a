"""Kills and pauses the platform's processes and its database, also in the middle of their requests."""

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

from tests.harness.btcpay.faults import Fault
from tests.harness.cluster import Process
from tests.harness.durable_postgres import DurablePostgres
from tests.harness.process_stats import children
from tests.storms.payments.scene import Scene

HOLD_SECONDS = 29.0
"""A lease lasts 15 seconds after its last renewal, and ten more during a call. So another process has done
the work of a paused one when the fake does what the paused one has asked for."""

PAUSE_SECONDS = 31.0

DATABASE_AWAY_SECONDS = 0.5
IN_FLIGHT_SECONDS = 10.0
"""How long a strike waits for its request, before it comes without one."""

PRECEDED_BY = {
    "list invoices": ("create invoice", Fault.LOST_ANSWER),
    "list store payouts": ("create payout", Fault.LOST_ANSWER),
    "cancel payout": ("create payout", Fault.LATE_WORK),
}
"""Operations that are only asked for after a fault of another one."""


class Strikes:
    """Each method does one fault, and returns when everything runs again."""

    def __init__(self, scene: Scene, *, seed: str, database: DurablePostgres | None) -> None:
        self._scene = scene
        self._random = Random(f"{seed}/strikes")
        self._database = database
        self.in_flight_seconds = IN_FLIGHT_SECONDS
        self.counts: Counter[str] = Counter()

    def kill(self) -> None:
        """Kill a process, whatever it does, and start it again."""
        self._kill(self._any_process())
        self._restart_dead("killed at any time")

    def kill_in(self, operation: str, fault: Fault) -> None:
        """Kill the process that sends the next request of this operation, before it has the answer."""
        when = f"killed in {operation}"
        self._in_flight(operation, fault, self._kill, lambda: self._kill(self._any_process()))
        self._restart_dead(when)

    def pause(self) -> None:
        """Let a process stand still for longer than its lease lasts."""
        self._pause("paused at any time", lambda stop: stop(self._any_process()))

    def pause_in(self, operation: str, fault: Fault) -> None:
        """Pause the process that sends the next request of this operation, before it has the answer."""
        self._pause(
            f"paused in {operation}",
            lambda stop: self._in_flight(operation, fault, stop, lambda: stop(self._any_process())),
        )

    def _pause(self, name: str, begin: Callable[[Callable[[Process], None]], None]) -> None:
        paused: list[Process] = []

        def stop(process: Process) -> None:
            _signal(process, signal.SIGSTOP)
            paused.append(process)

        begin(stop)
        self.counts[name] += 1
        time.sleep(PAUSE_SECONDS)
        for process in paused:
            _signal(process, signal.SIGCONT)

    def restart_database(self) -> None:
        """Stop PostgreSQL without a shutdown, and start it again."""
        assert self._database is not None
        self.counts["database restarted at any time"] += 1
        self._database.restart(self._random.uniform(0, DATABASE_AWAY_SECONDS))

    def restart_database_in(self, operation: str) -> None:
        """Stop PostgreSQL when the answer to the next request of this operation is about to be sent."""
        assert self._database is not None
        restart = self._database.restart
        seconds = self._random.uniform(0, DATABASE_AWAY_SECONDS)
        self._in_flight(operation, Fault.NONE, lambda _: restart(seconds), lambda: restart(seconds))
        self.counts[f"database restarted in {operation}"] += 1

    def answer(self, operation: str, fault: Fault) -> None:
        """Let the next request of this operation fail. The fake counts it when it has happened."""
        faults = self._scene.fake.faults
        if operation in PRECEDED_BY:
            faults.next(*PRECEDED_BY[operation])
        faults.next(operation, fault)
        until = time.monotonic() + self.in_flight_seconds
        happened = len(faults.log)
        while (operation, fault) not in faults.log[happened:] and time.monotonic() < until:
            time.sleep(0.05)
        faults.forget(operation)

    def _in_flight(
        self,
        operation: str,
        fault: Fault,
        strike: Callable[[Process], object],
        otherwise: Callable[[], object],
    ) -> None:
        """Call ``strike`` with the process that sends the next request; ``otherwise`` if none comes."""
        done = threading.Event()

        def hit(port: int) -> None:
            process = owner_of(port, self._scene.servers.processes)
            # A command of the staff has no process.
            strike(process or self._any_process())
            done.set()

        faults = self._scene.fake.faults
        faults.next(operation, fault, strike=hit, hold_seconds=HOLD_SECONDS)
        if not done.wait(self.in_flight_seconds) and faults.forget(operation):
            otherwise()
        else:
            done.wait(60)

    def _kill(self, process: Process) -> None:
        if len([each for each in self._scene.servers.processes if each.running]) == 1:
            self._scene.open.clear()
        _signal(process, signal.SIGKILL)
        if process.running is not None:
            process.running.process.wait(30)

    def _restart_dead(self, name: str) -> None:
        self.counts[name] += 1
        for process in self._scene.servers.processes:
            if process.running is None or process.running.process.poll() is not None:
                process.kill()
                process.start()
        self._scene.open.set()

    def _any_process(self) -> Process:
        return self._random.choice(self._scene.servers.processes)


def owner_of(port: int, processes: list[Process]) -> Process | None:
    """The process that has the connection from this port of this machine."""
    inode = _inode_of(port)
    for process in processes:
        if process.running is not None and inode is not None:
            master = process.running.process.pid
            for pid in (master, *_children(master)):
                if _has_socket(pid, inode):
                    return process
    return None


def _inode_of(port: int) -> str | None:
    local = f"0100007F:{port:04X}"
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[1] == local:
            return fields[9]
    return None


def _has_socket(pid: int, inode: str) -> bool:
    with suppress(OSError):
        for file in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                if str(file.readlink()) == f"socket:[{inode}]":
                    return True
    return False


def _children(pid: int) -> list[int]:
    with suppress(OSError):
        return children(pid)
    return []


def _signal(process: Process, number: int) -> None:
    """Send a signal to a process and its workers, if it runs."""
    if process.running is not None:
        with suppress(ProcessLookupError):
            os.killpg(process.running.process.pid, number)
