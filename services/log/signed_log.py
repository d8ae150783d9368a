"""A log, as this machine knows it.

The last signed checkpoint is kept in a file outside of the database. A database that does not contain it was
set back, or is another one: then a new epoch begins, and the log goes on under another name.

The processes of a machine share the file. Whoever needs the database and a lock takes the connection first:
those who wait for the lock may hold all connections of the pool.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from models.audit_trail import anchor_is_due, number_new
from models.db.connection import SCHEMA_ERRORS, UNAVAILABLE, database, reading, writing
from models.log import Log, SignedTree, contains
from services.log import checkpoint_file, entries, sequencer
from services.log.bundles import Entry, Source
from services.log.checkpoint_file import Kept
from services.log.checkpoints import Checkpoint
from services.log.keys import LogKeys
from services.log.notes import BadNote, encode_base64
from services.log.sequencer import Superseded
from services.shared.clock import Millis
from services.shared.errors import Refusal, Unavailable

log = logging.getLogger("platform.log")

UNKNOWN = "there is no record of the database on this machine"
ANOTHER = "it is not the database that was used last"
OLDER = "the database is older than when it was used last"
ASKED = "an operator asked for it"
"""Why an epoch begins."""
REDRAWN = "an operator has redrawn the seeds, as after a restore"
"""Why withdrawals are held then."""

WRONG_KEY = "the last checkpoint of this machine was signed with another key"

CONFIRM_SECONDS = 3.0
"""How long a machine without a record waits for the confirmation of another. Its requests wait meanwhile, for
the lock of the file, and for that LOCK_SECONDS at most."""
LOOK_SECONDS = 0.02

ATTEMPTS = 20
"""How often a change of the log is tried while other machines change it too."""


NOTHING = Kept(checkpoint="", database="", history="")


class Known(NamedTuple):
    """The content of the file, and the checkpoint in it."""

    kept: Kept
    checkpoint: Checkpoint

    @property
    def tree(self) -> SignedTree:
        return tree_of(self.checkpoint)


class SignedLog:
    """Appends to a log, and knows the checkpoint that the database must contain."""

    def __init__(
        self,
        path: Path,
        source: Source,
        *,
        origin: str,
        keys: LogKeys,
        clock: Callable[[], Millis],
        ask_for_confirmation: Callable[[], bool],
    ) -> None:
        """``path`` is that of its file. ``origin`` is used at the first start.

        ``ask_for_confirmation`` asks the other processes to ``confirm``. It returns whether there are any,
        and raises Unavailable if there are and they can't be asked.
        """
        self.source = source
        self.keys = keys
        self._path = path
        self._first_origin = origin
        self._clock = clock
        self._ask_for_confirmation = ask_for_confirmation
        self._known: Known | None = None
        self._version: tuple[int, int] | None = None
        self._appending = threading.Lock()
        # Numbers of the last append that has begun, and of the last one that was successful.
        self._begun = self._done = 0

    # -- what the database must contain ------------------------------------------------------------------

    def current(self) -> Known:
        """The newest checkpoint of this machine. Raises Unavailable while the file can't be locked."""
        known = self._follow()
        if known is None:
            with self._locked():
                return self._load()
        return known

    def newer(self) -> Known:
        """The newest checkpoint of the database, which this machine then keeps.

        Must not be called within a transaction. Raises Unavailable.
        """
        known = self.current()
        if self._stored().checkpoint != known.kept.checkpoint:
            self.watch()
            known = self.current()
        return known

    def watch(self) -> None:
        """Check the database between uses, and keep checkpoints that other machines have signed.

        Must not be called within a transaction.
        """
        if self._is_unchanged():
            return
        with self._locked():
            known = self._load()
            if not self._is_newest(known):
                self._replace(known, OLDER)
            elif _identity() != known.kept.database:
                self._replace(known, ANOTHER)
            else:
                self._keep_newest(known, self._stored())

    @reading()
    def _is_unchanged(self) -> bool:
        """Whether the database and the file have the checkpoint that this process knows. Needs no lock."""
        known = self._follow()
        return (
            known is not None
            and self._is_newest(known)
            and _identity() == known.kept.database
            and self._stored().checkpoint == known.kept.checkpoint
        )

    def _is_newest(self, known: Known) -> bool:
        """Whether the database has all that this process knows of it."""
        return self._contains(known) and not self._has_lost_rows()

    def _contains(self, known: Known) -> bool:
        return sequencer.contains_tree(self.source.log, known.tree, now=self._clock())

    # -- what commands and metrics show -------------------------------------------------------------------

    @property
    def published_size(self) -> int:
        """The size of the newest checkpoint of this machine; 0 while none was read."""
        return self._known.checkpoint.size if self._known else 0

    @property
    def successors(self) -> int:
        """How often the log went on under another name on this machine."""
        return len(self._known.kept.ended) if self._known else 0

    def kept_checkpoints(self) -> list[Checkpoint]:
        """The checkpoints in the file, whatever the database is: the newest, and those of ended logs."""
        kept = checkpoint_file.read(self._path)
        notes = [kept.checkpoint, *kept.ended.values()] if kept else []
        # Without their signatures: the key may be gone, and nobody else writes this file.
        return [Checkpoint.parse(note.partition("\n\n")[0] + "\n") for note in notes]

    def open(self, note: str) -> Checkpoint:
        """The checkpoint in a note that one of the keys has signed for this log. Raises BadNote."""
        checkpoint = self.keys.open_checkpoint(note)
        name, first = (origin.rpartition("/")[2] for origin in (checkpoint.origin, self._first_origin))
        if name != first and not name.startswith(f"{first}-"):
            raise BadNote("the checkpoint is of another log")
        return checkpoint

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
            if self._read() is None:
                # Nothing is known of this log. It goes on as one of this machine.
                return
        except Unavailable:
            yield f"LOG_SIGNING_KEY: {WRONG_KEY}"
        origin = self._stored().origin
        if origin and not self.has_first_origin():
            yield f"LOG_ORIGIN: the log has the origin {origin}; set the first one that it had"

    def doubt(self) -> str | None:
        """Why the file of this machine does not confirm the database; None if it does, or if there is no log.

        Writes nothing. To be used within ``reading()``.
        """
        stored, known = self._stored(), self._read()
        if known is None:
            return UNKNOWN if stored.checkpoint else None
        if known.kept.database != _identity():
            return ANOTHER
        is_contained = sequencer.root_at(stored.name, known.tree.size) == known.tree.root
        return None if is_contained else _end_is_missing()

    def is_signed_here(self) -> bool:
        """Whether the keys of these settings have signed the log of this database."""
        return self._is_signed(self._stored())

    def has_first_origin(self) -> bool:
        """Whether the log of this database has the origin of these settings, or is its successor."""
        origin = self._stored().origin
        return origin == self._first_origin or origin.startswith(f"{self._first_origin}-")

    # -- appending ---------------------------------------------------------------------------------------

    def append_waiting(self) -> None:
        """Append what waits, if anything does."""
        if self.source.is_waiting() or self._next_key(self._stored()) or self._anchor_is_due():
            self.append_now()

    def append_now(self, *, unless: Callable[[SignedTree], bool] = lambda _: False) -> None:
        """Append what waits by now, and keep the newest checkpoint in the file.

        ``unless`` gets the trees that other processes sign while this one waits for them, and returns
        whether one is enough. Must not be called within a transaction. Raises Unavailable when the file can't
        be written.
        """
        _check_no_transaction()
        begun = self._begun
        with reading(), self._appending:
            if self._done > begun:
                # An append that began after this call has done it.
                return
            self._begun = begun = self._begun + 1
            try:
                is_complete = self._append_all(unless)
            except OSError as failure:
                log.exception("checkpoint not written")
                raise Unavailable from failure
            if is_complete:
                self._done = begun

    def _append_all(self, unless: Callable[[SignedTree], bool]) -> bool:
        """Append all that waits by now; False if another process has appended enough."""

        def is_enough() -> bool:
            known = self._follow()
            return known is not None and known is not before and unless(known.tree)

        attempts, before = 0, self._known
        while attempts < ATTEMPTS:
            with self._locked(unless=is_enough) as is_locked:
                if not is_locked:
                    return False
                known = self._load()
                if self._has_lost_rows():
                    self._replace(known, OLDER)
                    continue
                try:
                    is_complete = self._append_some(known)
                except Superseded:
                    attempts += 1
                    if not self._contains(known):
                        self._replace(known, OLDER)
                    continue
                if is_complete:
                    return True
        raise Unavailable

    def _append_some(self, known: Known) -> bool:
        """Append a batch; returns whether all that waited before is in the log. Raises Superseded."""
        stored, now = self._stored(), self._clock()
        known = self._keep_newest(known, stored)
        waiting, others, changes = self.source.waiting(sequencer.BATCH), [], {}
        if key := self._next_key(stored):
            others, changes = [entries.next_key(at=now, verifier_key=key)], {"announced_key": key}
        note = None
        with writing():
            if anchor := number_new(now=now):
                digest, events = anchor
                others.append(entries.audit(at=now, digest=digest, events=events))
            added: list[Entry | bytes] = [*waiting, *others]
            if added:
                note = sequencer.append(
                    stored, self.source, added, self.keys, known=known.tree, now=now, changes=changes
                )
        if note is not None:
            self._keep(known.kept._replace(checkpoint=note))
        elif not self._contains(known):
            raise Superseded
        return len(waiting) < sequencer.BATCH

    @reading()
    def _anchor_is_due(self) -> bool:
        return anchor_is_due(now=self._clock())

    def _next_key(self, stored: Log) -> str | None:
        """The next key, if there is one that the log has not announced."""
        _, *following = self.keys.verifier_keys(stored.origin or self._first_origin)
        return following[0] if following and following[0] != stored.announced_key else None

    # -- other machines ----------------------------------------------------------------------------------

    def confirm(self) -> None:
        """Confirm the database for a machine that has no record of it, unless this one has none either."""
        known = self._known
        if known is not None:
            with writing():
                is_contained = (Log.name == self.source.log) & contains(self.source.log, known.tree)
                Log.update(confirmations=Log.confirmations + 1).where(is_contained).execute()

    def _keep_newest(self, known: Known, stored: Log) -> Known:
        """Keep the last checkpoint of the database, if another machine has signed a newer one."""
        if stored.checkpoint == known.kept.checkpoint:
            return known
        if not self._continues(stored, known):
            log.error("the last checkpoint of the database does not continue the one of this machine")
            raise Unavailable
        kept = _with_end(known, stored)
        return self._keep(kept._replace(checkpoint=stored.checkpoint, epoch=max(kept.epoch, stored.epoch)))

    def _continues(self, stored: Log, known: Known) -> bool:
        """Whether this log was signed here or by another machine, and begins with the known checkpoint."""
        is_same = stored.origin == known.checkpoint.origin
        return self._is_signed(stored) and (
            self._contains(known) and stored.size >= known.checkpoint.size
            if is_same
            else self._is_successor(stored, known)
        )

    def _is_successor(self, stored: Log, known: Known) -> bool:
        """Whether another machine has begun this log after the known one had lost its end.

        Otherwise it may be an earlier log that somebody has put back.
        """
        return (
            stored.epoch > known.kept.epoch
            and stored.origin not in known.kept.ended
            and (self._contains(known) or self._is_fork(stored, known))
        )

    def _is_fork(self, stored: Log, known: Known) -> bool:
        tree = SignedTree(stored.size, sequencer.root_at(stored.name, stored.size))
        return sequencer.is_fork_of(stored.name, known.checkpoint.origin, tree)

    def _is_signed(self, stored: Log) -> bool:
        """Whether one of the keys has signed the tree that the database has."""
        try:
            checkpoint = self.open(stored.checkpoint)
        except BadNote:
            return False
        signed = (checkpoint.origin, checkpoint.size, checkpoint.root.hex())
        return signed == (stored.origin, stored.size, sequencer.root_at(stored.name, stored.size))

    # -- the file ----------------------------------------------------------------------------------------

    @contextmanager
    def _locked(self, *, unless: Callable[[], bool] = lambda: False) -> Iterator[bool]:
        """Hold a connection and the lock of the file: see ``checkpoint_file.locked``. Raises Unavailable."""
        with reading(), checkpoint_file.locked(self._path, unless=unless) as is_locked:
            yield is_locked

    def _file_version(self) -> tuple[int, int] | None:
        """A value that changes when the file is replaced; None without a file."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns

    def _follow(self) -> Known | None:
        """What the file says, if it is about the database that this process knows; otherwise None.

        It needs no lock, because the file is replaced atomically. With one, the requests of all processes
        would wait for each append.
        """
        version, before = self._file_version(), self._known
        if before is not None and not _leads_to(before.kept.database):
            return None
        if before is not None and version != self._version:
            known = self._read()
            if known is None or known.kept.database != before.kept.database:
                return None
            if known.kept.history != before.kept.history:
                self._on_new_epoch()
            self._known, self._version = known, version
        return self._known

    def _load(self) -> Known:
        """What the file says, or will say about a database that it does not know. Within ``_locked``."""
        if (followed := self._follow()) is not None:
            return followed
        version, known, before = self._file_version(), self._read(), self._known
        if known is None:
            return self._begin()
        if before is not None and before.kept.history != known.kept.history:
            self._on_new_epoch()
        identity = _identity()
        if known.kept.database != identity:
            if before is not None and before.kept.database == identity:
                # Whoever of this machine has left a database comes back to it only by a restart.
                log.error("another process of this machine has changed to another database")
                database.leave_connections()
                raise Unavailable
            return self._replace(known, ANOTHER)
        self._known, self._version = known, version
        return known

    def _read(self) -> Known | None:
        """The content of the file; None if there is none. Raises Unavailable if no key opens it."""
        kept = checkpoint_file.read(self._path)
        try:
            return None if kept is None else Known(kept, self.open(kept.checkpoint))
        except BadNote:
            log.error(WRONG_KEY)  # noqa: TRY400  # the line is enough
            raise Unavailable from None

    def _keep(self, kept: Kept) -> Known:
        known = Known(kept, self.open(kept.checkpoint))
        checkpoint_file.write(self._path, kept)
        self._known, self._version = known, self._file_version()
        return known

    # -- beginning and replacing -------------------------------------------------------------------------

    def _begin(self) -> Known:
        """Use a database that this machine has no record of. Within ``_locked``."""
        for _ in range(ATTEMPTS):
            stored = self._stored()
            try:
                if not stored.checkpoint:
                    return self._begin_log(stored, self._first_origin, NOTHING)
                if self._is_confirmed(stored):
                    stored = self._stored()
                    if not self._is_signed(stored):
                        log.error(WRONG_KEY)
                        raise Unavailable
                    # The others may have begun a new epoch.
                    self._on_new_epoch()
                    return self._keep(Kept(stored.checkpoint, _identity(), _history(), stored.epoch))
                return self._fork(None, UNKNOWN)
            except Superseded:
                continue
        raise Unavailable

    def _is_confirmed(self, stored: Log) -> bool:
        """Whether another machine finds its last checkpoint in this database."""
        if not self._ask_for_confirmation():
            return False
        deadline = time.monotonic() + CONFIRM_SECONDS
        while self._stored().confirmations == stored.confirmations:
            if time.monotonic() > deadline:
                return False
            time.sleep(LOOK_SECONDS)
        return True

    def _begin_log(self, stored: Log, origin: str, kept: Kept) -> Known:
        """Begin the log of a database that has none yet. Within ``_locked``. Raises Superseded."""
        is_trusted = not kept.checkpoint and self._is_trusted(stored)
        number = max(stored.epoch, kept.epoch) + (not is_trusted)
        last = [] if is_trusted else self._epoch_entries(number, UNKNOWN)
        changes = {"origin": origin, "epoch": number, "confirmations": stored.confirmations + 1}
        if not is_trusted:
            changes |= self._hold(stored, _end_is_missing() if kept.checkpoint else UNKNOWN)
        root = sequencer.root_at(stored.name, stored.size)
        note = self._append(stored, root, [], last, **changes)
        return self._renew(kept, note, number, reason=None if is_trusted else UNKNOWN)

    def _replace(self, known: Known, reason: str) -> Known:
        """Go on with another database, in a successor if the end of the log was lost. Within ``_locked``."""
        for _ in range(ATTEMPTS):
            stored = self._stored()
            try:
                if not stored.checkpoint:
                    # Made anew.
                    return self._begin_log(stored, self._new_origin(), _with_end(known))
                if self._continues(stored, known):
                    return self._continue(stored, _with_end(known, stored), reason)
                return self._fork(known, reason)
            except Superseded:
                continue
        raise Unavailable

    def _continue(self, stored: Log, kept: Kept, reason: str) -> Known:
        """Begin a new epoch of this log, which one of the keys has signed. Within ``_locked``.

        Raises Superseded.
        """
        number = max(stored.epoch, kept.epoch) + 1
        root = self.open(stored.checkpoint).root.hex()
        # An older database lacks bets that were not logged yet.
        hold = self._hold(stored, {OLDER: _end_is_missing(), ASKED: REDRAWN}.get(reason, reason))
        note = self._append(stored, root, [], self._epoch_entries(number, reason), epoch=number, **hold)
        return self._renew(kept, note, number, reason=reason)

    def _fork(self, known: Known | None, reason: str) -> Known:
        """Go on under another name, and begin a new epoch. Within ``_locked``. Raises Superseded."""
        now, stored, origin = self._clock(), self._stored(), self._new_origin()
        root = sequencer.root_at(stored.name, stored.size)
        if known is None:
            kept = NOTHING._replace(ended={stored.origin: stored.checkpoint})
            ended = Checkpoint(stored.origin, stored.size, bytes.fromhex(root))
        else:
            kept, ended = _with_end(known), known.checkpoint
        number = max(stored.epoch, kept.epoch) + 1
        fork = entries.fork(
            at=now,
            fork_of=ended.origin,
            kept=stored.size,
            size=ended.size,
            root=encode_base64(ended.root),
        )
        last = self._epoch_entries(number, reason)
        changes = {"origin": origin, "epoch": number, "announced_key": ""}
        changes |= self._hold(stored, _end_is_missing() if known else UNKNOWN)
        note = self._append(stored, root, [fork], last, **changes)
        log.warning("the log goes on as %s: %s", origin, reason)
        return self._renew(kept, note, number, reason=reason)

    def _append(
        self, stored: Log, root: str, first: Sequence[bytes], last: Sequence[bytes], **changes: Any
    ) -> str:
        """Append these entries to the tree with this root, the ``last`` after all that wait.

        Returns the signed checkpoint. Raises Superseded.
        """
        _check_no_transaction()
        now, tree = self._clock(), SignedTree(stored.size, root)
        waiting = self.source.waiting(None) if last else []
        with writing():
            sequencer.store_checkpoint(self.source.log, tree, now=now)
            added: list[Entry | bytes] = [*first, *waiting, *last]
            return sequencer.append(
                stored, self.source, added, self.keys, known=tree, now=now, changes=changes
            )

    def _hold(self, stored: Log, reason: str) -> dict[str, Any]:
        """The columns that hold withdrawals for this reason. UNKNOWN stays, which only an operator ends."""
        if stored.held_reason == UNKNOWN:
            return {}
        return {"held_reason": reason, "held_at_ms": self._clock()}

    def _renew(self, kept: Kept, note: str, epoch: int, *, reason: str | None) -> Known:
        """Keep the first checkpoint of an epoch; ``reason`` is why it began, None for the first one."""
        self._on_new_epoch(reason)
        return self._keep(
            kept._replace(checkpoint=note, database=_identity(), history=_history(), epoch=epoch)
        )

    def _new_origin(self) -> str:
        """The origin of a successor. It is random: machines that do not know of each other may begin one."""
        return f"{self._first_origin}-{secrets.token_hex(4)}"

    def _stored(self) -> Log:
        return sequencer.stored_log(self.source.log)

    # -- what differs between logs -----------------------------------------------------------------------

    def _has_lost_rows(self) -> bool:
        """Whether the database lacks what this process knows it to have had after the checkpoint."""
        return False

    def _is_trusted(self, stored: Log) -> bool:  # noqa: ARG002  # for subclasses
        """Whether no epoch has to begin with a log that begins."""
        return True

    def _epoch_entries(self, number: int, reason: str) -> list[bytes]:  # noqa: ARG002  # for subclasses
        """The last entries before an epoch."""
        return []

    def _on_new_epoch(self, reason: str | None = None) -> None:
        """Called when an epoch begins, with the reason if this process begins it."""


def tree_of(checkpoint: Checkpoint) -> SignedTree:
    """The tree of a checkpoint."""
    return SignedTree(checkpoint.size, checkpoint.root.hex())


def _end_is_missing() -> str:
    """Why withdrawals are held in a database that does not contain the checkpoint."""
    return f"it lacks the end of the log: {database.older}"


@reading()
def _identity() -> str:
    return str(database.identity())


@reading()
def _leads_to(identity: str) -> bool:
    return bool(database.leads_to(identity))


def _check_no_transaction() -> None:
    if database.in_transaction():
        raise RuntimeError("a checkpoint must be committed before its file is written")


def _history() -> str:
    return secrets.token_hex(16)


def _with_end(known: Known, successor: Log | None = None) -> Kept:
    """The content of the file with the last checkpoint of its log, unless ``successor`` is the same log."""
    if successor is not None and successor.origin == known.checkpoint.origin:
        return known.kept
    ended = known.kept.ended | {known.checkpoint.origin: known.kept.checkpoint}
    return known.kept._replace(ended=ended)
