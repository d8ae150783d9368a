"""How fast is it? Every speed goal, measured on this machine, in one table.

    python -m bench.speed
    python -m bench.speed items spins --quick
    python -m bench.speed curves_bets --bets 10000,10000000

Each row is a ratio to a ceiling that is measured in turns with it, the server on one core and the load
generator on the other. Everything takes about fifteen minutes. The table says which goals are missed. Exits
with 1 when something could not be measured.
"""

import importlib
import logging
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from bench.speed.result import Row
from bench.speed.stage import Stage
from tests.harness.command_line import bench_command

FAMILIES = (
    "items",
    "pages",
    "cached_pages",
    "spins",
    "spins_peers",
    "spin_latency",
    "sockets",
    "curves_bets",
    "hub",
    "deposits",
    "log_appends",
    "office_pages",
    "page_responses",
)
BETS = "10000,100000,1000000"


def _sizes(text: str) -> list[int]:
    return sorted({int(size) for size in text.split(",")})


@bench_command(f"{__doc__}\n\nRows: {', '.join(FAMILIES)}")
@click.argument("families", nargs=-1, type=click.Choice(FAMILIES), metavar="[ROWS]...")
@click.option("--quick", is_flag=True, help="short rounds: whether it works, not how fast")
@click.option("--bets", type=_sizes, default=BETS, help="histories, growing, separated by commas")
def main(families: Sequence[str], *, quick: bool, bets: list[int]) -> None:
    logging.getLogger("platform").setLevel(logging.ERROR)
    # As for Ctrl-C: every process that was started is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    rows: list[Row] = []
    failed: list[str] = []
    with tempfile.TemporaryDirectory(prefix="speed-") as place:
        stage = Stage(Path(place), quick=quick, bets=bets)
        if not stage.cores.are_two:
            print("There is one core only: servers and load tools share it, and ratios say less.")
        for family in families or FAMILIES:
            began = time.monotonic()
            try:
                rows += _measure(family, stage)
            except Exception:  # noqa: BLE001  # the other rows are worth having
                traceback.print_exc()
                failed.append(family)
            print(f"{family}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    print("\n\n".join(row.text() for row in rows))
    if failed:
        sys.exit(f"not measured: {', '.join(failed)}")


def _measure(family: str, stage: Stage) -> Iterator[Row]:
    for row in importlib.import_module(f"bench.speed.{family}").measure(stage):
        print(f"  {row.work}: {row.measured:.2f}", file=sys.stderr, flush=True)
        yield row


if __name__ == "__main__":
    main()
