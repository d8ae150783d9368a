"""Pages of the back office with a long history and many players, on PostgreSQL.

The first player makes a tenth of all bets, and there is a player for ten bets. With ``--bets 10000000`` there
are a million players.
"""

import statistics
import time
from collections.abc import Iterator

import requests
from flask import Flask

from bench.harness import bulk_history
from bench.harness.servers import RunningServer
from bench.speed.result import Row
from bench.speed.stage import Stage
from models.db.connection import writing
from services.shared.clock import now_ms
from services.staff import accounts, sessions
from services.staff.permissions import Role

GOAL_MS = 500
REPEATS = 5
BETS_A_PLAYER = 10

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
    "deposits": "/office/payments",
    "findings": "/office/payments/findings",
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
    "staff": "/office/staff",
}


def measure(stage: Stage) -> Iterator[Row]:
    """The slowest page, by the medians of some requests."""
    bets = stage.bets[-1]
    with stage.new_postgres() as url:
        with stage.platform_here(url) as app:
            begin = now_ms() - bets * bulk_history.MILLIS_A_BET
            written = bulk_history.begin(seeds=app.extensions["services"].seeds, now=begin)
            bulk_history.extend(written, to=bets)
            bulk_history.add_players(bets // BETS_A_PLAYER)
            bulk_history.settle()
            cookie = _sign_in(app)
        with stage.platform(url) as server:
            times = dict(_times(server, cookie, player=written.players[0].platform_id))
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
            answer = requests.get(
                f"{server.url}{path.format(player=player)}", cookies=cookie, allow_redirects=False, timeout=60
            )
            taken.append((time.perf_counter() - began) * 1000)
            assert answer.status_code == requests.codes.ok, f"{path} was answered with {answer.status_code}"
        yield name, statistics.median(taken[1:])
