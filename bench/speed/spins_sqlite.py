"""Spins over real sockets on SQLite, compared with a bare sqlite3 connection and the same statements."""

import itertools
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from copy import copy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness.spins import play_spin
from bench.harness.watched_cursors import watch
from bench.speed.compare import Comparison, take_turns
from bench.speed.machine import running_on
from bench.speed.players import ITEM, WAGER_COINS, make_players
from bench.speed.result import Row
from bench.speed.spinning import SOON, median, rates, spinning
from bench.speed.stage import Stage
from models.db.connection import database

CROWD = 20
SPINS = 1_000


def measure(stage: Stage) -> Iterator[Row]:
    """Spins a second of 20 players."""
    recorded = _record(stage, 200 if stage.quick else SPINS)
    with spinning(stage, stage.new_sqlite(), CROWD, proof_delay=SOON) as proving:
        played, replayed = take_turns(proving.with_proofs, recorded.spins_per_second, rounds=stage.rounds)
    compared = Comparison(rates(played), replayed)
    yield Row(
        work=f"spins over sockets, {CROWD} players, SQLite",
        against="the bare sqlite3 module, the same statements, one connection",
        goal=0.6,
        measured=compared.ratio,
        detail=(
            f"{compared.text('spins/s')}, with proofs and live bets; "
            f"CPU {median(played, 'server_us'):,.0f} us a spin; "
            f"{len(recorded.asked) / recorded.spins:.1f} statements a spin; WAL, synchronous=full"
        ),
    )


@dataclass(frozen=True)
class _Recorded:
    """The statements of spins, and the database as it was before them."""

    stage: Stage
    before: Path
    spins: int
    pragmas: Sequence[tuple[str, object]]
    asked: Sequence[tuple[str, Any]]

    def spins_per_second(self) -> float:
        """Replay all statements on a copy of that database."""
        with tempfile.TemporaryDirectory(dir=self.stage.directory) as place:
            path = Path(place) / "copy.db"
            shutil.copy(self.before, path)
            with running_on(self.stage.cores.server):
                took = self._replay(path)
            assert _bets(path) == _bets(self.before) + self.spins, "not every spin was a whole one"
        return self.spins / took

    def _replay(self, path: Path) -> float:
        """Execute all statements on one connection. Returns the seconds."""
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for name, value in self.pragmas:
                connection.execute(f"PRAGMA {name} = {value}")
            began = time.perf_counter()
            for statement, values in self.asked:
                connection.execute(statement, values).fetchall()
            return time.perf_counter() - began


def _record(stage: Stage, spins: int) -> _Recorded:
    """Play spins in this process, the players in turn."""
    url = stage.new_sqlite()
    path = Path(url.removeprefix("sqlite:///"))
    before = path.with_name("before.db")
    players = make_players(stage, url, CROWD)
    asked: list[tuple[str, Any]] = []

    def note(cursor: sqlite3.Cursor, statement: str, values: Any) -> sqlite3.Cursor:
        # A copy, because the caller may use the same object for the next statement.
        asked.append((statement, copy(values)))
        return cursor.execute(statement, values)

    with stage.platform_here(url) as app:
        play = partial(play_spin, app, item=ITEM, amount=WAGER_COINS, client_seed="a-seed-of-ones-own")
        # The first spin fills caches and executes more statements than the others.
        play(players[-1])
        _copy(path, before)
        watch(database.obj, note)
        for player in itertools.islice(itertools.cycle(players), spins):
            play(player)
        return _Recorded(stage, before, spins, database.obj._pragmas, asked)  # noqa: SLF001


def _bets(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM bets").fetchone()[0])


def _copy(path: Path, to: Path) -> None:
    """Includes the write-ahead log, unlike a copy of the file."""
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(to)) as target:
        source.backup(target)
