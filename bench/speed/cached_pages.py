"""Cached pages and a player's own data, compared with a Flask view that returns the same bytes."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path

from bench.harness import bulk_history
from bench.harness.bulk_history import MILLIS_A_BET
from bench.harness.servers import RunningServer
from bench.speed.asking import Get
from bench.speed.ready import FLASK, fetch, ready_peer
from bench.speed.requests_per_second import Asked, requests_per_second
from bench.speed.result import Row
from bench.speed.stage import Stage
from services.cases import importing
from services.shared.clock import now_ms

ITEMS = 1_000
CASES = 100
BETS = 10_000
LAST_BETS_AGO_MS = 60_000


def measure(stage: Stage) -> Iterator[Row]:
    """Requests a second, on PostgreSQL, while nothing changes."""
    with stage.postgres() as server, server.fresh(Path()) as url:
        tokens = fill(stage, url)
        with stage.platform(url) as platform:
            everybody = [Get("/auth/me", {"Authorization": f"Bearer {token}"}) for token in tokens]
            yield _row(stage, platform, "/api/cases/:id", 0.6, [Get("/api/cases/case-7")])
            yield _row(stage, platform, "/stats/live-bets", 0.6, [Get("/stats/live-bets")])
            yield _row(stage, platform, "/leaderboard", 0.6, [Get("/leaderboard")])
            yield _row(stage, platform, "/auth/me", 0.35, everybody)


def _row(stage: Stage, platform: RunningServer, work: str, goal: float, gets: Sequence[Get]) -> Row:
    answer = fetch(platform, gets[0])
    with ready_peer(stage, FLASK, answer) as flask:
        seen = requests_per_second(stage, Asked(platform, gets), Asked(flask, gets))
    players = f" of {len(gets)} players" if len(gets) > 1 else ""
    return Row(
        work=work,
        against="a Flask view with the same bytes, same worker",
        goal=goal,
        measured=seen.compared.ratio,
        detail=f"{seen}; {len(answer.body):,} bytes{players}; PostgreSQL",
    )


def fill(stage: Stage, url: str) -> list[str]:
    """Add cases, and players with a history that ends now. Returns the players' tokens."""
    with stage.platform_here(url) as app:
        services = app.extensions["services"]
        stage.import_items(ITEMS)
        importing.import_cases(_cases(list(stage.prices(ITEMS))), now=now_ms())
        written = bulk_history.begin(
            seeds=services.seeds, now=now_ms() - BETS * MILLIS_A_BET - LAST_BETS_AGO_MS
        )
        bulk_history.extend(written, to=BETS)
        return [
            services.tokens.issue(platform_id=player.platform_id, session=0, now=now_ms())
            for player in written.players
        ]


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
