"""Thousands of idle sockets: their memory, and the time until a message has reached all of them."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from bench.harness.attacks.crowds import resident_bytes
from bench.harness.line_process import LineProcess
from bench.harness.servers import RunningServer
from bench.harness.sockets import Socket
from bench.speed.health import watched_health
from bench.speed.machine import cpu_seconds
from bench.speed.players import ITEM, WAGER_COINS, make_players
from bench.speed.result import Curve, Row
from bench.speed.stage import Stage

ORIGIN = "https://play.example.com"
SIZES = (10, 100, 1_000, 5_000)
SOCKETS_A_PLAYER = 10
BROADCASTS = 5
SETTLING_SECONDS = 1.0
KIB = 1024


@dataclass
class Seen:
    """The figures of a crowd of one size."""

    size: int
    join_cpu_ms: float
    """Memory of the server for each socket that joined."""
    join_seconds: float
    join_wait_ms: float
    """The slowest /healthz while they joined."""
    kib_each: float
    broadcast_ms: Sequence[float]
    """Time from the end of a bet until the last socket had it."""
    broadcast_wait_ms: float


def measure(stage: Stage) -> Iterator[Row | Curve]:
    """Ten sockets of each player join at once, listen and leave, while /healthz is requested."""
    players = make_players(stage, url := stage.new_sqlite(), SIZES[-1] // SOCKETS_A_PLAYER + 1)
    spinner, *others = [player.token for player in players]
    tokens = [token for token in others for _ in range(SOCKETS_A_PLAYER)]
    with (
        stage.platform(url, UPGRADER_PROOF_DELAY="0.3", CORS_ORIGINS=ORIGIN) as server,
        crowd_of_sockets(stage, server) as crowd,
    ):
        before, heard = resident_bytes(server.process.pid), 0
        seen = []
        for there, size in zip((0, *SIZES), SIZES, strict=False):
            seen.append(_grown(server, crowd, tokens[there:size], size, before, spinner, heard))
            heard += BROADCASTS
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
    yield Row(
        work=f"a broadcast to {seen.size:,} sockets until all have it",
        against="nothing",
        goal=1_000,
        measured=max(seen.broadcast_ms),
        at_most=True,
        unit="ms",
        detail=f"the slowest of {len(seen.broadcast_ms)}, the fastest {min(seen.broadcast_ms):.0f} ms",
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


def _grown(
    server: RunningServer,
    crowd: LineProcess,
    tokens: Sequence[str],
    size: int,
    before: int,
    spinner: str,
    heard: int,
) -> Seen:
    """Let these join the others, and measure."""
    cpu = cpu_seconds(server.process.pid)
    with watched_health(server) as joining:
        joined = crowd.tell({"join": tokens})
    assert joined["joined"] == len(tokens), joined
    cpu = cpu_seconds(server.process.pid) - cpu
    time.sleep(SETTLING_SECONDS)
    memory = resident_bytes(server.process.pid) - before
    player = Socket(server.url, auth={"token": spinner})
    broadcast_ms = []
    with watched_health(server) as broadcasting:
        for number in range(BROADCASTS):
            player.spin({"amount": WAGER_COINS, "item": ITEM})
            over_ms = player.expect("live-bets:new")["date"]
            broadcast_ms.append(crowd.tell({"heard": heard + number + 1})["last_ms"] - over_ms)
    player.close()
    return Seen(
        size=size,
        join_cpu_ms=cpu * 1000 / len(tokens),
        join_seconds=joined["seconds"],
        join_wait_ms=joining.longest_ms,
        kib_each=memory / KIB / size,
        broadcast_ms=broadcast_ms,
        broadcast_wait_ms=broadcasting.longest_ms,
    )


@contextmanager
def crowd_of_sockets(stage: Stage, server: RunningServer) -> Iterator[LineProcess]:
    """A process with sockets, at first without any, on the load tools' core."""
    with stage.start_load("crowd.mjs") as process:
        crowd = LineProcess(process)
        crowd.send({"port": server.port, "origin": ORIGIN})
        yield crowd
