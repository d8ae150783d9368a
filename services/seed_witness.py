"""Recognises a database that is not the one used last, or is older than it was then.

The last mark in the database is also kept in a file outside of it. ``cover`` appends a new mark, and writes
it to the file, before a seed is revealed: a database that contains the file's mark contains every bet whose
seed is public. docs/seeds-after-a-restore.md says what this recognises, and what it does not.
"""

import logging
import secrets
import threading
from collections.abc import Collection
from pathlib import Path

import peewee

from models import seed_marks
from models.database import database, reading, writing
from models.seed_marks import Mark
from services.witness_file import Version, Witnessed, WitnessFile

log = logging.getLogger("platform.seeds")

FILE_NAME = "seeds.witness"
UNKNOWN = "there is no record of the database on this machine"
ANOTHER = "it is not the database that was used last"
OLDER = "the database is older than when it was used last"

TOO_MANY = "other processes mark the database all the time"

ATTEMPTS = 5
"""Another process may append a mark, or begin an epoch, at the same moment."""


class SeedWitness:
    """Knows the mark that the database must contain. ``directory`` is where its file is kept."""

    def __init__(self, directory: Path) -> None:
        self._file = WitnessFile(directory / FILE_NAME)
        self._known: Mark | None = None
        self._version: Version | None = None
        self._covering = threading.Lock()
        # Of the bets settled here since the last mark: their ids, and the last nonce of each player.
        self._bets: set[int] = set()
        self._nonces: dict[int, int] = {}
        self._covered: set[int] = set()

    def known(self) -> Mark:
        """The mark that the database must contain for its announced seeds to be used.

        Begins a new epoch when there is no file, unless the database is new, and when the file is about
        another database.
        """
        if self._known is None or self._file.version() != self._version:
            return self._load()
        return self._known

    def last_nonce(self, user_id: int) -> int:
        """The nonce of the player's last bet settled here since the last mark, or 0.

        To be read before the database is, which must then announce a later one.
        """
        return self._nonces.get(user_id, 0)

    def settled(self, *, bet_id: int, user_id: int, nonce: int) -> None:
        """Remember a bet that is in the database and in no mark's past yet."""
        self._nonces[user_id] = nonce
        self._bets.add(bet_id)

    def distrust(self, doubted: Mark) -> None:
        """The database went back in time: have every seed announced in it redrawn before it is used.

        Nothing is done when another request or process has done so since ``doubted`` was known.
        """
        with self._file.locked():
            witnessed = self._file.read()
            if witnessed is None or witnessed.mark == doubted:
                self._begin_epoch(OLDER)

    def cover(self, bet_ids: Collection[int]) -> None:
        """Make sure that a database without these bets is recognised. Call it before showing their seeds.

        Nearly always nothing: one mark covers all bets that are settled by then, revealed seconds later.
        Raises OSError when the file can't be written.
        """
        if self._covered.issuperset(bet_ids):
            return
        with self._covering:
            if not self._covered.issuperset(bet_ids):
                self._mark(bet_ids)

    def cover_all(self) -> None:
        """The same for every bet settled here. For an orderly end."""
        with self._covering:
            if self._bets:
                self._mark(())

    def watch(self) -> None:
        """Look at the database although nobody asks; note marks that other machines have made."""
        known = self.known()
        with self._file.locked():
            witnessed = self._file.read()
            if witnessed is None or witnessed.mark != known:
                return
            with reading():
                head = seed_marks.head(known=known)
            if head is None:
                self._begin_epoch(OLDER)
            elif witnessed.database != _identity():
                self._begin_epoch(ANOTHER)
            elif head != known:
                self._write(head)

    def _mark(self, bet_ids: Collection[int]) -> None:
        """Append a mark; what was settled here before it, or read from the database, is in its past."""
        bets, nonces = set(self._bets), dict(self._nonces)
        self._append()
        self._covered = bets.union(bet_ids)
        self._bets -= bets
        for user_id, nonce in nonces.items():
            if self._nonces.get(user_id) == nonce:
                del self._nonces[user_id]

    def _load(self) -> Mark:
        # Before reading: what another process writes meanwhile is read the next time.
        version = self._file.version()
        witnessed = self._file.read()
        if witnessed is None or witnessed.database != _identity():
            with self._file.locked():
                version = self._file.version()
                now = self._file.read()
                if now is None:
                    return self._first_mark() or self._begin_epoch(UNKNOWN)
                if now == witnessed:
                    return self._begin_epoch(ANOTHER)
                witnessed = now
        self._known, self._version = witnessed.mark, version
        return witnessed.mark

    def _first_mark(self) -> Mark | None:
        """The first mark of a new database; None when this is no new one. Within ``locked``."""
        mark = mark_new_database()
        if mark is not None:
            self._write(mark)
        return mark

    def _append(self) -> None:
        for _ in range(ATTEMPTS):
            known = self.known()
            with self._file.locked():
                if self._file.version() != self._version:
                    continue
                try:
                    with writing():
                        mark = seed_marks.append(secrets.token_hex(16), known=known)
                except peewee.IntegrityError:
                    continue
                if mark is not None:
                    self._write(mark)
                    return
                self._begin_epoch(OLDER)
                return
        raise peewee.OperationalError(TOO_MANY)

    def _begin_epoch(self, reason: str) -> Mark:
        """Within ``locked``."""
        mark = begin_epoch()
        self._nonces.clear()
        self._write(mark)
        log.warning("server seeds are redrawn: %s", reason)
        return mark

    def _write(self, mark: Mark) -> None:
        self._file.write(Witnessed(mark, _identity()))
        self._known, self._version = mark, self._file.version()


@reading()
def _identity() -> str:
    return str(database.obj.identity())


@writing()
def mark_new_database() -> Mark | None:
    """Append the first mark, after which the database counts as used; None when there is one already."""
    first = seed_marks.first()
    return None if first is None else seed_marks.append(secrets.token_hex(16), known=first)


def begin_epoch() -> Mark:
    """Have every announced seed redrawn before it is used. Opens the outermost transaction."""
    for _ in range(ATTEMPTS):
        try:
            with writing():
                return seed_marks.begin_epoch(secrets.token_hex(16))
        except peewee.IntegrityError:
            continue
    raise peewee.OperationalError(TOO_MANY)
