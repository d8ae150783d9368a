"""Times of a spin, the leaderboard and a player's own data as the number of players grows."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import peewee

from bench.speed.asking import Get
from bench.speed.players import BALANCE, Player, at_their_sockets, make_players
from bench.speed.result import Curve
from bench.speed.stage import Stage
from models.db.connection import database, writing
from models.totals import PeriodWager
from models.users import AnnouncedSeed, User
from services.shared.clock import Period, now_ms

SIZES = (100, 1_000, 10_000)
SPINNERS = 10
ASKED = 1_000
"""The most players whose own data are requested in turn."""

BOARDS = 5_000
SECONDS = 1.0
ROWS_A_STATEMENT = 1_000
FIRST_OTHER = 10_000_000_000_000_000


def measure(stage: Stage) -> Iterator[Curve]:
    """First quartiles on PostgreSQL: ten players spin, and one client requests the data of all in turn."""
    measured: dict[str, list[tuple[int, float]]] = {}
    with stage.postgres() as server, server.fresh(Path()) as url:
        spinners = make_players(stage, url, SPINNERS)
        platform_ids: list[str] = []
        for size in SIZES:
            platform_ids += _add_others(stage, url, len(platform_ids), size - SPINNERS)
            for what, milliseconds in _costs(stage, url, spinners, platform_ids):
                measured.setdefault(what, []).append((size, milliseconds))
    for what, points in measured.items():
        yield Curve(work=what, size="players", points=points)


def _costs(
    stage: Stage, url: str, spinners: Sequence[Player], platform_ids: Sequence[str]
) -> Iterator[tuple[str, float]]:
    asked = random.Random(1).sample(platform_ids, min(len(platform_ids), ASKED))
    own_data = [Get("/auth/me", {"Authorization": f"Bearer {token}"}) for token in _tokens(stage, url, asked)]
    # No URL is requested twice within the second for which responses are cached.
    boards = [
        Get(f"/leaderboard?period={period}&number={number}") for number in range(BOARDS) for period in Period
    ]
    with stage.platform(url) as platform:
        yield "/auth/me", stage.ask(platform, own_data, connections=1, seconds=SECONDS).p25
        yield "/leaderboard", stage.ask(platform, boards, connections=1, seconds=SECONDS).p25
        with at_their_sockets(stage, platform, spinners) as seated:
            yield (
                "a spin over a socket",
                seated.play(seconds=2 * SECONDS, warmup_seconds=0.5, every_seconds=0.1).p25,
            )


def _tokens(stage: Stage, url: str, platform_ids: Sequence[str]) -> list[str]:
    with stage.platform_here(url) as app:
        issue = app.extensions["services"].tokens.issue
        return [issue(platform_id=platform_id, session=0, now=now_ms()) for platform_id in platform_ids]


def _add_others(stage: Stage, url: str, there: int, upto: int) -> list[str]:
    """Insert players with places on the leaderboard but without bets. Returns their platform ids.

    Many are written in a statement. Their balances have no ledger entries, and their seeds are not real.
    """
    now, numbers = now_ms(), range(there, upto)
    with stage.platform_here(url), writing():
        _insert(User, [_account(number, now) for number in numbers])
        ids = list(User.select(User.id).order_by(User.id.desc()).limit(len(numbers)).scalars())
        seeds = [
            {
                "user": user,
                "nonce": 1,
                "server_seed_commitment": f"{user:064}",
                "sealed_server_seed": "x" * 180,
            }
            for user in ids
        ]
        _insert(AnnouncedSeed, seeds)
        wagers = [
            {
                "period": period,
                "starts_at_ms": period.calendar.start(now),
                "user": user,
                "wagered_cents": 100 + user * 7919 % 100_003,
            }
            for period in Period
            for user in ids
        ]
        _insert(PeriodWager, wagers)
        database.analyze_tables(User, AnnouncedSeed, PeriodWager)
    return [_platform_id(number) for number in numbers]


def _account(number: int, now: int) -> dict[str, object]:
    return {
        "platform_id": _platform_id(number),
        "username": f"another-{number}",
        "username_folded": f"another-{number}",
        "avatar": "",
        "registered_at_ms": now,
        "client_seed": f"seed-{number}",
        "balance_cents": BALANCE,
    }


def _platform_id(number: int) -> str:
    return str(FIRST_OTHER + number)


def _insert(table: type[peewee.Model], rows: Sequence[dict[str, object]]) -> None:
    for chunk in peewee.chunked(rows, ROWS_A_STATEMENT):
        table.insert_many(chunk).execute()
