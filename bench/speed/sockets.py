"""Thousands of idle sockets: their memory, and the time until a message has reached all of them."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.speed.health import watched_health
from bench.speed.players import ITEM, WAGER_COINS, make_players
from bench.speed.result import Row, growth
from bench.speed.stage import Stage
from tests.harness.line_process import LineProcess
from tests.harness.process_stats import cpu_seconds, resident_bytes
from tests.harness.servers import RunningServer
from tests.harness.sockets import Socket

ORIGIN = "https://play.example.com"
SIZES = (10, 100, 1_000, 5_000)
SOCKETS_A_PLAYER = 10
BROADCASTS = 5
SETTLING_SECONDS = 1.0
KIB = 1024


class Crowd:
    """Sockets of a server that listen to all live bets."""

    def __init__(self, server: RunningServer, tool: LineProcess) -> None:
        self._server = server
        self._tool = tool
        self._memory = resident_bytes(server.process.pid)
        self._size = self._heard = 0

    def join(self, tokens: Sequence[str]) -> None:
        """Let one more socket join with each of these tokens, all at once."""
        assert self._tool.ask({"join": tokens})["joined"] == len(tokens), "a socket was lost"
        self._size += len(tokens)

    def kib_each(self) -> float:
        """How much the server's memory has grown for each socket."""
        return (resident_bytes(self._server.process.pid) - self._memory) / KIB / self._size

    def broadcast(self, spinner: str, count: int) -> list[float]:
        """Let a player bet so often. Returns the ms from the end of each bet until all sockets had it."""
        player = Socket(self._server.url, auth={"token": spinner})
        took = []
        for _ in range(count):
            player.spin({"amount": WAGER_COINS, "item": ITEM})
            over_ms = player.expect("live-bets:new")["date"]
            self._heard += 1
            took.append(self._tool.ask({"heard": self._heard})["last_ms"] - over_ms)
        player.close()
        return took


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
    broadcast_us: float
    """CPU time of the server for each socket that a live bet is sent to."""
    broadcast_wait_ms: float


def measure(stage: Stage) -> Iterator[Row]:
    """Ten sockets of each player join at once, listen and leave, while /healthz is requested."""
    players = make_players(stage, url := stage.new_sqlite(), SIZES[-1] // SOCKETS_A_PLAYER + 1)
    spinner, *others = [player.token for player in players]
    tokens = [token for token in others for _ in range(SOCKETS_A_PLAYER)]
    with (
        stage.platform(url, UPGRADER_PROOF_DELAY="0.3", CORS_ORIGINS=ORIGIN) as server,
        stage.start_load("crowd.mjs", port=server.port, origin=ORIGIN) as tool,
    ):
        crowd = Crowd(server, tool)
        seen = [
            _grown(server, crowd, tokens[there:size], size, spinner)
            for there, size in zip((0, *SIZES), SIZES, strict=False)
        ]
    yield from _rows(seen[-1])
    broadcasts = [(each.size, min(each.broadcast_ms)) for each in seen]
    yield growth("a broadcast until all have it", "sockets", broadcasts, allowed=1)
    joins = [(each.size, each.join_cpu_ms) for each in seen]
    yield growth("the server's CPU time for a socket that joins", "sockets", joins)


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
    sent = f"{seen.broadcast_us:.0f} us of CPU time each"
    yield _waiting(f"/healthz while a broadcast goes to {seen.size:,} sockets", seen.broadcast_wait_ms, sent)
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
    cpu, began = cpu_seconds(server.process.pid), time.monotonic()
    with watched_health(server) as joining:
        crowd.join(tokens)
        seconds = time.monotonic() - began
    cpu = cpu_seconds(server.process.pid) - cpu
    time.sleep(SETTLING_SECONDS)
    kib_each = crowd.kib_each()
    with watched_health(server) as broadcasting:
        used = cpu_seconds(server.process.pid)
        broadcast_ms = crowd.broadcast(spinner, BROADCASTS)
        used = cpu_seconds(server.process.pid) - used
    return Seen(
        size=size,
        join_cpu_ms=cpu * 1000 / len(tokens),
        join_seconds=seconds,
        join_wait_ms=joining.longest_ms,
        kib_each=kib_each,
        broadcast_ms=broadcast_ms,
        broadcast_us=used * 1e6 / BROADCASTS / size,
        broadcast_wait_ms=broadcasting.longest_ms,
    )
