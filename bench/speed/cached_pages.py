"""Cached pages and a player's own data, compared with a Flask view that returns the same bytes."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import partial

from bench.speed.compare import requests_per_second
from bench.speed.http_load import Get
from bench.speed.made_up import made_up_prices
from bench.speed.ready import FLASK, fetch, ready_peer
from bench.speed.result import Row
from bench.speed.stage import Stage
from services.cases import importing
from services.shared.clock import now_ms
from tests.harness import bulk_history
from tests.harness.bulk_history import MILLIS_A_BET
from tests.harness.players import Player, signed_in
from tests.harness.servers import RunningServer

ITEMS = 1_000
CASES = 100
BETS = 10_000
LAST_BETS_AGO_MS = 60_000


def measure(stage: Stage) -> Iterator[Row]:
    """Requests a second, on PostgreSQL, while nothing changes."""
    with stage.new_postgres() as url:
        players = fill(stage, url)
        with stage.platform(url) as platform:
            everybody = [Get("/auth/me", player.headers) for player in players]
            yield _row(stage, platform, "/api/cases/:id", 0.7, [Get("/api/cases/case-7")])
            yield _row(stage, platform, "/stats/live-bets", 0.6, [Get("/stats/live-bets")])
            yield _row(stage, platform, "/leaderboard", 0.6, [Get("/leaderboard")])
            yield _row(stage, platform, "/auth/me", 0.5, everybody)


def _row(stage: Stage, platform: RunningServer, work: str, goal: float, gets: Sequence[Get]) -> Row:
    answer = fetch(platform, gets[0])
    with ready_peer(stage, FLASK, answer) as flask:
        ratio, figures = requests_per_second(
            partial(stage.ask, platform, gets), partial(stage.ask, flask, gets), rounds=stage.rounds
        )
    players = f" of {len(gets)} players" if len(gets) > 1 else ""
    return Row(
        work=work,
        against="a Flask view with the same bytes, same worker",
        goal=goal,
        measured=ratio,
        detail=f"{figures}; {len(answer.body):,} bytes{players}; PostgreSQL",
    )


def fill(stage: Stage, url: str) -> list[Player]:
    """Add cases, and players with a history that ends now."""
    with stage.platform_here(url) as app:
        stage.import_items(ITEMS)
        importing.import_cases(_cases(list(made_up_prices(ITEMS))), now=now_ms())
        written = bulk_history.begin(
            seeds=app.extensions["services"].seeds, now=now_ms() - BETS * MILLIS_A_BET - LAST_BETS_AGO_MS
        )
        bulk_history.extend(written, to=BETS)
        return [signed_in(app, user) for user in written.players]


def _cases(names: Sequence[str]) -> list[dict[str, object]]:
    return [
        {
            "name": f"Case {number}",
            "items": [
                {"marketHashName": name, "percentage": Decimal(10)}
                for name in names[number * 10 : number * 10 + 10]
            ],
        }
        for number in range(CASES)
    ]
