"""A crash storm: players on many sockets of a server that is killed again and again.

A seed decides what the players do and after how many answers the server is killed; the timing of threads
and processes is not repeatable. The players' records (memory.py) outlive the server; afterwards checks.py
compares the database with them.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from flask import Flask

from bench.harness.cluster import Cluster, cluster
from bench.harness.crashes import checks
from bench.harness.crashes.client import StormState
from bench.harness.crashes.memory import Act, ActKind, Memory, Outcome, tally
from bench.harness.crashes.players import Actor, import_items, memory_of
from bench.harness.log_monitor import monitored
from bench.harness.players import create_player
from bench.harness.process_stats import children
from bench.harness.servers import RunningServer, server_process
from services.maintenance import ledger_audit
from services.shared.clock import now_ms
from services.wallet.affiliates import codes

COINS = 1_000
ANSWERS_BETWEEN_KILLS = 2
"""The average number of answers per socket between two kills."""

LONGEST_LIFE_SECONDS = 8
REST_SECONDS = 90


@dataclass
class Report:
    """Counts of a storm, and a line for each broken promise."""

    seed: str
    kills: int = 0
    seconds: float = 0
    counts: dict[tuple[ActKind, Outcome], int] = field(default_factory=dict)
    asked_again: int = 0
    repeated: int = 0
    proofs_delivered: int = 0
    slowest_proof_ms: int = 0
    """The longest time between a proof's due time and its arrival."""
    audited: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


class CrashStorm:
    """One storm over one database. ``app`` runs in this process on the same database as the servers.

    ``env`` are their settings; ``PROCESSES`` in it says how many there are (1).
    """

    def __init__(
        self,
        app: Flask,
        env: Mapping[str, str],
        *,
        players: int,
        sockets: int,
        seed: str,
        serve: Callable[..., AbstractContextManager[RunningServer]] = server_process,
    ) -> None:
        self._random = Random(seed)
        self._running = ExitStack()
        count, directory = int(env.get("PROCESSES", "1")), Path(env["INSTANCE_DIR"])
        directory.mkdir(exist_ok=True)
        self._directory = directory
        self._starting = cluster({**env, "RATELIMIT_ENABLED": "0"}, directory, processes=count, serve=serve)
        self._state = StormState(app, Cluster([]))
        self._report = Report(seed)
        import_items()
        self._memories = [self._player(number) for number in range(players)]
        each = max(1, sockets // players)
        self._actors = [
            Actor(self._state, memory, name=f"s{player}-{number}", number=number, of=each, seed=seed)
            for player, memory in enumerate(self._memories)
            for number in range(each)
        ]

    def endure(
        self,
        faults: Sequence[Callable[[], object]],
        *,
        longest_delay_ms: int | None = None,
    ) -> Report:
        """Call these functions in turn while the players play; then check.

        With ``longest_delay_ms``, a player's sockets must receive every proof so soon after it is due.
        """
        began = time.monotonic()
        threads = [threading.Thread(target=actor.play, daemon=True) for actor in self._actors]
        try:
            self._state.servers = self._running.enter_context(self._starting)
            self._state.open.set()
            for thread in threads:
                thread.start()
            with monitored(self.servers.url, self._directory) as contradictions:
                for fault in faults:
                    self._wait_before_fault()
                    fault()
                self._wait_before_fault()
                self._come_to_rest(threads)
                self._check(longest_delay_ms)
            self._report.problems += contradictions
        finally:
            self._state.ending.set()
            self._running.close()
        self._report.seconds = time.monotonic() - began
        return self._report

    @property
    def servers(self) -> Cluster:
        """The running servers, during a storm."""
        return self._state.servers

    def _player(self, number: int) -> Memory:
        memory = memory_of(create_player(self._state.app, f"storm-{number}", coins=COINS))
        memory.code = f"STORM{number}"
        codes.set_own(user_id=memory.user_id, code=memory.code, special=None, now=now_ms())
        if number:
            # The player before can claim a part of what the bets of a referred player cost.
            act = memory.begin(Act(ActKind.CODE, f"STORM{number - 1}", outcome=Outcome.ACKNOWLEDGED))
            codes.use(user_id=memory.user_id, code=act.key, special=None, now=now_ms())
        return memory

    def _wait_before_fault(self) -> None:
        answers = self._random.randint(1, 2 * ANSWERS_BETWEEN_KILLS * len(self._actors))
        self._state.wait_for_answers(answers, seconds=LONGEST_LIFE_SECONDS)
        # Right after an answer the server is idle; a moment later it may be anywhere in its work.
        time.sleep(self._random.uniform(0, 0.03))

    def kill_server(self) -> None:
        """Kill a server, audit the ledger while it is down, and start it again."""
        killed = self._random.choice(self._state.servers.processes)
        if len(self._state.servers.processes) == 1:
            self._state.open.clear()
        killed.kill()
        self._report.kills += 1
        self._report.problems += [
            f"after kill {self._report.kills}: {line}" for line in ledger_audit.audit().mismatches
        ]
        killed.start()
        self._state.open.set()

    def kill_worker(self) -> None:
        """Kill a worker as the kernel does when memory runs out; the master starts another."""
        server = self._random.choice(self._state.servers.processes).running
        assert server is not None
        for worker in children(server.process.pid):
            os.kill(worker, signal.SIGKILL)

    def _come_to_rest(self, threads: list[threading.Thread]) -> None:
        """Let the players finish what they began, then let each of them spin once more."""
        self._state.ending.set()
        until = time.monotonic() + REST_SECONDS
        for thread in threads:
            thread.join(max(0, until - time.monotonic()))
        if any(thread.is_alive() for thread in threads):
            self._report.problems.append("a player still waits for an answer")
        with ThreadPoolExecutor(max_workers=16) as together:
            self._report.problems += filter(None, together.map(self._spin_once_more, self._memories))

    def _spin_once_more(self, memory: Memory) -> str | None:
        name = f"last-{memory.user_id}"
        actor = Actor(self._state, memory, name=name, number=0, of=1, seed=self._report.seed)
        last = actor.last_spin()
        if last.outcome is Outcome.ACKNOWLEDGED or checks.is_restricted(memory, last):
            return None
        return f"player {memory.user_id} can't spin any more"

    def _check(self, longest_delay_ms: int | None) -> None:
        checks.wait_until_proofs_are_due(now_ms)
        memories = self._memories + [memory for actor in self._actors for memory in actor.newcomers]
        self._report.proofs_delivered = sum(len(memory.proven) for memory in memories)
        for memory in memories:
            self._report.problems += checks.problems(
                memory, self.servers.url, longest_delay_ms=longest_delay_ms
            )
            delays = dict(checks.delays_ms(memory, checks.traces_of(memory.user_id))).values()
            self._report.slowest_proof_ms = max([self._report.slowest_proof_ms, *filter(None, delays)])
        found, self._report.audited = checks.audit(self._state.app)
        self._report.problems += found
        self._report.counts = dict(tally(memories))
        acts = [act for memory in memories for act in memory.acts]
        self._report.asked_again = sum(
            act.attempts > 1 and act.outcome is not Outcome.UNKNOWN for act in acts
        )
        self._report.repeated = sum(actor.repeated for actor in self._actors)
