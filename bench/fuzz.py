"""Does every answer to generated requests match the API document?

    python -m bench.fuzz
    python -m bench.fuzz --examples 2000 --seed 7 --postgresql

Calls every operation of a server with data, over a real port, on a temporary SQLite file or, with
--postgresql, a temporary PostgreSQL. A seed repeats its requests. bench/harness/fuzzing.py has the checks.

Prints the operations, the requests by kind, the answers by status, and each failure with a request that
reproduces it. Exits with 1 when there is one.
"""

import logging
import sys
import time

import click

from bench.harness.command_line import bench_command
from bench.harness.databases import bench_env
from bench.harness.fuzzing import SEED, Fuzzed, fuzz
from bench.harness.local_app import local_app
from bench.harness.sample_data import add_sample_data
from bench.harness.servers import threaded_server

NOWHERE = "http://127.0.0.1:9"


@bench_command(__doc__)
@click.option("--examples", default=200, help="generated requests of an operation, at most")
@click.option("--seed", default=SEED)
@click.option("--postgresql", is_flag=True, help="on a temporary PostgreSQL")
def main(*, examples: int, seed: int, postgresql: bool) -> None:
    logging.disable(logging.CRITICAL)
    settings = {
        # Otherwise most requests would be answered with 429.
        "RATELIMIT_ENABLED": "0",
        "PLATFORM_OPENID_URL": f"{NOWHERE}/openid/login",
        "PLATFORM_API_URL": NOWHERE,
    }
    with bench_env(postgresql=postgresql, **settings) as env, local_app(env) as app:
        player = add_sample_data(app)
        began = time.perf_counter()
        with threaded_server(app) as address:
            found = fuzz(address, player, examples=examples, seed=seed)
        seconds = time.perf_counter() - began
    _report(found, seconds)
    sys.exit(1 if found.failures else 0)


def _report(found: Fuzzed, seconds: float) -> None:
    print(f"operations  {len(found.operations)}")
    print(f"requests    {sum(found.cases.values())} in {seconds:.0f} s: {_counts(found.cases)}")
    print(f"answers     {_counts(found.statuses)}")
    print(f"failures    {len(found.failures)}")
    for (operation, check), what in found.failures.items():
        print(f"\n{operation}: {check}\n{what}")


def _counts(counted: dict[str, int] | dict[int, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counted.items()) if count)


if __name__ == "__main__":
    main()
