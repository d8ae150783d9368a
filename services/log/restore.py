"""What goes on with the database that a process finds: after a restore, a promotion, or in a copy.

Each machine keeps the last signed checkpoint and the identity of its database in a file. A seed is revealed
only when its bet is in that checkpoint, so a database that contains it has every bet whose seed is public.
Any other one may announce seeds that were revealed, and lack payments.

| what a process finds | bets | money out |
|---|---|---|
| the identity of the file, and its checkpoint is contained | go on | goes on |
| another identity, and the checkpoint is contained (MOVED) | go on with redrawn seeds | held |
| the checkpoint, or a bet that this process has settled, is missing (LOST) | paused | held |
| no file, and a live process confirms the database | go on | goes on |
| no file otherwise, and the database has a log (UNKNOWN) | paused | held |

The row of the log says what is held and paused, so this counts for all processes and outlives restarts. An
operator ends a pause by ``resume`` (``flask log continue``) or ``trust``. Both begin an *epoch*: every seed
that was announced before is redrawn before it is used. A log whose end is lost goes on as its *successor*,
under another name; open battles and those whose lock is lost end then (models/battle_locks.py). A
reconciliation with the payment providers ends a hold (services/payments/hold.py).
"""

import logging
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from models import battle_locks
from models.announced_seeds import AnnouncedSeed, announces_any
from models.battle_locks import RestoredCounts
from models.db.connection import database, reading, writing
from models.log import Log, contains
from models.processes import Process, live_processes
from services.log import entries, sequencer, tree
from services.log.file import WRONG_KEY, File, MachineFile
from services.log.notes import Checkpoint
from services.log.sequencer import Sequencer, stored_log
from services.shared.clock import Millis
from services.shared.errors import Refusal, Unavailable
from services.shared.signals import Signal, Signals

log = logging.getLogger("platform.log")

MOVED = "it is not the database that was used last"
LOST = "it lacks the end of the log"
UNKNOWN = "there is no record of the database on this machine"
REDRAWN = "an operator has redrawn the seeds, as after a restore"
"""Why withdrawals are held."""

CONFIRM_SECONDS = 3.0
"""How long a machine without a file waits for another one to confirm the database."""


Record = Callable[[File], None]
"""Records what an operator has done, as an event of the audit trail."""


class BetsPaused(Unavailable):
    """An operator must look at the database before bets go on."""

    text = "Bets are paused"


class Restores:
    """Compares the database with the file of this machine, and decides what goes on."""

    def __init__(
        self,
        machine: MachineFile,
        appender: Sequencer,
        *,
        origin: str,
        clock: Callable[[], Millis],
        signals: Signals,
        process_id: Callable[[], int],
    ) -> None:
        """``origin`` is the name of the log at its first start."""
        self.machine = machine
        self._sequencer = appender
        self._first_origin = origin
        self._clock = clock
        self._signals = signals
        self._process_id = process_id

    @reading()
    def file(self) -> File:
        """The file of this machine. Raises BetsPaused, and Unavailable while it can't be locked."""
        found = self.machine.follow()
        if found is None:
            with self.machine.locked():
                found = self._load()
        return found

    @reading()
    def watch(self) -> None:
        """Compare the database with the file between uses. Must not be called within a transaction."""
        found, stored = self.machine.follow(), stored_log()
        if (
            found is None
            or (stored.checkpoint, stored.is_paused) != (found.note, False)
            or found.database != database.identity()
            or not self._is_contained(found, stored)
        ):
            with self.machine.locked(), suppress(BetsPaused):
                self.compare()

    def compare(self) -> File:
        """Compare the database with the file; returns the file. Within ``locked``. Raises BetsPaused."""
        return self._compare(self._load())

    def _load(self) -> File:
        """The file, about the database in use. Within ``locked``. Raises BetsPaused."""
        found = self.machine.follow()
        if found is not None:
            return found
        before, identity = self.machine.known, database.identity()
        found = self.machine.read()
        if found is None:
            return self._begin()
        if found.database == identity:
            return self.machine.adopt(found)
        if before is not None and before.database == identity:
            # Whoever of this machine has left a database comes back to it only by a restart.
            log.error("another process of this machine has changed to another database")
            database.leave_connections()
            raise Unavailable
        return self._compare(found)

    def _compare(self, found: File) -> File:
        """Begin an epoch or pause bets if it must be, and keep the last checkpoint of the database."""
        stored, identity = stored_log(), database.identity()
        is_same = found.database == identity
        if not self._is_contained(found, stored):
            if not is_same and found.paused_in != identity:
                self.machine.keep(replace(found, paused_in=identity))
            self._pause(f"{LOST}: {database.older}")
        if stored.checkpoint != found.note and not self._sequencer.has_signed(stored):
            log.error("the last checkpoint of the database does not continue the one of this machine")
            raise Unavailable
        if stored.is_paused and stored.held_reason == UNKNOWN and is_same:
            # A machine without a file has paused bets. It can ask this one.
            with writing():
                Log.update(is_paused=False).where(Log.held_reason == UNKNOWN).execute()
        elif stored.is_paused:
            raise BetsPaused
        if not is_same:
            return self._begin_epoch(found, reason=MOVED, hold=MOVED)
        if stored.checkpoint == found.note:
            return found
        return self._keep(found, stored.checkpoint, stored.epoch)

    def _is_contained(self, found: File, stored: Log) -> bool:
        """Whether the database has all that this machine knows of it, perhaps in a successor of the log.

        A successor is newer than the file. Otherwise somebody may have put an earlier log back.
        """
        # Read before the database, which must then announce later ones.
        unlogged, checkpoint = dict(self.machine.unlogged), found.checkpoint
        if stored.origin != checkpoint.origin:
            is_newer = stored.epoch > found.epoch and stored.origin not in found.ended
            has_tree = sequencer.has_tree(stored, checkpoint)
            return is_newer and (has_tree or sequencer.succeeds(stored, checkpoint.origin))
        # In a newer epoch, an operator knows that bets were lost.
        knows_bets = stored.epoch > found.epoch or not announces_any(unlogged)
        return knows_bets and sequencer.has_tree(stored, checkpoint)

    def _begin(self) -> File:
        """Use a database that this machine has no file about. Within ``locked``. Raises BetsPaused."""
        stored = stored_log()
        if stored.is_paused:
            raise BetsPaused
        if _is_new(stored):
            origin, now = stored.origin or self._first_origin, self._clock()
            self._sequencer.append(stored, tree.EMPTY_ROOT, [], now=now, origin=origin)
        elif not self._is_confirmed(stored):
            self._pause(UNKNOWN)
        stored = stored_log()
        if not self._sequencer.has_signed(stored):
            log.error(WRONG_KEY)
            raise Unavailable
        return self.machine.keep(File(stored.checkpoint, database.identity(), stored.epoch, {}))

    def _keep(self, found: File, note: str, epoch: int) -> File:
        """Keep this checkpoint of the database."""
        return self.machine.keep(_following(found, note, epoch))

    def _is_confirmed(self, stored: Log) -> bool:
        """Whether a live process finds the checkpoint of its machine in this database."""
        if not live_processes().where(Process.id != self._process_id()).exists():
            return False
        if self._signals.state is None:
            log.error("other processes use this database, and this machine has no record of its log")
            raise Unavailable
        self._signals.publish(Signal.CONFIRMATION, None)
        deadline = time.monotonic() + CONFIRM_SECONDS
        while stored_log().confirmations == stored.confirmations:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def confirm(self) -> None:
        """Confirm the database for a machine that has no file, unless it lacks this one's checkpoint."""
        if self.machine.known is not None:
            checkpoint = self.machine.known.checkpoint
            with writing():
                is_contained = contains(checkpoint.size, checkpoint.root_hex)
                Log.update(confirmations=Log.confirmations + 1).where(is_contained).execute()

    def _pause(self, reason: str) -> None:
        """Pause bets and hold withdrawals. Raises BetsPaused."""
        with writing():
            changes = {"is_paused": True, "held_reason": reason, "held_at_ms": self._clock()}
            Log.update(changes).where(~Log.is_paused).execute()
        raise BetsPaused

    def doubt(self) -> str | None:
        """Why the file does not confirm the database, or None. Writes nothing. Within ``reading()``."""
        found, stored = self.machine.read(), stored_log()
        if found is None:
            return None if _is_new(stored) else UNKNOWN
        if not self._is_contained(found, stored):
            return f"{LOST}: {database.older}"
        return None if found.database == database.identity() else MOVED

    def lost_entries(self) -> int | None:
        """How many entries of the file the database lacks; 0 without one, None if bets may go on.

        Writes nothing. To be used within ``reading()``.
        """
        found, stored = self.machine.read(), stored_log()
        if not stored.is_paused and self.doubt() in (None, MOVED):
            return None
        return max(found.checkpoint.size - stored.size, 0) if found else 0

    def resume(self, *, lost: int, reason: str, record: Record) -> File:
        """Let bets go on in this database, although so many entries of the log are lost.

        The log goes on as a successor, except when only bets are lost that were not in it yet. ``record`` is
        called in the transaction that begins the epoch. Raises Refusal if bets are not paused, and for
        another number.
        """
        with self.machine.locked():
            expected, found, stored = self.lost_entries(), self.machine.read(), stored_log()
            if expected is None:
                raise Refusal("bets are not paused: the database has all that this machine knows of it")
            if lost != expected:
                raise Refusal(f"{expected} entries are lost, not {lost}")
            if found is None and not stored.checkpoint:
                raise Refusal("the database has no log: run this on the machine that has the file of the log")
            hold = stored.held_reason or self.doubt() or LOST
            ended = self._ended_log(found, stored)
            found = found or File(stored.checkpoint, "", stored.epoch, {})
            return self._begin_epoch(found, reason=reason, hold=hold, ended=ended, record=record)

    def _ended_log(self, found: File | None, stored: Log) -> Checkpoint | None:
        """The last checkpoint of the log that must have a successor; None if the log itself goes on."""
        if found is None:
            return Checkpoint(stored.origin, stored.size, sequencer.root_at(stored.size))
        ended = found.checkpoint
        has_end = stored.origin == ended.origin and sequencer.has_tree(stored, ended)
        return None if has_end or self._is_contained(found, stored) else ended

    def lost_battles(self) -> RestoredCounts:
        """How many battles end if an operator lets bets go on. To be used within ``reading()``."""
        has_successor = self._ended_log(self.machine.read(), stored_log()) is not None
        return battle_locks.restored_counts() if has_successor else RestoredCounts(0, 0)

    def trust(self, *, size: int, reason: str, record: Record) -> File:
        """Let the log go on, on a machine without a file, because it has the entries that others have seen.

        ``size`` is that of a checkpoint that somebody else has kept. For ``record`` see ``resume``. Raises
        Refusal.
        """
        with self.machine.locked():
            stored = stored_log()
            if self.machine.read() is not None:
                raise Refusal("this machine has a record of the log: use flask log continue")
            if not self._sequencer.has_signed(stored):
                raise Refusal("the keys of this server have not signed the log of the database")
            if not 0 < size <= stored.size:
                raise Refusal(f"the log of the database has {stored.size} entries, not {size}")
            found = File(stored.checkpoint, "", stored.epoch, {})
            return self._begin_epoch(found, reason=reason, hold=UNKNOWN, record=record)

    def redraw(self, *, record: Record) -> None:
        """Begin an epoch because an operator asks for it; ``record``: see ``resume``. Raises BetsPaused."""
        with self.machine.locked():
            self._begin_epoch(self.compare(), reason=REDRAWN, hold=REDRAWN, record=record)

    def _begin_epoch(
        self,
        found: File,
        *,
        reason: str,
        hold: str,
        ended: Checkpoint | None = None,
        record: Record | None = None,
    ) -> File:
        """Append the entry of an epoch after all that waits, in a successor of ``ended`` if that is given.

        Withdrawals are held for the reason ``hold``. Within ``locked``. Raises Superseded.
        """
        stored, now = stored_log(), self._clock()
        number = max(stored.epoch, found.epoch) + 1
        first = []
        changes = {"epoch": number, "is_paused": False, "held_reason": hold, "held_at_ms": now}
        if ended is not None:
            # Random: machines that do not know of each other may begin one.
            origin = f"{self._first_origin}-{secrets.token_hex(4)}"
            changes |= {"origin": origin, "announced_key": ""}
            first = [entries.successor(at=now, ended=ended, kept=stored.size)]
            log.warning("the log goes on as %s: %s", origin, reason)
        last = [entries.epoch(at=now, redraw=number, reason=reason)]
        self.machine.locks.before_write(found.checkpoint.size, with_waiting=ended is None)
        waiting, root = self._sequencer.waiting(None), sequencer.root_at(stored.size)
        with writing():
            if ended is not None:
                battle_locks.mark_restored()
            note = self._sequencer.append(stored, root, waiting, now=now, first=first, last=last, **changes)
            begun = _following(found, note, number)
            if record is not None:
                record(begun)
        log.warning("server seeds are redrawn: %s", reason)
        return self.machine.keep(begun)


def _following(found: File, note: str, epoch: int) -> File:
    """The file with this checkpoint. If it is of another log, that of the found file has ended."""
    file = File(note, database.identity(), epoch, found.ended)
    before = found.checkpoint.origin
    if file.checkpoint.origin == before:
        return file
    return replace(file, ended=found.ended | {before: found.note})


def _is_new(stored: Log) -> bool:
    """Whether no server has used the database, or nobody has got a seed in it."""
    return not stored.checkpoint or not (stored.size or AnnouncedSeed.select().exists())
