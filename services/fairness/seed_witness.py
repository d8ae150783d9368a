"""Recognises a database that is not the one used last, or is older than it was then.

The last mark in the database is also kept in a file outside of it. ``cover`` appends a new mark, and writes
it to the file, before a seed is revealed: a database that contains the file's mark contains every bet whose
seed is public. docs/seeds-after-a-restore.md says what this recognises, and what it does not.

The processes of a machine share the file. Each of them knows by itself which bets its own marks cover.

Whoever needs the database and a lock takes the connection first: those who wait for the lock may hold all
connections of the pool.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cachetools import FIFOCache

from models import seed_marks
from models.db.connection import database, reading, writing
from models.seed_marks import Mark
from services.fairness import witness_file
from services.fairness.witness_file import Witnessed
from services.shared.errors import Unavailable

log = logging.getLogger("platform.seeds")

FILE_NAME = "seeds.witness"

UNKNOWN = "there is no record of the database on this machine"
ANOTHER = "it is not the database that was used last"
OLDER = "the database is older than when it was used last"

VOUCH_SECONDS = 3.0
"""How long a machine without a record waits for a mark of another. Its requests wait meanwhile, for the lock
of the file, and for that LOCK_SECONDS at most."""
LOOK_SECONDS = 0.02

REMEMBERED = 100_000
"""For how many players it is known that a mark covers their last bet. For any other a mark is appended."""

NO_MARK = Mark(0, "")


class SeedWitness:
    """Knows the mark that the database must contain."""

    def __init__(self, directory: Path, *, ask_for_mark: Callable[[], bool]) -> None:
        """``directory`` is where its file is kept.

        ``ask_for_mark`` asks the other processes to ``vouch``. It returns whether there are any.
        """
        self._path = directory / FILE_NAME
        self._witnessed: Witnessed | None = None
        self._version: tuple[int, int] | None = None
        self._ask_for_mark = ask_for_mark
        self._covering = threading.Lock()
        # The last nonce of each player's bets that were settled here: since the last mark, and before it.
        self._settled: dict[int, int] = {}
        self._covered: FIFOCache[int, int] = FIFOCache(maxsize=REMEMBERED)

    def known(self) -> Mark:
        """The mark that the database must contain for its announced seeds to be used.

        Begins a new epoch when there is no file, unless the database is new or another process vouches for
        it, and when the file is about another database.
        """
        if self._witnessed is None or self._file_version() != self._version:
            with self._locked():
                return self._load().mark
        return self._witnessed.mark

    def last_nonce(self, user_id: int) -> int:
        """The nonce of the player's last bet settled here since the last mark, or 0.

        Read it before the database, which must then announce a later one.
        """
        return self._settled.get(user_id, 0)

    def settled(self, *, user_id: int, nonce: int) -> None:
        """Remember a bet that no mark covers yet."""
        self._settled[user_id] = nonce

    def distrust(self, doubted: Mark) -> None:
        """Have every announced seed redrawn before it is used: the database went back in time.

        Does nothing when another request or process has done so since ``doubted`` was known.
        """
        with self._locked():
            if self._load().mark == doubted:
                self._begin_epoch(OLDER)

    def cover(self, nonces: Mapping[int, int]) -> None:
        """Make sure that a database without these bets is recognised. Call it before showing their seeds.

        ``nonces`` holds each player's last one, as read from the database; any process may have settled it.
        One mark covers all bets that are settled by then, so this rarely has to append one. Must not be
        called within a transaction. Raises Unavailable when the file can't be written.
        """
        if not self._covers(nonces):
            with reading(), self._covering:
                if not self._covers(nonces):
                    try:
                        self._append(nonces)
                    except OSError as failure:
                        log.exception("witness file not written")
                        raise Unavailable from failure

    def cover_all(self) -> None:
        """Cover every bet settled here. For an orderly end."""
        with reading(), self._covering:
            if self._settled:
                self._append({})

    def vouch(self) -> None:
        """Append a mark for a machine that asks for one, unless this process has no record either."""
        if self._witnessed is not None:
            with reading(), self._covering:
                self._append({})

    def watch(self) -> None:
        """Check the database between uses, and remember marks that other machines have appended.

        Must not be called within a transaction.
        """
        with self._locked():
            known, identity = self._load(), _identity()
            # Read before the database, as for last_nonce().
            settled = dict(self._settled)
            last = seed_marks.last(known=known.mark)
            if not last.contains_known or seed_marks.announces_any(settled):
                self._begin_epoch(OLDER)
            elif identity != known.database:
                self._begin_epoch(ANOTHER)
            elif last.mark != known.mark:
                self._keep(known._replace(mark=last.mark))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold a connection and the lock of the file."""
        with reading(), witness_file.locked(self._path):
            yield

    def _file_version(self) -> tuple[int, int] | None:
        """A value that changes when the file is replaced; None without a file."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns

    def _covers(self, nonces: Mapping[int, int]) -> bool:
        return all(self._covered.get(user_id, 0) >= nonce for user_id, nonce in nonces.items())

    def _append(self, read: Mapping[int, int]) -> None:
        """Append a mark, which covers the bets settled here and those read from the database."""
        with self._locked():
            known = self._load()
            settled = dict(self._settled)
            with _committing():
                is_older = not seed_marks.last(known=known.mark).contains_known
                mark = seed_marks.append(new_epoch=is_older)
            if is_older:
                self._keep(Witnessed(mark, known.database, mark.token))
                self._redraw(OLDER)
                return
            self._keep(known._replace(mark=mark))
        self._covered.update(settled)
        for user_id, nonce in read.items():
            self._covered[user_id] = max(nonce, self._covered.get(user_id, 0))
        for user_id, nonce in settled.items():
            if self._settled.get(user_id) == nonce:
                del self._settled[user_id]

    def _load(self) -> Witnessed:
        """What the file says, or will say about a database that it does not know. Within ``_locked``."""
        version = self._file_version()
        if self._witnessed is not None and version == self._version:
            return self._witnessed
        witnessed, before = witness_file.read(self._path), self._witnessed
        if witnessed is None:
            return self._adopt() or self._begin_epoch(UNKNOWN)
        is_same = before is not None and before.database == witnessed.database
        if not is_same and witnessed.database != _identity():
            return self._begin_epoch(ANOTHER)
        if before is not None and before.history != witnessed.history:
            self._forget_bets()
        self._witnessed, self._version = witnessed, version
        return witnessed

    def _adopt(self) -> Witnessed | None:
        """Trust the database as soon as another process has appended a mark; None if none does.

        Whoever appends a mark checks in the same transaction that the database contains its own last one, and
        begins a new epoch otherwise. Within ``_locked``.
        """
        before = seed_marks.last(known=NO_MARK).mark
        if seed_marks.is_new() or not self._ask_for_mark():
            return None
        deadline = time.monotonic() + VOUCH_SECONDS
        while (mark := seed_marks.last(known=NO_MARK).mark) == before:
            if time.monotonic() > deadline:
                return None
            time.sleep(LOOK_SECONDS)
        # The others may have begun a new epoch.
        self._forget_bets()
        witnessed = Witnessed(mark, _identity(), mark.token)
        self._keep(witnessed)
        return witnessed

    def _begin_epoch(self, reason: str) -> Witnessed:
        """Append a mark of a new epoch. Within ``_locked``."""
        identity = _identity()
        with _committing():
            is_new = reason == UNKNOWN and seed_marks.is_new()
            mark = seed_marks.append(new_epoch=not is_new)
        witnessed = Witnessed(mark, identity, mark.token)
        self._keep(witnessed)
        if not is_new:
            self._redraw(reason)
        return witnessed

    def _redraw(self, reason: str) -> None:
        self._forget_bets()
        log.warning("server seeds are redrawn: %s", reason)

    def _forget_bets(self) -> None:
        self._settled.clear()
        self._covered.clear()

    def _keep(self, witnessed: Witnessed) -> None:
        witness_file.write(self._path, witnessed)
        self._witnessed, self._version = witnessed, self._file_version()


@reading()
def _identity() -> str:
    return str(database.obj.identity())


@contextmanager
def _committing() -> Iterator[None]:
    """A transaction of its own: the file is written after its commit. Raises RuntimeError within another."""
    if database.in_transaction():
        raise RuntimeError("a mark must be committed before its file is written")
    with writing():
        yield
