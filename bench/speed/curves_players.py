"""Times of a spin, the leaderboard and a player's own data as the number of players grows."""

import random
from collections.abc import Iterator, Sequence

from bench.harness.many_players import copy_player
from bench.harness.players import Player, signed_in
from bench.speed.http_load import Get
from bench.speed.players import connected_players, make_players, play
from bench.speed.result import Curve
from bench.speed.stage import Stage
from models.db.connection import database, reading, writing
from models.db.postgres import Postgres
from models.users import User
from services.shared.clock import now_ms
from services.statistics.leaderboard import Period

SIZES = (100, 1_000, 10_000)
SPINNERS = 10
ASKED = 1_000
"""The most players whose own data are requested in turn."""

BOARDS = 5_000
SECONDS = 1.0
ADD_WAGERS = """
UPDATE users SET {0}_starts_at_ms = %s, {0}_wagered_cents = 100 + id * 7919 %% 100003
WHERE id <> %s AND {0}_wagered_cents = 0
"""


def measure(stage: Stage) -> Iterator[Curve]:
    """First quartiles on PostgreSQL: ten players spin, and one client requests the data of all in turn."""
    measured: dict[str, list[tuple[int, float]]] = {}
    with stage.new_postgres() as url:
        spinners = make_players(stage, url, SPINNERS)
        for before, size in zip((SPINNERS, *SIZES), SIZES, strict=False):
            _add_others(stage, url, spinners[0].user, before - SPINNERS + 1, size - SPINNERS)
            for what, milliseconds in _costs(stage, url, spinners):
                measured.setdefault(what, []).append((size, milliseconds))
    for what, points in measured.items():
        yield Curve(work=what, size="players", points=points)


def _costs(stage: Stage, url: str, spinners: Sequence[Player]) -> Iterator[tuple[str, float]]:
    own_data = [Get("/auth/me", player.headers) for player in _others(stage, url, spinners)]
    # No URL is requested twice within the second for which responses are cached.
    boards = [
        Get(f"/leaderboard?period={period}&number={number}") for number in range(BOARDS) for period in Period
    ]
    with stage.platform(url) as platform:
        yield "/auth/me", stage.ask(platform, own_data, connections=1, seconds=SECONDS).p25
        yield "/leaderboard", stage.ask(platform, boards, connections=1, seconds=SECONDS).p25
        with connected_players(stage, platform, spinners) as connected:
            yield (
                "a spin over a socket",
                play(connected, seconds=2 * SECONDS, warmup_seconds=0.5, every_seconds=0.1).p25,
            )


def _others(stage: Stage, url: str, spinners: Sequence[Player]) -> list[Player]:
    with stage.platform_here(url) as app:
        with reading():
            others = list(User.select().where(User.id > spinners[-1].id))
        chosen = random.Random(1).sample(others, min(len(others), ASKED))
        return [signed_in(app, user) for user in chosen]


def _add_others(stage: Stage, url: str, user: User, first: int, last: int) -> None:
    """Add players with places on the leaderboard but without bets."""
    with stage.platform_here(url), writing():
        copy_player(user, first=first, last=last)
        for period in Period:
            calendar = period.calendar
            database.execute_sql(ADD_WAGERS.format(calendar), [calendar.start(now_ms()), user.id])
        if isinstance(database.obj, Postgres):
            database.execute_sql("ANALYZE")
