"""The public log of bets, and which server seeds may be used and revealed.

A server seed leaves the server only when its bet is in the last signed checkpoint, which is kept outside of
the database. So a database that contains the checkpoint contains every bet whose seed is public.
services/log/restore.py says what happens with any other one.
"""

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from models import battle_locks
from models.audit_trail import anchor_is_due
from models.bets import Bet
from models.db.connection import SCHEMA_ERRORS, UNAVAILABLE, reading
from models.log import Log, size_with
from services.log import bundles, entries, sequencer
from services.log.battle_locks import BattleLocks
from services.log.entries import Pseudonyms
from services.log.file import WRONG_KEY, File, MachineFile
from services.log.notes import Checkpoint, LogKeys
from services.log.restore import BetsPaused, Restores
from services.log.sequencer import BATCH, BetTotals, Sequencer, Superseded, stored_log
from services.shared.clock import Millis
from services.shared.errors import Refusal, Unavailable
from services.shared.signals import Signals

ATTEMPTS = 20
"""How often an append is tried while other machines append too."""

MAX_NONCE = 2**63 - 1


class ReceiptNotFound(Refusal):
    """The player has no bet with this nonce in this database."""

    status = 404
    text = "Receipt not found"


class Witnessed(Protocol):
    """The checkpoints that witnesses have cosigned."""

    def for_proof(self, index: int, file: File, /, *, is_earliest: bool) -> tuple[int, str] | None:
        """Size and note of the newest, or earliest, one that has the entry with this index; None without."""


class BetLog:
    """Appends bets and commitments, and says what is in the signed checkpoint."""

    def __init__(
        self,
        directory: Path,
        *,
        origin: str,
        keys: LogKeys,
        totals: BetTotals,
        time_of_round: Callable[[int], int],
        clock: Callable[[], Millis],
        signals: Signals,
        process_id: Callable[[], int],
    ) -> None:
        """``directory`` has the file. ``origin`` is used at the first start. ``totals``: see Sequencer.

        ``time_of_round``: see BattleLocks.
        """
        self.keys = keys
        self.pseudonyms = Pseudonyms()
        self._first_origin = origin
        self._clock = clock
        self.locks = BattleLocks(time_of_round=time_of_round, clock=clock)
        self.machine = MachineFile(directory, keys, self.pseudonyms, self.locks)
        self.sequencer = Sequencer(keys, self.pseudonyms, totals)
        self.restores = Restores(
            self.machine, self.sequencer, origin=origin, clock=clock, signals=signals, process_id=process_id
        )
        self._appending = threading.Lock()
        self.witnessed: Witnessed | None = None
        """Set while there are witnesses (services/witnesses/)."""

    def file(self) -> File:
        """What this machine keeps. Raises BetsPaused, and Unavailable while the file can't be locked."""
        return self.restores.file()

    def checkpoint(self) -> Checkpoint:
        """The checkpoint that the database must contain for its announced seeds to be used. See ``file``."""
        return self.restores.file().checkpoint

    def watch(self) -> None:
        """Compare the database with the file: see Restores."""
        self.restores.watch()

    # -- bets that are not logged yet --------------------------------------------------------------------

    def last_nonce(self, user_id: int) -> int:
        """The nonce of the player's last bet settled here that is not in the log, or 0.

        Read it before the database, which must then announce a later one.
        """
        return self.machine.unlogged.get(user_id, 0)

    def remember_bet(self, *, user_id: int, nonce: int) -> None:
        """Remember a bet that was settled here, until it is in the log."""
        self.machine.unlogged[user_id] = nonce

    def cover(self, bet_ids: Collection[int]) -> None:
        """Make sure that these bets are in the checkpoint of the file. Call it before showing their seeds.

        Must not be called within a transaction. Raises Unavailable when the file can't be written.
        """
        with reading():
            self._append_unless(partial(_covers, bet_ids=bet_ids))
            if not _covers(self.file(), bet_ids):
                raise Unavailable

    def cover_entry(self, entry_id: int) -> int:
        """Make sure that the entry of a battle's lock or end is in the checkpoint of the file.

        Returns its index. ``entry_id`` is that of ``log_entries``. See ``cover``.
        """
        with reading():
            self._append_unless(partial(_has_entry, entry_id=entry_id))
            index = battle_locks.index_of(entry_id)
            if index is None or not _has_entry(self.file(), entry_id):
                raise Unavailable
        return index

    def log_commitments(self) -> None:
        """Make sure that the commitments announced by now are in the checkpoint. See ``cover``."""
        with reading():
            self._append_unless(_has_commitments)

    def _append_unless(self, is_appended: Callable[[File | None], bool]) -> None:
        """Append what waits unless this is true of the file."""
        if not is_appended(self.file()):
            with self._appending, self.machine.locked():
                # Another process may have appended meanwhile.
                if not is_appended(self.machine.follow()):
                    self._append_all()

    # -- appending ---------------------------------------------------------------------------------------

    @reading()
    def append_waiting(self) -> None:
        """Append what waits, if anything does and bets are not paused."""
        is_waiting = self.machine.unlogged or sequencer.is_waiting() or self._key_to_announce(stored_log())
        if is_waiting or anchor_is_due(now=self._clock()):
            with suppress(BetsPaused):
                self.append_now()

    @reading()
    def append_now(self) -> None:
        """Append what waits by now, and keep the new checkpoint in the file.

        Must not be called within a transaction. Raises BetsPaused, and Unavailable when the file can't be
        written.
        """
        with self._appending, self.machine.locked():
            self._append_all()

    def _append_all(self) -> None:
        unlogged = self.machine.unlogged
        before = dict(unlogged)
        for _ in range(ATTEMPTS):
            with suppress(Superseded):
                if self._append_some():
                    break
        else:
            raise Unavailable
        for user_id, nonce in before.items():
            if unlogged.get(user_id) == nonce:
                del unlogged[user_id]

    def _append_some(self) -> bool:
        """Append a batch; returns whether all that waited before is in the log. Raises Superseded."""
        file, stored, now = self.restores.compare(), stored_log(), self._clock()
        self.locks.before_write(file.checkpoint.size)
        changes: dict[str, Any] = {}
        waiting, announcement = self.sequencer.waiting(BATCH), []
        if key := self._key_to_announce(stored):
            present, _ = self.keys.verifier_keys(stored.origin)
            announcement = [entries.next_key(at=now, key=present, next_key=key)]
            changes = {"announced_key": key}
        root = file.checkpoint.root
        note = self.sequencer.append(stored, root, waiting, now=now, last=announcement, **changes)
        if note != file.note:
            self.machine.keep(replace(file, note=note))
        return len(waiting) < BATCH

    def _key_to_announce(self, stored: Log) -> str | None:
        """The next key, if there is one that the log has not announced."""
        _, *following = self.keys.verifier_keys(stored.origin or self._first_origin)
        return following[0] if following and following[0] != stored.announced_key else None

    # -- locks of battles --------------------------------------------------------------------------------

    @reading()
    def decide_locks(self) -> None:
        """Decide about the locks of battles: see services/log/battle_locks.py.

        Every process calls it several times a second. Until all locks are in the file of this machine, it
        takes over what others have appended. Must not be called within a transaction. Raises Unavailable
        while the file can't be locked or written.
        """
        with suppress(BetsPaused):
            if battle_locks.is_one_unpublished(self.file().checkpoint.size):
                self.watch()
            if battle_locks.undecided():
                with self.machine.locked():
                    self.locks.before_write(self.restores.compare().checkpoint.size)

    # -- receipts ----------------------------------------------------------------------------------------

    def receipt(self, entry: bytes) -> str:
        """The receipt of an entry whose bet is committed: a note that the current key signs.

        It promises that the entry is in the log ten seconds after its time at the latest.
        """
        # Of the log that this process has used last: the bet was written to it.
        origin = (self.machine.known or self.file()).checkpoint.origin
        return self.keys.sign(f"{origin}/receipt\n{entry.decode()}\n", name=origin)

    @reading()
    def receipt_of_bet(self, *, user_id: int, nonce: int) -> str:
        """The receipt of the player's bet with this nonce. Raises ReceiptNotFound."""
        is_wanted = (Bet.user == user_id) & (Bet.nonce == nonce)
        bet_id = Bet.select(Bet.id).where(is_wanted).scalar() if nonce <= MAX_NONCE else None
        if bet_id is None:
            raise ReceiptNotFound
        return self.receipt(bundles.contents([bet_id], self.pseudonyms)[bet_id])

    # -- settings ---------------------------------------------------------------------------------------

    def check(self, *, with_origin: bool) -> None:
        """Raise Refusal if a server must not use the log with these settings."""
        try:
            problems = [each for each in self.problems() if with_origin or not each.startswith("LOG_ORIGIN")]
        except (*SCHEMA_ERRORS, *UNAVAILABLE):
            # The process starts nevertheless; /readyz says that the database is unavailable.
            return
        if problems:
            raise Refusal("; ".join(problems))

    def problems(self) -> Iterator[str]:
        """Yield a line for each setting that does not fit the log. Raises LogMissing."""
        try:
            if self.machine.read() is None:
                # Nothing is known of this log. An operator decides.
                return
        except Unavailable:
            yield f"LOG_SIGNING_KEY: {WRONG_KEY}"
        if (origin := stored_log().origin) and not self.has_first_origin():
            yield f"LOG_ORIGIN: the log has the origin {origin}; set the first one that it had"

    def has_first_origin(self) -> bool:
        """Whether the log of this database has the origin of these settings, or is its successor."""
        origin = stored_log().origin
        return origin == self._first_origin or origin.startswith(f"{self._first_origin}-")


def _covers(file: File | None, bet_ids: Collection[int]) -> bool:
    """Whether the checkpoint of the file has these bets."""
    if file is None:
        return False
    checkpoint = file.checkpoint
    size = size_with(bet_ids, size=checkpoint.size, root=checkpoint.root_hex)
    return size is not None and size <= checkpoint.size


def _has_entry(file: File | None, entry_id: int) -> bool:
    """Whether the checkpoint of the file has this entry of a battle."""
    index = battle_locks.index_of(entry_id)
    return file is not None and index is not None and index < file.checkpoint.size


def _has_commitments(file: File | None) -> bool:
    """Whether the checkpoint of the file has all commitments that are announced."""
    return file is not None and not sequencer.is_entry_waiting() and stored_log().size <= file.checkpoint.size
