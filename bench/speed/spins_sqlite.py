"""Spins over real sockets on SQLite, compared with a bare sqlite3 connection and the same statements."""

import itertools
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.speed.compare import in_turns
from bench.speed.machine import running_on
from bench.speed.players import ITEM, WAGER_COINS, Player, make_players
from bench.speed.recorded import Asked, recording, replay
from bench.speed.result import Row
from bench.speed.spinning import SOON, spinning
from bench.speed.stage import Stage
from services.container import Services
from services.upgrader.spin import SpinRequest

CROWD = 20
SPINS = 1_000


def measure(stage: Stage) -> Iterator[Row]:
    """Spins a second of 20 players."""
    recorded = _record(stage, 200 if stage.quick else SPINS)
    rounds = 1 if stage.quick else 3
    with spinning(stage, stage.new_sqlite(), CROWD, proof_delay=SOON) as proving:
        compared = in_turns(proving.with_proofs, recorded.spins_per_second, rounds=rounds)
    yield Row(
        work=f"spins over sockets, {CROWD} players, SQLite",
        against="the bare sqlite3 module, the same statements, one connection",
        goal=0.6,
        measured=compared.ratio,
        detail=(
            f"{compared.told('spins/s')}, with proofs and live bets; CPU {proving.cpu_us:,.0f} us a spin; "
            f"{len(recorded.asked) / recorded.spins:.1f} statements a spin; WAL, synchronous=full"
        ),
    )


@dataclass(frozen=True)
class _Recorded:
    """The statements of spins, and the database as it was before them."""

    stage: Stage
    before: Path
    spins: int
    pragmas: Sequence[str]
    asked: Sequence[Asked]

    def spins_per_second(self) -> float:
        """Replay all statements on a copy of that database."""
        with tempfile.TemporaryDirectory(dir=self.stage.directory) as place:
            copy = Path(place) / "copy.db"
            shutil.copy(self.before, copy)
            with running_on(self.stage.cores.server):
                took = replay(copy, self.pragmas, self.asked)
            assert _bets(copy) == _bets(self.before) + self.spins, "not every spin was a whole one"
        return self.spins / took


def _record(stage: Stage, spins: int) -> _Recorded:
    """Play spins in this process, the players in turn."""
    url = stage.new_sqlite()
    path = Path(url.removeprefix("sqlite:///"))
    before = path.with_name("before.db")
    players = make_players(stage, url, CROWD)
    with recording() as notes, stage.platform_here(url) as app:
        play = partial(_play, app.extensions["services"])
        # The first spin fills caches and executes more statements than the others.
        play(players[-1])
        _copy(path, before)
        pragmas = [statement for statement, _ in notes if statement.startswith("PRAGMA")]
        notes.clear()
        for player in itertools.islice(itertools.cycle(players), spins):
            play(player)
        return _Recorded(stage, before, spins, pragmas, list(notes))


def _play(services: Services, player: Player) -> None:
    request = SpinRequest(amount=WAGER_COINS, item=ITEM, client_seed="a-seed-of-ones-own")
    services.upgrader.play(user_id=player.user.id, request=request, clock=services.clock)


def _bets(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM bets").fetchone()[0])


def _copy(path: Path, to: Path) -> None:
    """Includes the write-ahead log, unlike a copy of the file."""
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(to)) as target:
        source.backup(target)
