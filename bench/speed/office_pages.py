"""Pages of the back office with a long history and many players, on PostgreSQL, and spins beside them.

The first player makes a tenth of all bets, and there is a player for ten bets. With ``--bets 10000000`` there
are a million players.
"""

import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle

import requests
from flask import Flask

from bench.speed.players import connected_players, make_players
from bench.speed.result import Row
from bench.speed.spinning import NEVER, Round, Spinning
from bench.speed.stage import Stage
from models.db.connection import writing
from services.shared.clock import now_ms
from services.staff import accounts, sessions
from services.staff.permissions import Role
from tests.harness import bulk_history
from tests.harness.servers import RunningServer

GOAL_MS = 500
REPEATS = 5
BETS_A_PLAYER = 10

CROWD = 20
EVERY_SECONDS = 1.0
"""Between two reports, as when ten people open one every ten seconds."""
GOAL_BESIDE = 0.95

PAGES = {
    "overview": "/office/",
    "players": "/office/players",
    "search": "/office/players?q=bulk-77",
    "a player": "/office/players/{player}",
    "ledger": "/office/players/{player}/ledger",
    "ledger, page 500": "/office/players/{player}/ledger?page=500",
    "bets": "/office/players/{player}/bets",
    "bets, page 500": "/office/players/{player}/bets?page=500",
    "payments": "/office/players/{player}/payments",
    "events": "/office/players/{player}/events",
    "withdrawals": "/office/withdrawals",
    "withdrawals, all": "/office/withdrawals?status=all",
    "deposits": "/office/payments",
    "discrepancies": "/office/payments/discrepancies",
    "prizes": "/office/prizes",
    "proposals": "/office/proposals",
    "cases": "/office/cases",
    "items": "/office/items",
    "report by day": "/office/reports",
    "report by case": "/office/reports?by=case",
    "report of payments": "/office/reports/payments",
    "report of liabilities": "/office/reports/liabilities",
    "alarms": "/office/alarms",
    "audit trail": "/office/audit-trail",
    "events of staff": "/office/audit-trail?by=staff",
    "staff": "/office/staff",
}

REPORTS = ["overview", *(page for page in PAGES if page.startswith("report"))]


def measure(stage: Stage) -> Iterator[Row]:
    """The slowest page, by the medians of some requests, and spins while reports are opened."""
    bets = stage.bets[-1]
    with stage.new_postgres() as url:
        with stage.platform_here(url) as app:
            begin = now_ms() - bets * bulk_history.MILLIS_A_BET
            written = bulk_history.begin(seeds=app.extensions["services"].seeds, now=begin)
            bulk_history.extend(written, to=bets)
            bulk_history.add_players(bets // BETS_A_PLAYER)
            bulk_history.settle()
            cookie = _sign_in(app)
        crowd = make_players(stage, url, CROWD)
        with stage.platform(url, UPGRADER_PROOF_DELAY=NEVER) as server:
            times = dict(_times(server, cookie, player=written.players[0].platform_id))
            with connected_players(stage, server, crowd) as connected:
                alone, beside = _spins(Spinning(stage, url, server, connected), server, cookie)
    slowest = max(times, key=lambda page: times[page])
    yield Row(
        work=f"the slowest page of the back office, {bets // BETS_A_PLAYER:,} players and {bets:,} bets",
        against="the goal of half a second",
        goal=GOAL_MS,
        measured=times[slowest],
        at_most=True,
        unit="ms",
        detail="; ".join(
            f"{page} {times[page]:,.0f}" for page in sorted(times, key=lambda page: -times[page])
        ),
    )
    yield Row(
        work=f"spins of {CROWD} players while a report is opened every second",
        against="the same without reports",
        goal=GOAL_BESIDE,
        measured=beside.per_second / alone.per_second,
        detail=f"{beside.per_second:,.0f} and {alone.per_second:,.0f} spins/s",
    )


def _spins(spinning: Spinning, server: RunningServer, cookie: dict[str, str]) -> tuple[Round, Round]:
    """Spins without and with reports. The first round warms up."""
    spinning.without_proofs()
    alone = spinning.without_proofs()
    with _reports(server, cookie):
        return alone, spinning.without_proofs()


@contextmanager
def _reports(server: RunningServer, cookie: dict[str, str]) -> Iterator[None]:
    """Open one report after the other during the block."""
    ended = threading.Event()

    def open_reports() -> None:
        for page in cycle(REPORTS):
            _open(server, cookie, PAGES[page])
            if ended.wait(EVERY_SECONDS):
                return

    thread = threading.Thread(target=open_reports)
    thread.start()
    yield
    ended.set()
    thread.join()


def _open(server: RunningServer, cookie: dict[str, str], path: str) -> None:
    answer = requests.get(f"{server.url}{path}", cookies=cookie, allow_redirects=False, timeout=60)
    assert answer.status_code == requests.codes.ok, f"{path} was answered with {answer.status_code}"


def _sign_in(app: Flask) -> dict[str, str]:
    """The cookie of an administrator's session."""
    services = app.extensions["services"]
    services.staff_accounts.add(name="bench", role=Role.ADMIN, now=services.clock())
    account = accounts.get("bench")
    with writing():
        token = sessions.begin(account_id=account.id, network="127.0.0.1", now=services.clock())
    serializer = app.session_interface.get_signing_serializer(app)
    return {app.config["SESSION_COOKIE_NAME"]: serializer.dumps({"_user_id": token, "_fresh": True})}


def _times(server: RunningServer, cookie: dict[str, str], *, player: str) -> Iterator[tuple[str, float]]:
    """The median of the milliseconds of each page. The first request of each warms up."""
    for name, path in PAGES.items():
        taken = []
        for _ in range(REPEATS + 1):
            began = time.perf_counter()
            _open(server, cookie, path.format(player=player))
            taken.append((time.perf_counter() - began) * 1000)
        yield name, statistics.median(taken[1:])
