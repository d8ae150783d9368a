"""Players with accounts and sockets, who spin as fast as they get answers."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from bench.harness.line_process import LineProcess
from bench.harness.servers import RunningServer
from bench.speed.asking import Load
from bench.speed.stage import Stage
from models.db.connection import writing
from models.users import User
from services.accounts import users
from services.items import importing as items_importing
from services.shared.clock import now_ms
from services.shared.money import Cents

ITEM = "Item of a spin"
PRICE_COINS = 1
WAGER_COINS = 0.5
BALANCE = Cents(1_000_000_000)
SPINS = "spins.mjs"

Bet = tuple[str, dict[str, object]]
"""An event and its payload, without a client seed."""


@dataclass(frozen=True)
class Player:
    """An account, and the token that signs it in."""

    user: User
    token: str


def make_players(stage: Stage, url: str, count: int, *, first: int = 0) -> list[Player]:
    """Create this many players with a balance, and an item to spin for, in a new database.

    ``first`` is the number in the name of the first player.
    """
    with stage.platform_here(url) as app:
        services, now = app.extensions["services"], now_ms()
        row = {"appid": 730, "marketHashName": ITEM, "price": PRICE_COINS}
        items_importing.import_document([row], app_id=None, now=now)
        with writing():
            made = [
                users.create(username=f"player-{number}", seeds=services.seeds, now=now, balance=BALANCE)
                for number in range(first, first + count)
            ]
        issue = services.tokens.issue
        return [Player(user, issue(platform_id=user.platform_id, session=0, now=now)) for user in made]


class AtTheirSockets:
    """Connected players who spin on command."""

    def __init__(self, process: LineProcess) -> None:
        self._process = process

    def play(
        self,
        *,
        seconds: float,
        warmup_seconds: float,
        every_seconds: float = 0,
        bets: Sequence[Bet] = (("upgrader:spin", {"amount": WAGER_COINS, "item": ITEM}),),
    ) -> Load:
        """Bet for this time, each player one bet after the other, at most at this rate.

        The players take these bets in turns. Raises AssertionError when a bet was refused.
        """
        told = self._process.tell(
            {
                "bets": bets,
                "seconds": seconds,
                "warmupSeconds": warmup_seconds,
                "everySeconds": every_seconds,
            }
        )
        assert not told["refused"], told["refused"]
        return Load.of(told)


@contextmanager
def at_their_sockets(
    stage: Stage, server: RunningServer, players: Sequence[Player]
) -> Iterator[AtTheirSockets]:
    """Connect these players, on the load tools' core."""
    with stage.start_load(SPINS) as process:
        seated = LineProcess(process)
        seated.send({"port": server.port, "tokens": [player.token for player in players]})
        yield AtTheirSockets(seated)
