"""A storm of payments: players deposit and withdraw, while everything fails that can fail.

A seed decides what the players, payers and staff do, and which faults happen in which order; the timing of
threads and processes is not repeatable. Afterwards checks.py compares three books: the platform's, the fake
BTCPay's, and the players' own.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from flask import Flask

from bench.harness.btcpay.fake import FakeBtcPay
from bench.harness.btcpay.faults import RANDOM
from bench.harness.cluster import Cluster, cluster
from bench.harness.crashes import checks as crash_checks
from bench.harness.durable_postgres import DurablePostgres
from bench.harness.payments import check_service, checks, memory, stuck
from bench.harness.payments.check_service import SECRET, CheckService, Decision
from bench.harness.payments.lies import Liar
from bench.harness.payments.memory import Memory
from bench.harness.payments.payer import Payer
from bench.harness.payments.plan import TEN_SECONDS, Cast, faults
from bench.harness.payments.players import Actor
from bench.harness.payments.scene import Scene
from bench.harness.payments.staff import Staff
from bench.harness.payments.strikes import Strikes
from bench.harness.payments.treasury import Treasury
from bench.harness.players import create_player
from bench.harness.servers import RunningServer, server_process
from services.shared.clock import MINUTE_MS, Millis, now_ms

COINS = 2_000
CALM_SECONDS = 1.0
ANSWER_FAULTS, WEBHOOK_FAULTS = 0.05, 0.3
"""The parts of all answers and webhooks that fail besides the planned faults."""

CREATE_PAYOUT_FAULTS = 0.25
"""The same of answers to the creation of a payout: who draws a wrong conclusion from one may pay twice."""

RANDOM_FAULTS = tuple(fault for fault in RANDOM if fault not in TEN_SECONDS)

SHORT_IN_FLIGHT_SECONDS = 4.0
REST_SECONDS = 120
AHEAD_MS = 10 * MINUTE_MS
AUTO_APPROVED_USD = 1_500


@dataclass
class StormClock:
    """The clock of the commands, which can be set ahead."""

    ahead_ms: int = 0

    def __call__(self) -> Millis:
        return Millis(now_ms() + self.ahead_ms)


@dataclass
class Report:
    """Counts of a storm, and a line for each broken promise."""

    seed: str
    faults: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0
    rest_seconds: float = 0
    problems: list[str] = field(default_factory=list)


def settings(fake: FakeBtcPay, check: CheckService) -> dict[str, str]:
    """The settings of the platform in a storm."""
    return {
        **fake.settings(),
        "PAYMENTS_POLL_SECONDS": "1",
        "PAYMENTS_MIN_USD": "0.1",
        "PAYMENTS_WEBHOOK_SECRET": SECRET,
        "WITHDRAWAL_AUTO_APPROVE": str(AUTO_APPROVED_USD),
        "WITHDRAWAL_CHECK_URL": check.url,
        "RATELIMIT_ENABLED": "0",
    }


class PaymentStorm:
    """One storm over one database.

    ``app`` runs in this process with the ``env`` of the servers, which has ``settings()``, and with
    ``clock``. ``PROCESSES`` in it says how many servers there are (1).
    """

    def __init__(
        self,
        app: Flask,
        env: Mapping[str, str],
        *,
        clock: StormClock,
        fake: FakeBtcPay,
        check: CheckService,
        players: int,
        seed: str,
        database: DurablePostgres | None = None,
        serve: Callable[..., AbstractContextManager[RunningServer]] = server_process,
    ) -> None:
        self._running = ExitStack()
        self._random = Random(seed)
        self._directory = directory = Path(env["INSTANCE_DIR"])
        directory.mkdir(exist_ok=True)
        count = int(env.get("PROCESSES", "1"))
        self._starting = cluster(env, directory, processes=count, serve=serve)
        self._scene = Scene(app, fake, check, Cluster([]))
        self._clock = clock
        self._report = Report(seed)
        self._memories = [
            Memory(create_player(app, f"storm-{number}", coins=COINS), COINS * 100)
            for number in range(players)
        ]
        self._actors = [
            Actor(self._scene, each, name=f"p{number}", seed=seed)
            for number, each in enumerate(self._memories)
        ]
        self._payer = Payer(self._scene, seed=seed)
        self._treasury = Treasury(self._scene, seed=seed)
        self._staff = Staff(self._scene, seed=seed)
        self._liar = Liar(self._scene, seed=seed)
        self._is_postgresql = database is not None
        self.strikes = Strikes(self._scene, seed=seed, database=database)

    def endure(self, count: int, *, short: bool = False) -> Report:
        """Let so many faults happen, one after the other, besides many small ones; then check.

        A ``short`` storm has no faults that take more than ten seconds.
        """
        began = time.monotonic()
        fake = self._scene.fake
        if short:
            self._scene.check.leave_out(Decision.LATE)
            self.strikes.in_flight_seconds = SHORT_IN_FLIGHT_SECONDS
        cast = Cast(fake, self.strikes, self._staff)
        steps = faults(cast, count, self._random, postgresql=self._is_postgresql, short=short)
        players = [threading.Thread(target=actor.play, daemon=True) for actor in self._actors]
        others = [self._payer.work, self._treasury.work, self._staff.work, self._liar.work]
        workers = [threading.Thread(target=work, daemon=True) for work in others]
        try:
            self._scene.servers = self._running.enter_context(self._starting)
            self._scene.open.set()
            fake.send_webhooks_to(self._scene.webhook_url)
            fake.faults.randomly(ANSWER_FAULTS, RANDOM_FAULTS, {"create payout": CREATE_PAYOUT_FAULTS})
            fake.webhooks.randomly(WEBHOOK_FAULTS)
            for thread in (*players, *workers):
                thread.start()
            for step in steps:
                time.sleep(self._random.uniform(0, CALM_SECONDS))
                step()
            self._report.seconds = time.monotonic() - began
            self._come_to_rest(players)
            self._check()
        finally:
            self._scene.ending.set()
            self._scene.over.set()
            for worker in workers:
                worker.join(30)
            self._running.close()
        return self._report

    def _come_to_rest(self, players: list[threading.Thread]) -> None:
        """Let everybody finish what they began, without faults, until nothing changes any more."""
        began = time.monotonic()
        fake = self._scene.fake
        self._scene.ending.set()
        self._scene.check.calm = True
        fake.faults.stop()
        fake.webhooks.randomly(0)
        for thread in players:
            thread.join(REST_SECONDS)
        if any(thread.is_alive() for thread in players):
            self._report.problems.append("a player still waits for an answer")
        fake.wait_until_idle()
        # What was asked about less and less often waits as long again as it has waited.
        until = time.monotonic() + REST_SECONDS + self._report.seconds
        while (waiting := checks.unfinished(fake)) and time.monotonic() < until:
            time.sleep(CALM_SECONDS)
        self._report.problems += waiting
        if waiting:
            self._report.problems += stuck.described(fake, self._directory)
        self._scene.over.set()
        self._report.rest_seconds = time.monotonic() - began

    def _check(self) -> None:
        report, fake = self._report, self._scene.fake
        # So that all that has changed is old enough to be reconciled.
        self._clock.ahead_ms = AHEAD_MS
        report.problems += checks.reconciled(self._staff, fake)
        self._clock.ahead_ms = 0
        report.problems += crash_checks.audit(self._scene.app)[0]
        report.problems += checks.problems(self._scene, self._memories, self._staff)
        report.problems += [f"BTCPay: {line}" for line in fake.violations]
        report.problems += [*self._scene.problems, *self._scene.check.problems]
        report.faults.update(str(fault) for _, fault in fake.faults.log)
        report.faults.update(str(delivery) for delivery in fake.webhooks.log)
        report.faults += self.strikes.counts + self._liar.counts
        report.counts.update(memory.tally(self._memories))
        for counts in (self._payer.counts, self._treasury.counts, self._staff.counts):
            report.counts.update(counts)
        report.counts.update(check_service.tally(self._scene.check))
