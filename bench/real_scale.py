"""How long does a real catalogue take: 34,500 items, 440 cases that hold 32,000 items, 65,500 accounts?

    python -m bench.real_scale
    python -m bench.real_scale --database sqlite --users 1000 --rounds 1
    python -m bench.real_scale --beside

Runs the commands of operators on new databases: imports of items and cases, a refresh of all prices from a
feed, and the creation of accounts; then a new server answers ``/api/cases?type=all`` for the first time.
Prints the median seconds of each, and the CPU seconds of the command and of PostgreSQL. ``--beside`` prints
the 99th percentile of the spins of 20 players on PostgreSQL, while each command runs again and again, and
alone.
"""

import base64
import hashlib
import json
import random
import resource
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import NamedTuple

import click

from bench.speed.made_up import made_up_prices
from bench.speed.players import connected_players, make_players, play
from bench.speed.stage import ITEMS, Stage
from services.cases.contents import Width, share_equally
from tests.harness.command_line import bench_command
from tests.harness.databases import DurablePostgres, SqliteFiles, durable_postgres
from tests.harness.line_process import LineProcess
from tests.harness.price_sources import feed, price_server
from tests.harness.process_stats import cpu_seconds, cpu_seconds_of_ended
from tests.harness.servers import ROOT, flask_command

CASES = 440
ROWS = 32_000
ITEMS_IN_CASES = 8_000
MOST_IN_A_CASE = 568
"""As many as the largest real case has."""
PARTS_OF_A_PERCENT = 100_000
"""As exact as the chances of real cases."""

IMAGES = "https://images.example.com/economy/image/"

CROWD = 20
SPINNING_SECONDS = 8.0
EVERY_SECONDS = 0.25
WARMUP_SECONDS = 1.0


class Cost(NamedTuple):
    """What something took, in seconds: by the clock, and of CPU time, its own and that of PostgreSQL."""

    wall: float
    cpu: float
    database_cpu: float


@dataclass
class Scene:
    """A database, and the files that are imported into it."""

    stage: Stage
    url: str
    postgres: DurablePostgres | None
    feed_url: str
    set_prices: Callable[[int], None]
    """Lets the feed have other prices for all items, which this number decides."""
    users: int
    names: Iterator[int] = field(default_factory=count)

    @property
    def steps(self) -> dict[str, Callable[[], Cost]]:
        """What is measured, in this order."""
        return {
            "import of items": lambda: self.flask("items", "import", "items.json"),
            "import of cases": lambda: self.flask("cases", "import", "cases.json"),
            "import of the same items": lambda: self.flask("items", "import", "items.json"),
            "import of the same cases": lambda: self.flask("cases", "import", "cases.json"),
            "refresh of prices": self._refresh,
            "creation of accounts": lambda: self.flask(
                "users", "create", f"player{next(self.names)}", "--count", str(self.users)
            ),
        }

    def flask(self, *command: str) -> Cost:
        """Run a command, which must succeed."""
        env = {**self.stage.env, **self.stage.env_of(self.url), "PRICE_FEED_URL": self.feed_url}
        before = self._database_cpu()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.monotonic()
        arguments = [str(self.stage.directory / word) if word.endswith(".json") else word for word in command]
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(
                [*flask_command(), *arguments],
                env=env,
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.PIPE,
                check=False,
            )
        assert done.returncode == 0, done.stderr.decode()
        wall = time.monotonic() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
        return Cost(wall, cpu, self._database_cpu() - before)

    def _refresh(self) -> Cost:
        self.set_prices(next(self.names))
        return self.flask("prices", "refresh")

    def first_list(self) -> Cost:
        """The first answer of a new server."""
        with self.stage.platform(self.url) as server:
            before, used = self._database_cpu(), cpu_seconds(server.process.pid)
            began = time.monotonic()
            request = urllib.request.Request(  # noqa: S310  # of our own server
                f"{server.url}/api/cases?type=all", headers={"Accept-Encoding": "gzip"}
            )
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
                answer.read()
            wall = time.monotonic() - began
            return Cost(wall, cpu_seconds(server.process.pid) - used, self._database_cpu() - before)

    def _database_cpu(self) -> float:
        """Of PostgreSQL's processes, those that have ended too."""
        if self.postgres is None:
            return 0.0
        return cpu_seconds(self.postgres.pid) + cpu_seconds_of_ended(self.postgres.pid)


@bench_command(__doc__)
@click.option("--database", "which", type=click.Choice(["sqlite", "postgresql", "both"]), default="both")
@click.option("--users", default=65_500, help="accounts that are created")
@click.option("--rounds", default=3, help="new databases of each kind, or turns of spins")
@click.option("--beside", is_flag=True, help="measure spins beside the commands instead")
def main(*, which: str, users: int, rounds: int, beside: bool) -> None:
    if beside:
        with _scene("postgresql", users) as scene:
            _spin_beside(scene, rounds)
        return
    for kind in ["sqlite", "postgresql"] if which == "both" else [which]:
        costs: dict[str, list[Cost]] = {}
        for _ in range(rounds):
            with _scene(kind, users) as scene:
                for name, step in {**scene.steps, "first list of cases": scene.first_list}.items():
                    costs.setdefault(name, []).append(step())
        for name, rounds_of_it in costs.items():
            _print(f"{kind}: {name}", rounds_of_it)


def _print(what: str, costs: list[Cost]) -> None:
    wall, cpu, database_cpu = (statistics.median(each) for each in zip(*costs, strict=True))
    of_database = f", PostgreSQL {database_cpu:.1f} s" if database_cpu else ""
    click.echo(f"{what:<36}{wall:>7.2f} s; CPU {cpu:.1f} s{of_database}")


@contextmanager
def _scene(kind: str, users: int) -> Iterator[Scene]:
    with tempfile.TemporaryDirectory(prefix="scale-") as place, price_server() as prices_of_items:
        directory = Path(place)
        prices = made_up_prices(ITEMS)
        _write(directory, prices)

        def set_prices(number: int) -> None:
            prices_of_items.answer = feed({name: price + number + 1 for name, price in prices.items()})

        with _database(kind, directory) as (url, postgres):
            yield Scene(Stage(directory), url, postgres, prices_of_items.url, set_prices, users)


@contextmanager
def _database(kind: str, directory: Path) -> Iterator[tuple[str, DurablePostgres | None]]:
    if kind == "sqlite":
        with SqliteFiles(directory).fresh(directory) as url:
            yield url, None
        return
    with durable_postgres() as server, server.fresh() as url:
        yield url, server


def _write(directory: Path, prices: dict[str, int]) -> None:
    """The files of items and cases."""
    items = [
        {"appid": 730, "marketHashName": name, "price": cents / 100, "image": IMAGES + _token(name)}
        for name, cents in prices.items()
    ]
    (directory / "items.json").write_text(json.dumps(items))
    (directory / "cases.json").write_text(json.dumps(made_up_cases(list(prices))))


def _token(name: str) -> str:
    """A text that takes as many bytes as the part of a market's URL that tells the image."""
    return base64.urlsafe_b64encode(hashlib.sha512(name.encode()).digest() * 2).decode()


def made_up_cases(names: list[str]) -> list[dict[str, object]]:
    """Cases of realistic sizes, always the same: equal chances, as far as they sum to 100 percent."""
    drawn = random.Random(CASES)
    sizes = [min(MOST_IN_A_CASE, 2 + round(drawn.lognormvariate(3.4, 1))) for _ in range(CASES)]
    while (missing := ROWS - sum(sizes)) != 0:
        case = drawn.randrange(CASES)
        change = max(-20, min(20, missing))
        sizes[case] = max(2, min(MOST_IN_A_CASE, sizes[case] + change))
    return [
        {
            "name": f"Case {number}",
            "items": [
                {"marketHashName": name, "percentage": parts / PARTS_OF_A_PERCENT}
                for name, parts in zip(
                    drawn.sample(names[:ITEMS_IN_CASES], size),
                    share_equally(Width(100 * PARTS_OF_A_PERCENT), size),
                    strict=True,
                )
            ],
        }
        for number, size in enumerate(sizes)
    ]


def _spin_beside(scene: Scene, rounds: int) -> None:
    """Print the 99th percentile of spins beside each command, and that of spins alone, in turns."""
    players = make_players(scene.stage, scene.url, CROWD)
    with (
        scene.stage.platform(scene.url, PRICE_FEED_URL="") as server,
        connected_players(scene.stage, server, players) as connected,
    ):
        for name, step in scene.steps.items():
            step()
            pairs = []
            for _ in range(rounds):
                alone = _p99(connected)
                with _repeated(step):
                    pairs.append((alone, _p99(connected)))
            alone_ms, beside_ms = (statistics.median(side) for side in zip(*pairs, strict=True))
            ratio = statistics.median(beside / alone for alone, beside in pairs)
            click.echo(
                f"p99 beside the {name:<28}{beside_ms:>6.1f} ms instead of {alone_ms:.1f}: {ratio:.2f} times"
            )


def _p99(connected: LineProcess) -> float:
    return play(
        connected,
        seconds=SPINNING_SECONDS,
        warmup_seconds=WARMUP_SECONDS,
        every_seconds=EVERY_SECONDS,
    ).p99


@contextmanager
def _repeated(step: Callable[[], Cost]) -> Iterator[None]:
    """Run a command again and again during the block."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.is_set():
            step()

    with ThreadPoolExecutor(1) as thread:
        repeating = thread.submit(repeat)
        try:
            yield
        finally:
            ended.set()
        repeating.result()


if __name__ == "__main__":
    main()
