"""What do so many concurrent players need?

    python -m bench.capacity
    python -m bench.capacity --players 50000 --spin-every 5
    python -m bench.capacity --costs bench/results/scaling.json

Computes the processes, cores, disk and network for numbers of players from the measured costs of a spin, a
socket and a sent live bet, and simulates spins through these processes, PostgreSQL's cores and its commits,
for the time of a spin. docs/scaling.md has the table.

``--costs`` reads what ``python -m bench.scaling`` wrote on this machine; without it the costs are those of
docs/scaling.md.
"""

import heapq
import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import click

from bench.harness.command_line import bench_command

BUSY = 0.6
"""How much of a core may be used on average. Above it, waiting times grow fast."""

SIGNALS_BUSY = 0.15
"""How much of each process the signals of spins may use; every process hears all of them."""

DATABASE_CORES = 64
"""Of the largest usual database server. More load needs cells: each has a part of the players, with their own
processes, Redis and PostgreSQL."""

ROUNDS = 2 * 20
"""Messages with live bets that a process sends to a socket in a second, if there are enough bets: its own
and those of other processes, each every 50 ms."""

EVENTS_IN_A_BATCH = 50
SOCKETS_OF_A_PROCESS = 20_000
SIMULATED_SPINS = 10_000
DAY = 86_400
GIB, MIB = 2**30, 2**20


@dataclass(frozen=True)
class Costs:
    """What one of each takes; microseconds are of one core."""

    spin_us: float = 2_000
    """The platform, with everything that follows: proof, live bet, balance."""
    postgres_us: float = 1_200
    signal_us: float = 15
    """A spin of another process: its signal with the player's balance."""
    lookup_us: float = 4
    """PostgreSQL, for a player and second: every two seconds processes look up proofs and balances."""
    request_us: float = 1_200
    """A request that is the player's own, such as ``/auth/me``. Public pages come from nginx."""
    wal_bytes: float = 5_600
    disk_bytes: float = 1_800
    socket_kib: float = 56
    idle_socket_us: float = 4
    """A second of an idle socket: pings."""
    send_us: float = 40
    """A batch of live bets to one socket."""
    event_us: float = 1
    """Each further live bet in that batch."""
    event_bytes: float = 350
    commit_ms: float = 2.0
    """A flush of PostgreSQL's log to the disk; all commits that wait share the next one."""


@dataclass(frozen=True)
class Load:
    """What players do, in seconds between two actions of each.

    ``feed`` is the most live bets a second that a client is sent; None is all of them.
    """

    players: int
    spin_every: float = 10.0
    request_every: float = 30.0
    feed: float | None = None

    @property
    def spins(self) -> float:
        """Spins a second."""
        return self.players / self.spin_every


@dataclass(frozen=True)
class Needs:
    """The answer for one load. ``p50`` and ``p99`` are milliseconds from a spin's arrival to its answer."""

    load: Load
    cells: int
    processes: int
    player_cores: float
    """Used by spins, requests and sockets."""
    feed_cores: float
    """Used by live bets."""
    signal_cores: float
    """Used by the signals of spins."""
    postgres_cores: float
    p50: float
    p99: float


def needs(load: Load, costs: Costs) -> Needs:
    """Compute and simulate."""
    each_us = costs.spin_us / load.spin_every + costs.request_us / load.request_every + costs.idle_socket_us
    players, feed = load.players * each_us / 1e6, load.players * _feed_us(load, costs) / 1e6
    postgres = (load.spins * costs.postgres_us + load.players * costs.lookup_us) / 1e6
    hearing = load.spins * costs.signal_us / 1e6
    cells = math.ceil(max(postgres / BUSY / DATABASE_CORES, hearing / SIGNALS_BUSY))
    hearing /= cells
    least = max((players + feed) / (BUSY - hearing), load.players / SOCKETS_OF_A_PROCESS)
    processes = cells * math.ceil(least / cells)
    p50, p99 = simulate(
        Load(load.players // cells, load.spin_every),
        costs,
        processes=processes // cells,
        busy=feed / processes + hearing,
    )
    return Needs(load, cells, processes, players, feed, processes * hearing, postgres, p50, p99)


def _events(load: Load) -> float:
    """Live bets that a client is sent in a second."""
    return load.spins if load.feed is None else min(load.feed, load.spins)


def _feed_us(load: Load, costs: Costs) -> float:
    """CPU time that live bets take for one socket in a second."""
    events = _events(load)
    batches = max(min(events, ROUNDS), events / EVENTS_IN_A_BATCH)
    return batches * costs.send_us + (events - batches) * costs.event_us


def simulate(load: Load, costs: Costs, *, processes: int, busy: float) -> tuple[float, float]:
    """The median and the 99th percentile, in ms, of the time of a spin in one cell.

    A spin takes half of its CPU time in its process, then a core of PostgreSQL, then the next flush of the
    log, then a third of its CPU time in its process; the rest follows the answer. All times vary at random.
    ``busy`` is the share of each process that other work takes, which slows it down.
    """
    draw = random.Random(1)
    cores = max(math.ceil(load.spins * costs.postgres_us / 1e6 / BUSY), 1)
    slower = 1 / (1 - busy)

    def work(microseconds: float) -> float:
        return draw.expovariate(1 / microseconds) / 1e6

    workers = [_Station(1) for _ in range(processes)]
    database, log = _Station(cores), _Log(costs.commit_ms / 1e3)
    # Steps in the order of time: when, number, which step, when the spin arrived, its process.
    steps: list[tuple[float, int, int, float, _Station]] = []
    arriving, took = 0.0, []
    stages: list[Callable[[float, _Station], float]] = [
        lambda at, worker: worker.serve(at, work(costs.spin_us * slower / 2)),
        lambda at, _: database.serve(at, work(costs.postgres_us)),
        lambda at, _: log.flushed(at),
        lambda at, worker: worker.serve(at, work(costs.spin_us * slower / 3)),
        lambda at, worker: worker.serve(at, work(costs.spin_us * slower / 6)),
    ]
    for number in range(SIMULATED_SPINS):
        arriving += draw.expovariate(load.spins)
        heapq.heappush(steps, (arriving, number, 0, arriving, draw.choice(workers)))
    while steps:
        at, number, stage, began, worker = heapq.heappop(steps)
        if stage == len(stages) - 1:
            took.append((at - began) * 1e3)
        at = stages[stage](at, worker)
        if stage + 1 < len(stages):
            heapq.heappush(steps, (at, number, stage + 1, began, worker))
    took.sort()
    return took[len(took) // 2], took[len(took) * 99 // 100]


class _Station:
    """Some servers with one queue."""

    def __init__(self, servers: int) -> None:
        self._free = [0.0] * servers

    def serve(self, at: float, seconds: float) -> float:
        """When work that comes now is done."""
        done = max(heapq.heappop(self._free), at) + seconds
        heapq.heappush(self._free, done)
        return done


class _Log:
    """A log that is flushed again and again while commits wait for it."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._begins, self._ends = seconds, 0.0, 0.0

    def flushed(self, at: float) -> float:
        """When the flush ends that includes a commit of now."""
        if at > self._ends:
            self._begins, self._ends = at, at + self._seconds
        elif at > self._begins:
            # The next flush begins when the one that is under way ends.
            self._begins, self._ends = self._ends, self._ends + self._seconds
        return self._ends


def measured(path: Path) -> Costs:
    """The costs of three processes in a result of bench.scaling; what it does not measure is as usual."""
    found = json.loads(path.read_text())["3"]
    return replace(
        Costs(),
        spin_us=found["spin platform_us"],
        postgres_us=found["spin postgres_us"],
        wal_bytes=found["spin wal_bytes"],
        disk_bytes=found["spin disk_bytes"],
        socket_kib=found["socket KiB"],
        send_us=found["socket broadcast us of CPU"],
    )


def lines(all_needs: list[Needs], costs: Costs) -> Iterator[str]:
    """The table in Markdown, a column for each load."""

    def row(name: str, value: Callable[[Needs], str]) -> str:
        return f"| {name} | " + " | ".join(value(each) for each in all_needs) + " |"

    yield row("concurrent players", lambda each: f"{each.load.players:,}")
    yield "|---" * (1 + len(all_needs)) + "|"
    yield row(
        "live bets to each client",
        lambda each: "all" if each.load.feed is None else f"{each.load.feed:g} a second",
    )
    yield row("spins a second", lambda each: f"{each.load.spins:,.0f}")
    yield row("cells", lambda each: f"{each.cells:,}")
    yield row("processes", lambda each: f"{each.processes:,}")
    yield row("cores: spins, requests, sockets", lambda each: f"{each.player_cores:,.1f}")
    yield row("cores: live bets", lambda each: f"{each.feed_cores:,.1f}")
    yield row("cores: signals", lambda each: f"{each.signal_cores:,.1f}")
    yield row("cores: PostgreSQL", lambda each: f"{each.postgres_cores:,.1f}")
    yield row(
        "memory of sockets, GiB", lambda each: f"{each.load.players * costs.socket_kib * 1024 / GIB:,.1f}"
    )
    yield row(
        "live bets, Gbit/s",
        lambda each: f"{each.load.players * _events(each.load) * costs.event_bytes * 8 / 1e9:,.1f}",
    )
    yield row("log of PostgreSQL, MiB/s", lambda each: f"{each.load.spins * costs.wal_bytes / MIB:,.0f}")
    yield row("disk, GiB a day", lambda each: f"{each.load.spins * costs.disk_bytes * DAY / GIB:,.0f}")
    yield row("spin, median, ms", lambda each: f"{each.p50:,.0f}")
    yield row("spin, 99th percentile, ms", lambda each: f"{each.p99:,.0f}")


@bench_command(__doc__)
@click.option("--players", multiple=True, default=[10_000, 100_000, 1_000_000], help="can be repeated")
@click.option("--spin-every", default=10.0, help="seconds")
@click.option("--feed", default=10.0, help="live bets a second to a client, when limited")
@click.option("--costs", "measured_costs", type=click.Path(path_type=Path), help="a result of bench.scaling")
def main(players: Sequence[int], spin_every: float, feed: float, measured_costs: Path | None) -> None:
    costs = measured(measured_costs) if measured_costs else Costs()
    for field in fields(costs):
        print(f"{field.name:16} {getattr(costs, field.name):,.0f}")
    print()
    loads = [Load(count, spin_every=spin_every, feed=limit) for count in players for limit in (None, feed)]
    print("\n".join(lines([needs(load, costs) for load in loads], costs)))


if __name__ == "__main__":
    main()
