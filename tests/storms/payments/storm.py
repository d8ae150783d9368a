"""A storm of payments: players deposit and withdraw, while everything fails that can fail.

A seed decides what the players, payers and staff do, and which faults happen in which order; the timing of
threads and processes is not repeatable. Afterwards checks.py compares three books: the platform's, the fake
BTCPay's, and the players' own.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from services.shared.clock import MINUTE_MS
from tests.harness.btcpay.fake import FakeBtcPay
from tests.harness.btcpay.faults import RANDOM
from tests.harness.cluster import cluster
from tests.harness.databases import DurablePostgres
from tests.harness.local_app import local_app
from tests.harness.players import create_players
from tests.harness.servers import RunningServer, server_process
from tests.storms.crashes import checks as crash_checks
from tests.storms.payments import checks
from tests.storms.payments.check_service import SECRET, check_service
from tests.storms.payments.people import Liar, Payer, Treasury
from tests.storms.payments.players import Actor, tally
from tests.storms.payments.scene import Scene, StormClock
from tests.storms.payments.staff import Staff
from tests.storms.payments.strikes import TEN_SECONDS, Strikes

COINS = 2_000
CALM_SECONDS = 1.0
ANSWER_FAULTS, WEBHOOK_FAULTS = 0.05, 0.3
"""The parts of all answers and webhooks that fail besides the planned faults."""

CREATE_PAYOUT_FAULTS = 0.25
"""The same of answers to the creation of a payout: who draws a wrong conclusion from one may pay twice."""

RANDOM_FAULTS = tuple(fault for fault in RANDOM if fault not in TEN_SECONDS)

REST_SECONDS = 120
AHEAD_MS = 10 * MINUTE_MS
AUTO_APPROVED_USD = 1_500


@dataclass
class Report:
    """Counts of a storm, and a line for each broken promise."""

    faults: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0
    rest_seconds: float = 0
    problems: list[str] = field(default_factory=list)


class PaymentStorm:
    """One storm over one database, with servers of these settings.

    ``PROCESSES`` in them says how many servers there are (1). A ``short`` storm has no faults that take more
    than ten seconds.
    """

    def __init__(
        self,
        scene: Scene,
        env: Mapping[str, str],
        *,
        players: int,
        database: DurablePostgres | None,
        short: bool,
        serve: Callable[..., AbstractContextManager[RunningServer]],
    ) -> None:
        self._scene = scene
        directory, count = Path(env["INSTANCE_DIR"]), int(env.get("PROCESSES", "1"))
        directory.mkdir(exist_ok=True)
        self._starting = cluster(env, directory, processes=count, serve=serve)
        self._report = Report()
        accounts = create_players(scene.app, players, coins=COINS)
        self._actors = [Actor(scene, each, began_with_cents=COINS * 100) for each in accounts]
        self._staff = Staff(scene)
        self._others = [Payer(scene), Treasury(scene), self._staff]
        self._liar = Liar(scene)
        self._strikes = Strikes(scene, self._staff, database=database, short=short)
        scene.check.is_quick = short

    def endure(self, count: int) -> Report:
        """Let so many faults happen, one after the other, besides many small ones; then check."""
        began = time.monotonic()
        scene, fake = self._scene, self._scene.fake
        players = [scene.thread(each.player.username, each.play) for each in self._actors]
        workers = [scene.thread(type(each).__name__, each.work) for each in (*self._others, self._liar)]
        random = scene.random("storm")
        with self._starting as scene.servers:
            scene.open.set()
            fake.send_webhooks_to(scene.webhook_url)
            fake.faults.randomly(ANSWER_FAULTS, RANDOM_FAULTS, {"create payout": CREATE_PAYOUT_FAULTS})
            fake.webhooks.randomly(WEBHOOK_FAULTS)
            try:
                for thread in (*players, *workers):
                    thread.start()
                for strike in self._strikes.planned(count):
                    time.sleep(random.uniform(0, CALM_SECONDS))
                    strike()
                self._report.seconds = time.monotonic() - began
                self._come_to_rest(players)
                self._check()
            finally:
                scene.ending.set()
                scene.over.set()
                for worker in workers:
                    worker.join(30)
        return self._report

    def _come_to_rest(self, players: list[threading.Thread]) -> None:
        """Let everybody finish what they began, without faults, until nothing changes any more."""
        began = time.monotonic()
        fake = self._scene.fake
        self._scene.ending.set()
        self._scene.check.is_calm = True
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
        if waiting:
            self._report.problems += [*waiting, *checks.stuck(fake)]
        self._scene.over.set()
        self._report.rest_seconds = time.monotonic() - began

    def _check(self) -> None:
        report, scene, fake = self._report, self._scene, self._scene.fake
        # First: the audit trail must not have events of the future.
        report.problems += crash_checks.audit(scene.app)[0]
        # So that all that has changed is old enough to be reconciled.
        scene.clock.ahead_ms = AHEAD_MS
        report.problems += checks.reconciled(self._staff, fake)
        scene.clock.ahead_ms = 0
        report.problems += checks.problems(scene, self._actors, self._staff)
        report.problems += [f"BTCPay: {line}" for line in fake.violations]
        report.problems += [*scene.problems, *scene.check.problems]
        report.faults.update(str(fault) for _, fault in fake.faults.log)
        report.faults.update(str(delivery) for delivery in fake.webhooks.log)
        report.faults += self._strikes.counts + self._liar.counts
        report.counts += tally(self._actors) + scene.check.counts()
        for each in self._others:
            report.counts += each.counts


@contextmanager
def payment_storm(
    env: Mapping[str, str],
    *,
    seed: str,
    players: int,
    database: DurablePostgres | None = None,
    short: bool = False,
    serve: Callable[..., AbstractContextManager[RunningServer]] = server_process,
) -> Iterator[PaymentStorm]:
    """A storm with a BTCPay Server, a check service and an app in this process. ``serve`` starts a server."""
    with FakeBtcPay(seed=seed) as fake, check_service(seed) as check:
        env = {
            **env,
            **fake.settings(),
            "PAYMENTS_POLL_SECONDS": "1",
            "PAYMENTS_MIN_USD": "0.1",
            "PAYMENTS_WEBHOOK_SECRET": SECRET,
            "WITHDRAWAL_AUTO_APPROVE": str(AUTO_APPROVED_USD),
            "WITHDRAWAL_CHECK_URL": check.url,
            "RATELIMIT_ENABLED": "0",
        }
        clock = StormClock()
        with local_app(env, clock=clock) as app:
            scene = Scene(app, fake, check, clock, seed)
            yield PaymentStorm(scene, env, players=players, database=database, short=short, serve=serve)
