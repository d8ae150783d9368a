"""Thousands of idle sockets: their memory, and the time until a message has reached all of them."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from bench.harness.line_process import LineProcess
from bench.harness.process_stats import cpu_seconds, resident_bytes
from bench.harness.servers import RunningServer
from bench.harness.sockets import Socket
from bench.speed.health import watched_health
from bench.speed.players import ITEM, WAGER_COINS, make_players
from bench.speed.result import Curve, Row
from bench.speed.stage import Stage

ORIGIN = "https://play.example.com"
SIZES = (10, 100, 1_000, 5_000)
SOCKETS_A_PLAYER = 10
BROADCASTS = 5
SETTLING_SECONDS = 1.0
KIB = 1024


class Crowd:
    """Sockets that listen to all live bets. ``tools`` has the load tool of each server."""

    def __init__(self, servers: Sequence[RunningServer], tools: Sequence[LineProcess]) -> None:
        self._servers = servers
        self._tools = tools
        self._memory = self._sum(resident_bytes)
        self._size = self._heard = 0

    def cpu_seconds(self) -> float:
        """That the servers have used so far."""
        return self._sum(cpu_seconds)

    def join(self, tokens: Sequence[str]) -> None:
        """Let one more socket join with each of these tokens, all at once, spread over the servers."""
        shares = [tokens[number :: len(self._tools)] for number in range(len(self._tools))]
        with ThreadPoolExecutor(len(shares)) as pool:
            joined = pool.map(lambda tool, share: tool.ask({"join": share}), self._tools, shares)
            assert sum(each["joined"] for each in joined) == len(tokens), "a socket was lost"
        self._size += len(tokens)

    def kib_each(self) -> float:
        """How much the servers' memory has grown for each socket."""
        return (self._sum(resident_bytes) - self._memory) / KIB / self._size

    def broadcast(self, spinner: str, count: int) -> list[float]:
        """Let a player bet so often. Returns the ms from the end of each bet until all sockets had it."""
        player = Socket(self._servers[0].url, auth={"token": spinner})
        took = []
        for _ in range(count):
            player.spin({"amount": WAGER_COINS, "item": ITEM})
            over_ms = player.expect("live-bets:new")["date"]
            self._heard += 1
            took.append(max(tool.ask({"heard": self._heard})["last_ms"] for tool in self._tools) - over_ms)
        player.close()
        return took

    def _sum(self, figure: Callable[[int], float]) -> float:
        return sum(figure(server.process.pid) for server in self._servers)


@contextmanager
def crowd_at(stage: Stage, servers: Sequence[RunningServer]) -> Iterator[Crowd]:
    """A crowd without sockets, whose load tools are on the load tools' core."""
    with ExitStack() as stack:
        tools = [stage.start_load("crowd.mjs", port=server.port, origin=ORIGIN) for server in servers]
        yield Crowd(servers, [stack.enter_context(tool) for tool in tools])


@dataclass
class Seen:
    """The figures of a crowd of one size."""

    size: int
    join_cpu_ms: float
    """CPU time of the server for each socket that joined."""
    join_seconds: float
    join_wait_ms: float
    """The slowest /healthz while they joined."""
    kib_each: float
    broadcast_ms: Sequence[float]
    broadcast_wait_ms: float


def measure(stage: Stage) -> Iterator[Row | Curve]:
    """Ten sockets of each player join at once, listen and leave, while /healthz is requested."""
    players = make_players(stage, url := stage.new_sqlite(), SIZES[-1] // SOCKETS_A_PLAYER + 1)
    spinner, *others = [player.token for player in players]
    tokens = [token for token in others for _ in range(SOCKETS_A_PLAYER)]
    with (
        stage.platform(url, UPGRADER_PROOF_DELAY="0.3", CORS_ORIGINS=ORIGIN) as server,
        crowd_at(stage, [server]) as crowd,
    ):
        seen = [
            _grown(server, crowd, tokens[there:size], size, spinner)
            for there, size in zip((0, *SIZES), SIZES, strict=False)
        ]
    yield from _rows(seen[-1])
    yield Curve(
        work="a broadcast until all have it",
        size="sockets",
        points=[(each.size, min(each.broadcast_ms)) for each in seen],
        allowed=1,
    )
    yield Curve(
        work="the server's CPU time for a socket that joins",
        size="sockets",
        points=[(each.size, each.join_cpu_ms) for each in seen],
    )


def _rows(seen: Seen) -> Iterator[Row]:
    yield Row(
        work=f"memory of {seen.size:,} idle sockets",
        against="nothing",
        goal=60,
        measured=seen.kib_each,
        at_most=True,
        unit="KiB each",
        detail=f"signed in, {SOCKETS_A_PLAYER} a player, with a browser's headers",
    )
    yield _waiting(f"/healthz while a broadcast goes to {seen.size:,} sockets", seen.broadcast_wait_ms, "")
    joined = f"all had joined after {seen.join_seconds:.1f} s, {seen.join_cpu_ms:.2f} ms of CPU time each"
    yield _waiting("/healthz while 4,000 more join at once", seen.join_wait_ms, joined)


def _waiting(work: str, milliseconds: float, detail: str) -> Row:
    return Row(
        work=work,
        against="nothing; on a connection that was there",
        goal=50,
        measured=milliseconds,
        at_most=True,
        unit="ms at most",
        detail=detail,
    )


def _grown(server: RunningServer, crowd: Crowd, tokens: Sequence[str], size: int, spinner: str) -> Seen:
    """Let these join the others, and measure."""
    cpu, began = crowd.cpu_seconds(), time.monotonic()
    with watched_health(server) as joining:
        crowd.join(tokens)
        seconds = time.monotonic() - began
    cpu = crowd.cpu_seconds() - cpu
    time.sleep(SETTLING_SECONDS)
    kib_each = crowd.kib_each()
    with watched_health(server) as broadcasting:
        broadcast_ms = crowd.broadcast(spinner, BROADCASTS)
    return Seen(
        size=size,
        join_cpu_ms=cpu * 1000 / len(tokens),
        join_seconds=seconds,
        join_wait_ms=joining.longest_ms,
        kib_each=kib_each,
        broadcast_ms=broadcast_ms,
        broadcast_wait_ms=broadcasting.longest_ms,
    )
