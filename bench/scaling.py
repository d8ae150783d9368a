"""What do one, two and three processes carry?

    python -m bench.scaling
    python -m bench.scaling --rounds 5

Players spin over real sockets on a temporary PostgreSQL with fsync: on one process without Redis, and on two
and three with Redis. All programs and the load tools share the two cores, so look at the CPU time of a spin:
it says what further cores would give.

Prints a table with the ratios to one process.
"""

import logging
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
import psycopg2

from bench.speed.compare import take_turns
from bench.speed.players import connected_players, make_players, play
from bench.speed.spinning import SOON, UNDER_WAY_SECONDS, wait_for_proofs
from bench.speed.stage import Stage
from tests.harness.cluster import cluster
from tests.harness.command_line import bench_command
from tests.harness.databases import DurablePostgres, durable_postgres
from tests.harness.line_process import LineProcess
from tests.harness.players import Player
from tests.harness.process_stats import cpu_seconds
from tests.harness.redis import redis_server
from tests.harness.servers import RunningServer, drawn_secrets

PROCESSES = (1, 2, 3)
PLAYERS = 60
WAL_AND_SIZE = "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn, pg_database_size(current_database())"


class ClusterStage(Stage):
    """A stage whose secrets are settings, since processes of a cluster need equal ones."""

    @property
    def env(self) -> dict[str, str]:
        return {**super().env, "UPGRADER_PROOF_DELAY": SOON, **SECRETS}


SECRETS = drawn_secrets()


@dataclass
class Running:
    """Processes on one database, and what was measured with them."""

    stage: Stage
    postgres: DurablePostgres
    url: str
    players: Sequence[Player]
    servers: list[RunningServer]
    redis_pid: int | None

    def play(self, connected: Sequence[LineProcess]) -> dict[str, float]:
        """Let all players spin for a while; spins a second, and what a spin with its proof takes."""
        before = self._used()
        warmup, seconds = UNDER_WAY_SECONDS, self.stage.seconds
        with ThreadPoolExecutor(len(connected)) as pool:
            loads = list(pool.map(lambda each: play(each, seconds=seconds, warmup_seconds=warmup), connected))
        wait_for_proofs(self.url)
        answered = sum(load.answered_in_all for load in loads)
        costs = {name: (now - before[name]) / answered for name, now in self._used().items()}
        return {"per_second": sum(load.per_second for load in loads), **costs}

    def _used(self) -> dict[str, float]:
        """CPU time in microseconds, and bytes of the log and the disk, so far."""
        with closing(psycopg2.connect(self.url)) as connection, connection.cursor() as cursor:
            cursor.execute(WAL_AND_SIZE)
            wal, size = cursor.fetchone() or (0, 0)
        return {
            "platform_us": sum(cpu_seconds(server.process.pid) for server in self.servers) * 1e6,
            "postgres_us": cpu_seconds(self.postgres.pid) * 1e6,
            "redis_us": cpu_seconds(self.redis_pid) * 1e6 if self.redis_pid else 0.0,
            "wal_bytes": float(wal),
            "disk_bytes": float(size),
        }


@contextmanager
def running(stage: Stage, postgres: DurablePostgres, processes: int) -> Iterator[Running]:
    """Start so many processes on a new database; one has no Redis."""
    with ExitStack() as stack:
        url = stack.enter_context(postgres.fresh())
        players = make_players(stage, url, PLAYERS)
        env = {**stage.env, **stage.env_of(url)}
        redis_pid = None
        if processes > 1:
            redis = stack.enter_context(redis_server())
            env["REDIS_URL"], redis_pid = redis.url, redis.pid
        directory = Path(tempfile.mkdtemp(dir=stage.directory))
        started = stack.enter_context(cluster(env, directory, processes=processes))
        servers = [process.running for process in started.processes if process.running]
        yield Running(stage, postgres, url, players, servers, redis_pid)


@bench_command(__doc__)
@click.option("--rounds", default=3, help="of spins with each number")
def main(rounds: int) -> None:
    logging.getLogger("platform").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory(prefix="scaling-") as place, ExitStack() as stack:
        stage = ClusterStage(Path(place))
        postgres = stack.enter_context(durable_postgres())
        all_of_them = [stack.enter_context(running(stage, postgres, count)) for count in PROCESSES]
        sides = []
        for each in all_of_them:
            connected = [
                stack.enter_context(
                    connected_players(stage, server, each.players[number :: len(each.servers)])
                )
                for number, server in enumerate(each.servers)
            ]
            sides.append(lambda each=each, connected=connected: each.play(connected))
        costs = {}
        for each, figures in zip(all_of_them, take_turns(*sides, rounds=rounds), strict=True):
            names = figures[0].keys()
            costs[str(len(each.servers))] = {
                name: statistics.median(of[name] for of in figures) for name in names
            }
    _print(costs)


def _print(costs: dict[str, dict[str, float]]) -> None:
    one = costs["1"]
    print(f"{'':28}" + "".join(f"{f'{count} processes':>22}" for count in costs))
    for name, figure in one.items():
        cells = [
            f"{each[name]:,.1f} ({each[name] / figure:.2f})" if figure else f"{each[name]:,.1f}"
            for each in costs.values()
        ]
        print(f"{name:28}" + "".join(f"{cell:>22}" for cell in cells))


if __name__ == "__main__":
    main()
