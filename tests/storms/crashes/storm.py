"""A crash storm: players on many sockets of a server that is killed again and again.

A seed decides what the players do and after how many answers the server is killed; the timing of threads
and processes is not repeatable. The players' records (memory.py) outlive the server; afterwards checks.py
compares the database with them.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from flask import Flask

from services.maintenance import ledger_audit
from services.shared.clock import now_ms
from services.wallet import affiliates
from tests.harness.cluster import Cluster, cluster
from tests.harness.players import create_player
from tests.harness.process_stats import children
from tests.harness.servers import ROOT, RunningServer, server_process
from tests.storms.crashes import battles, checks
from tests.storms.crashes.memory import Act, ActKind, Memory, Outcome
from tests.storms.crashes.network import StormNetwork
from tests.storms.crashes.players import (
    OPEN_AT_ONCE,
    Actor,
    StormState,
    grant_rewards,
    import_items,
    memory_of,
)
from tests.storms.crashes.witnesses import StormWitnesses

COINS = 1_000
ANSWERS_BETWEEN_KILLS = 2
"""The average number of answers per socket between two kills."""

LONGEST_LIFE_SECONDS = 8
REST_SECONDS = 90
MONITOR_SECONDS = 120


@dataclass
class Report:
    """Counts of a storm, and a line for each broken promise."""

    seconds: float = 0
    counts: Counter[str] = field(default_factory=Counter)
    slowest_proof_ms: int = 0
    """The longest time between a proof's due time and its arrival."""
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
        network: StormNetwork | None = None,
        witnesses: StormWitnesses | None = None,
    ) -> None:
        """With a network, whose settings ``env`` must have, the players also have battles.

        Of witnesses ``env`` must have the settings, too.
        """
        self._seed = seed
        self._random = Random(seed)
        self._directory = Path(env["INSTANCE_DIR"])
        self._directory.mkdir(exist_ok=True)
        env, count = {**env, "RATELIMIT_ENABLED": "0"}, int(env.get("PROCESSES", "1"))
        self._starting = cluster(env, self._directory, processes=count, serve=serve)
        self._network = network
        self._witnesses = witnesses
        newest = None if network is None else deque[Any](maxlen=OPEN_AT_ONCE)
        self._state = StormState(app, Cluster([]), battles=newest)
        self._report = Report()
        import_items()
        self._memories = [self._player(number) for number in range(players)]
        each = max(1, sockets // players)
        self._actors = [
            Actor(self._state, memory, name=f"s{player}-{number}", number=number, of=each, seed=seed)
            for player, memory in enumerate(self._memories)
            for number in range(each)
        ]

    def endure(
        self, faults: Sequence[Callable[[], object]], *, longest_delay_ms: int | None = None
    ) -> Report:
        """Call these functions in turn while the players play; then check.

        With ``longest_delay_ms``, a player's sockets must receive every proof so soon after it is due.
        """
        began = time.monotonic()
        threads = [threading.Thread(target=actor.play, daemon=True) for actor in self._actors]
        with self._starting as self._state.servers:
            self._state.open.set()
            for thread in threads:
                thread.start()
            try:
                with monitored(
                    self.servers.url, self._directory, self._network, self._witnesses
                ) as contradictions:
                    for fault in faults:
                        self._wait_before_fault()
                        fault()
                    self._wait_before_fault()
                    self._come_to_rest(threads)
                    self._check(longest_delay_ms)
            finally:
                self._state.ending.set()
        self._report.problems += contradictions
        self._report.seconds = time.monotonic() - began
        return self._report

    @property
    def servers(self) -> Cluster:
        """The running servers, during a storm."""
        return self._state.servers

    def _player(self, number: int) -> Memory:
        memory = memory_of(create_player(self._state.app, f"storm-{number}", coins=COINS))
        grant_rewards(memory)
        memory.code = f"STORM{number}"
        affiliates.set_code(user_id=memory.user_id, code=memory.code, special=None, now=now_ms())
        if number:
            # The player before can claim a part of what the bets of a referred player cost.
            act = memory.begin(Act(ActKind.CODE, f"STORM{number - 1}", outcome=Outcome.ACKNOWLEDGED))
            affiliates.use_code(user_id=memory.user_id, code=act.key, special=None, now=now_ms())
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
        self._report.problems += [f"after a kill: {line}" for line in ledger_audit.audit().mismatches]
        if self._witnesses is not None:
            self._report.problems += [f"after a kill: {line}" for line in self._witnesses.problems()]
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
        if self._network is not None:
            self._end_battles()

    def _end_battles(self) -> None:
        """Let all beacons come, and the creators of open battles leave them."""
        assert self._network is not None
        self._network.recover()
        for memory in self._memories:
            actor = Actor(self._state, memory, name=f"leave-{memory.user_id}", seed=self._seed)
            actor.leave_battles(battles.open_battles(memory.user_id))
        try:
            battles.wait_until_ended()
        except TimeoutError:
            self._report.problems.append("a battle is still locked")

    def _spin_once_more(self, memory: Memory) -> str | None:
        last = Actor(self._state, memory, name=f"last-{memory.user_id}", seed=self._seed).last_spin()
        if last.outcome is Outcome.ACKNOWLEDGED or checks.is_restricted(memory, last):
            return None
        return f"player {memory.user_id} can't spin any more"

    def _check(self, longest_delay_ms: int | None) -> None:
        report = self._report
        checks.wait_until_proofs_are_due(now_ms)
        memories = self._memories + [memory for actor in self._actors for memory in actor.newcomers]
        for memory in memories:
            report.problems += checks.problems(memory, self.servers.url, longest_delay_ms=longest_delay_ms)
            delays = checks.delays_ms(memory, checks.traces_of(memory.user_id)).values()
            report.slowest_proof_ms = max([report.slowest_proof_ms, *filter(None, delays)])
        if self._network is not None:
            network = self._network.relays[0].network
            report.problems += battles.problems(self.servers.url, network, report.counts)
        if self._witnesses is not None:
            self._witnesses.stop()
            report.problems += self._witnesses.last_problems(self.servers.url)
            report.counts.update(self._witnesses.counts)
        found, audited = checks.audit(self._state.app)
        report.problems += found
        acts = [act for memory in memories for act in memory.acts]
        report.counts.update(f"{act.kind}, {act.outcome}" for act in acts)
        report.counts["answered after a lost answer"] = sum(
            act.attempts > 1 and act.outcome is not Outcome.UNKNOWN for act in acts
        )
        report.counts["the same answer once more"] = sum(actor.repeated for actor in self._actors)
        report.counts["bets"] = audited.get("bets", 0)
        report.counts["proofs"] = sum(len(memory.proven) for memory in memories)


@contextmanager
def monitored(
    url: str,
    directory: Path,
    network: StormNetwork | None = None,
    witnesses: StormWitnesses | None = None,
) -> Iterator[list[str]]:
    """Run the monitor of the public log during the block. The list has the contradictions after it.

    ``network`` decides the battles, and ``witnesses`` cosign the log.

    A server that does not answer is no contradiction.
    """
    state = str(directory / "monitor.json")
    command = [sys.executable, str(ROOT / "verify" / "monitor.py"), f"{url}/log", "--state", state]
    if network is not None:
        command += ["--beacons", network.honest_url]
    if witnesses is not None:
        command += witnesses.monitor_options
    contradictions: list[str] = []
    watching = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield contradictions
        watching.terminate()
        watching.wait(MONITOR_SECONDS)
        last = subprocess.run(
            [*command, "--once"], capture_output=True, text=True, check=False, timeout=MONITOR_SECONDS
        )
        if last.returncode:
            contradictions += [f"monitor: {line}" for line in last.stdout.splitlines()[:20]]
            contradictions += [f"monitor: {line}" for line in last.stderr.splitlines()[-5:]]
    finally:
        watching.kill()
        watching.wait()
