"""Times of spins through nginx while others download the whole catalogue as fast as they can."""

import statistics
from collections.abc import Iterator

from bench.harness.line_process import LineProcess
from bench.harness.servers import RunningServer
from bench.speed import wrk
from bench.speed.compare import Comparison, take_turns
from bench.speed.http_load import CONNECTIONS, WARMUP_SECONDS, Load
from bench.speed.items import GZIP
from bench.speed.nginx import in_front_of
from bench.speed.players import connected_players, make_players, play
from bench.speed.ready import fetch
from bench.speed.result import Row
from bench.speed.stage import ITEMS, Stage

CROWD = 20
EVERY_SECONDS = 0.25
"""How often each player spins. All spins together leave the server time for other requests."""

SECONDS = 5.0
QUICK_SECONDS = 1.5


def measure(stage: Stage) -> Iterator[Row]:
    """The 99th percentile from sending a spin to its acknowledgement, on PostgreSQL."""
    with stage.new_postgres(items=ITEMS) as url:
        players = make_players(stage, url, CROWD)
        with (
            stage.platform(url, TRUSTED_PROXIES="1") as platform,
            in_front_of(stage, platform) as proxied,
            connected_players(stage, proxied, players) as connected,
        ):
            # The first request builds the catalogue.
            fetch(proxied, GZIP)
            yield _row(stage, proxied, connected)


def _row(stage: Stage, proxied: RunningServer, connected: LineProcess) -> Row:
    def alone() -> Load:
        seconds = QUICK_SECONDS if stage.quick else SECONDS
        return play(
            connected, seconds=seconds, warmup_seconds=2 * WARMUP_SECONDS, every_seconds=EVERY_SECONDS
        )

    def beside() -> Load:
        with wrk.background_load(proxied.url + GZIP.path, GZIP.headers, core=stage.cores.load):
            return alone()

    loads = take_turns(beside, alone, rounds=stage.rounds)
    compared = Comparison.of("p99", *loads)
    own, other = (statistics.median(load.p50 for load in side) for side in loads)
    return Row(
        work="spin, 99th percentile, while /upgrader/items is asked at full speed, through nginx",
        against="the same without",
        goal=1.5,
        at_most=True,
        measured=compared.ratio,
        detail=(
            f"{compared.text('ms')}, {CONNECTIONS} connections; "
            f"medians {own:.3g} to {other:.3g} ms; "
            f"{CROWD} players with {1 / EVERY_SECONDS:.0f} spins a second each, PostgreSQL"
        ),
    )
