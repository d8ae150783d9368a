"""Deposits that are created, paid and credited, with a fake BTCPay Server that answers at once.

The platform has one core. The fake provider, which checks every request and answer against BTCPay's own
documents, the players and PostgreSQL share the other one.
"""

import json
import os
import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from http.client import HTTPConnection

import psycopg2

from bench.speed.machine import running_on
from bench.speed.result import Row
from bench.speed.stage import Stage
from tests.harness.btcpay.fake import FakeBtcPay
from tests.harness.databases import durable_postgres
from tests.harness.players import create_players
from tests.harness.process_stats import cpu_seconds
from tests.harness.servers import RunningServer
from tests.harness.waiting import wait_until

GOAL = 100
PLAYERS = 20
DEPOSITS = 1_000
QUICK_DEPOSITS = 60
USD = 25
EVENTS = ("InvoiceProcessing", "InvoicePaymentSettled", "InvoiceSettled")
REST_SECONDS = 120


def measure(stage: Stage) -> Iterator[Row]:
    """Deposits a second, from the first request until the last one is credited."""
    count = QUICK_DEPOSITS if stage.quick else DEPOSITS
    with durable_postgres() as server:
        server.move_to([stage.cores.load])
        with server.fresh() as url, FakeBtcPay(seed="speed") as fake:
            stage.fill(url, items=0)
            with stage.platform_here(url) as app:
                tokens = [player.token for player in create_players(app, PLAYERS, coins=0)]
            with stage.platform(url, **fake.settings()) as platform, running_on(stage.cores.load):
                # As docs/payments.md recommends.
                fake.webhooks.authorized_events = EVENTS
                fake.send_webhooks_to(f"{platform.url}/webhooks/btcpay")
                used, own = cpu_seconds(platform.process.pid), sum(os.times()[:2])
                stored = cpu_seconds(server.pid)
                began = time.monotonic()
                milliseconds = _deposit(platform, tokens, fake, count)
                wait_until(lambda: _credited(url) == count, seconds=REST_SECONDS, step_seconds=0.2)
                seconds = time.monotonic() - began
                used = cpu_seconds(platform.process.pid) - used
                own = sum(os.times()[:2]) - own
                stored = cpu_seconds(server.pid) - stored
            assert fake.violations == []
    yield Row(
        work="deposits that are created, paid and credited",
        against="the goal of 100 a second on two cores",
        goal=GOAL,
        measured=count / seconds,
        unit="deposits/s",
        detail=(
            f"{count:,} of {PLAYERS} players in {seconds:.1f} s; CPU of the platform"
            f" {used / count * 1000:.1f} ms a deposit, of PostgreSQL {stored / count * 1000:.1f} ms, of"
            f" provider and players {own / count * 1000:.1f} ms; a request takes"
            f" {statistics.median(milliseconds):.0f} ms"
        ),
    )


def _deposit(platform: RunningServer, tokens: Sequence[str], fake: FakeBtcPay, count: int) -> Sequence[float]:
    """Let the players deposit one after the other, and pay each invoice; the time of each request in ms."""
    milliseconds: list[float] = []

    def play(token: str) -> None:
        connection = HTTPConnection("127.0.0.1", platform.port)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        body = json.dumps({"method": "btcpay", "amount": USD})
        for _ in range(count // len(tokens)):
            began = time.monotonic()
            connection.request("POST", "/payments/deposits", body=body, headers=headers)
            deposit = json.loads(connection.getresponse().read())["deposit"]
            milliseconds.append((time.monotonic() - began) * 1000)
            fake.pay(deposit["checkoutUrl"].rpartition("/")[2], status="Settled")

    threads = [threading.Thread(target=play, args=[token]) for token in tokens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return milliseconds


def _credited(url: str) -> int:
    """How many deposits are credited: from the database, since requests would take the platform's time."""
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM deposits WHERE status = 'credited'")
        (count,) = cursor.fetchone()
        return int(count)
