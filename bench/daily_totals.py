"""What do the daily totals cost an append of bets to the public log?

    python -m bench.daily_totals [--rounds 10]

Appends 5,000 bets, one in sixteen an opening, with the totals and without, in turns on a temporary
PostgreSQL.
Prints the CPU time of the process, the time in all, and what a bet costs more.
"""

import logging
import statistics
import tempfile
import time
from collections.abc import Collection

import click

from app import create_app
from bench.harness import bulk_history
from bench.harness.command_line import bench_command
from bench.harness.databases import packaged_postgres
from bench.harness.servers import drawn_secrets
from models.db import migrate
from models.db.connection import database, open_database, writing
from services.log.sequencer import BATCH
from settings import Settings

WAIT = "INSERT INTO log_waiting_bets (bet_id) SELECT id FROM bets"


class NoTotals:
    """Adds no bet."""

    def prepare(self, snapshot_ids: Collection[int], /) -> None:
        """Do nothing."""

    def add(self, bet_ids: Collection[int], /) -> None:
        """Do nothing."""


@bench_command(__doc__)
@click.option("--rounds", default=10, help="of each side")
def main(rounds: int) -> None:
    logging.getLogger("platform").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as place, packaged_postgres() as server:
        open_database(server.get_uri())
        migrate.upgrade()
        env = {"DATABASE_URL": server.get_uri(), "INSTANCE_DIR": place, **drawn_secrets()}
        services = create_app(Settings.from_env(env)).extensions["services"]
        services.log.append_now()
        history = bulk_history.begin(seeds=services.seeds, now=services.clock())
        bulk_history.extend(history, to=BATCH)
        kept = services.log.source._totals  # noqa: SLF001  # replaced in turns
        taken: dict[str, list[tuple[float, float]]] = {"with": [], "without": []}
        for _ in range(rounds):
            for side, totals in (("with", kept), ("without", NoTotals())):
                with writing():
                    database.execute_sql(WAIT)
                services.log.source._totals = totals  # noqa: SLF001
                cpu, began = time.process_time(), time.perf_counter()
                services.log.append_now()
                taken[side].append((time.process_time() - cpu, time.perf_counter() - began))
        shown = {
            side: [statistics.median(times) for times in zip(*each, strict=True)]
            for side, each in taken.items()
        }
        for side, (cpu, seconds) in shown.items():
            print(
                f"{side} totals: {BATCH:,} bets in {seconds:.3f} s, of which {cpu:.3f} s CPU of the process"
            )
        more = [
            (with_ - without) / BATCH * 1e6
            for with_, without in zip(shown["with"], shown["without"], strict=True)
        ]
        print(f"the totals: {more[0]:.1f} us of the process and {more[1]:.1f} us in all for a bet")


if __name__ == "__main__":
    main()
