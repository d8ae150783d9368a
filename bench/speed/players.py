"""Players with accounts and sockets, who spin as fast as they get answers."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bench.speed.http_load import Load
from bench.speed.stage import Stage
from tests.harness.line_process import LineProcess
from tests.harness.players import Player, create_players, import_prices
from tests.harness.servers import RunningServer

ITEM = "Item of a spin"
WAGER_COINS = 0.5

SPIN = ("upgrader:spin", {"amount": WAGER_COINS, "item": ITEM})
"""An event and its payload, without a client seed."""


def make_players(stage: Stage, url: str, count: int) -> list[Player]:
    """Create this many players with a balance, and an item to spin for, in a new database."""
    with stage.platform_here(url) as app:
        import_prices({ITEM: 1})
        return create_players(app, count, coins=10_000_000)


def play(
    connected: LineProcess,
    *,
    seconds: float,
    warmup_seconds: float,
    every_seconds: float = 0,
) -> Load:
    """Let connected players spin for this time, each one spin after the other, at most at this rate.

    Raises AssertionError when a spin was refused.
    """
    result = connected.ask(
        {
            "bets": [SPIN],
            "seconds": seconds,
            "warmupSeconds": warmup_seconds,
            "everySeconds": every_seconds,
        }
    )
    assert not result["refused"], result["refused"]
    return Load.of(result)


@contextmanager
def connected_players(
    stage: Stage, server: RunningServer, players: Sequence[Player]
) -> Iterator[LineProcess]:
    """Connect these players, on the load tools' core."""
    tokens = [player.token for player in players]
    with stage.start_load("spins.mjs", port=server.port, tokens=tokens) as process:
        yield process
