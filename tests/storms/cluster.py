"""Is anything lost when processes, Redis or a clock fail while players play at several processes?

    python -m tests.storms.cluster
    python -m tests.storms.cluster --processes 5 --only redis
    python -m tests.storms.cluster --seed "the one that was printed"

Players use spins, battles, the vault, promo codes and deposits at processes that share a temporary PostgreSQL
and a Redis. The relays of the drand network that decides the battles are in trouble as well, and so are the
witnesses of the log. A player whose connection ends connects to the next process. After each fault, every
answer is compared with the database, and every proof must have come within ten seconds of being due.

Prints a line for each fault, and up to 20 for its broken guarantees. Exits with 1 when there is one.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from tests.harness.cluster import PROCESSES, Cluster, Process
from tests.harness.command_line import bench_command, end_with, seed_option
from tests.harness.databases import bench_env
from tests.harness.local_app import local_app
from tests.harness.redis import RedisServer, redis_server
from tests.storms.crashes.network import storm_network
from tests.storms.crashes.storm import CrashStorm, Report
from tests.storms.crashes.witnesses import storm_witnesses

LONGEST_DELAY_MS = 10_000
"""A connected player receives a proof so soon after it is due, whatever happens."""

CLOCK_AHEAD = {"FAKETIME": "+60s", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
"""Set a process's clock ahead, but not its monotonic timers."""

AHEAD = "ahead of the database's"
"""What a process logs at its start."""

PLAYERS, SOCKETS = 10, 20
PROOF_DELAY = "2"
"""Seconds. As in production, bets are appended to the log, once a second, before their proofs are due."""
MOST_LINES = 20
HEAD = f"{'fault':<32}{'seconds':>9}{'bets':>9}{'slowest proof':>16}  problems"

Steps = Sequence[Callable[[], object]]


def last(fault: AbstractContextManager[object], seconds: float) -> None:
    """Let a fault last for this time."""
    with fault:
        time.sleep(seconds)


def set_a_clock_ahead(servers: Cluster, seconds: float) -> None:
    """Start a process again whose machine's clock is ahead; after these seconds, with the right one."""
    # Not the command faketime: it does not pass signals on.
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    process = servers.processes[-1]
    for preload in ({"LD_PRELOAD": str(library), **CLOCK_AHEAD}, {}):
        process.preload = preload
        restart(process)
        assert process.running is not None
        assert (AHEAD in process.running.log.read_text()) == bool(preload)
        time.sleep(seconds if preload else 0)


def pause_each(servers: Cluster, seconds: float) -> None:
    """Let one process after the other stand still for this time, and go on between them."""
    for process in servers.processes:
        assert process.running is not None
        last(process.running.paused(), seconds)
        time.sleep(2)


def restart_each(servers: Cluster) -> None:
    """Restart all processes one after the other, as a new release does."""
    for process in servers.processes:
        restart(process)


def restart(process: Process) -> None:
    code = process.stop()
    assert code == 0, f"a process that was stopped exited with {code}"
    process.start()


FAULTS: dict[str, Callable[[CrashStorm, RedisServer], Steps]] = {
    "a process killed every 5 s": lambda storm, _: [lambda: (time.sleep(5), storm.kill_server())] * 12,
    "processes paused for 6 s": lambda storm, _: [lambda: pause_each(storm.servers, 6)] * 3,
    "redis paused for 30 s": lambda _, redis: [lambda: last(redis.paused(), 30)] * 2,
    "redis killed for 30 s": lambda _, redis: [lambda: last(redis.away(), 30)] * 2,
    "redis: subscribers cut": lambda storm, redis: (
        [lambda: redis.cut_subscribers(len(storm.servers.processes)), lambda: time.sleep(3)] * 20
    ),
    "a clock ahead by a minute": lambda storm, _: [lambda: set_a_clock_ahead(storm.servers, 60)],
    "processes restarted in turn": lambda storm, _: [lambda: restart_each(storm.servers)] * 3,
}


@bench_command(__doc__)
@click.option("--processes", default=PROCESSES, help="how many")
@click.option("--only", default="", help="only faults with this in their name, such as 'redis'")
@seed_option
def main(*, processes: int, only: str, seed: str) -> None:
    click.echo(f"seed {seed}\n{HEAD}")
    problems = []
    for name, faults in FAULTS.items():
        if only not in name:
            continue
        with redis_server() as redis:
            report = _endure(faults, redis, processes, seed)
        click.echo(
            f"{name:<32}{report.seconds:>9.0f}{report.counts['bets']:>9,}"
            f"{report.slowest_proof_ms:>13,} ms  {len(report.problems)}"
        )
        problems += [f"{name}: {line}" for line in report.problems[:MOST_LINES]]
    end_with(problems)


def _endure(
    faults: Callable[[CrashStorm, RedisServer], Steps], redis: RedisServer, processes: int, seed: str
) -> Report:
    settings = {"REDIS_URL": redis.url, "UPGRADER_PROOF_DELAY": PROOF_DELAY, "PROCESSES": str(processes)}
    with (
        storm_network(seed) as network,
        TemporaryDirectory() as place,
        storm_witnesses(seed, Path(place)) as witnesses,
        bench_env(postgresql=True, **settings, **network.settings, **witnesses.settings) as env,
        local_app(env) as app,
    ):
        storm = CrashStorm(
            app, env, players=PLAYERS, sockets=SOCKETS, seed=seed, network=network, witnesses=witnesses
        )
        report = storm.endure(faults(storm, redis), longest_delay_ms=LONGEST_DELAY_MS)
    if not report.counts["spin, acknowledged"]:
        report.problems.append("nobody could spin")
    return report


if __name__ == "__main__":
    main()
