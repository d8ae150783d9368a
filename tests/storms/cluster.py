"""Is anything lost when processes, Redis or a clock fail while players play at several processes?

    python -m tests.storms.cluster
    python -m tests.storms.cluster --processes 5 --only redis
    python -m tests.storms.cluster --seed "the one that was printed"

Players use spins, the vault, promo codes and deposits at processes that share a temporary PostgreSQL and a
Redis. A player whose connection ends connects to the next process. After each fault, every answer is
compared with the database, and every proof must have come within ten seconds of being due.

Prints a line for each fault, and up to 20 for its broken guarantees. Exits with 1 when there is one.
"""

import secrets
import sys
import time
from collections.abc import Callable, Sequence

import click

from tests.harness.cluster import PROCESSES
from tests.harness.command_line import bench_command
from tests.harness.databases import bench_env
from tests.harness.local_app import local_app
from tests.harness.redis import RedisServer, redis_server
from tests.storms.crashes.cluster_faults import (
    LONGEST_DELAY_MS,
    last,
    pause_each,
    restart_each,
    set_a_clock_ahead,
)
from tests.storms.crashes.memory import ActKind, Outcome
from tests.storms.crashes.storm import CrashStorm, Report

PLAYERS, SOCKETS = 10, 20
PROOF_DELAY = "2"
"""Seconds. As in production, bets are appended to the log, once a second, before their proofs are due."""
MOST_LINES = 20
HEAD = f"{'fault':<32}{'seconds':>9}{'bets':>9}{'slowest proof':>16}  problems"

Steps = Sequence[Callable[[], object]]


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
@click.option("--seed", default=lambda: secrets.token_hex(8), help="any text, by default a new one each time")
def main(*, processes: int, only: str, seed: str) -> None:
    print(f"seed {seed}\n{HEAD}", flush=True)
    broken = 0
    for name, faults in FAULTS.items():
        if only not in name:
            continue
        with redis_server() as redis:
            report = _endure(faults, redis, processes, seed)
        print(
            f"{name:<32}{report.seconds:>9.0f}{report.audited.get('bets', 0):>9,}"
            f"{report.slowest_proof_ms:>13,} ms  {len(report.problems)}",
        )
        for line in report.problems[:MOST_LINES]:
            print(f"  {line}")
        sys.stdout.flush()
        broken += len(report.problems)
    sys.exit(bool(broken))


def _endure(
    faults: Callable[[CrashStorm, RedisServer], Steps], redis: RedisServer, processes: int, seed: str
) -> Report:
    settings = {"REDIS_URL": redis.url, "UPGRADER_PROOF_DELAY": PROOF_DELAY, "PROCESSES": str(processes)}
    with bench_env(postgresql=True, **settings) as env, local_app(env) as app:
        storm = CrashStorm(app, env, players=PLAYERS, sockets=SOCKETS, seed=seed)
        report = storm.endure(faults(storm, redis), longest_delay_ms=LONGEST_DELAY_MS)
    if not report.counts.get((ActKind.SPIN, Outcome.ACKNOWLEDGED)):
        report.problems.append("nobody could spin")
    return report


if __name__ == "__main__":
    main()
