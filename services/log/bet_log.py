"""The public log of bets, as this machine knows it.

The last signed checkpoint is kept in a file outside of the database. A server seed leaves the server only
when its bet is in that checkpoint. So a database that contains the checkpoint contains every bet whose seed
is public, and any other database was set back, or is another one: announced seeds are redrawn, and the log
goes on under another name. docs/seeds-after-a-restore.md says what this recognises, and what it does not.

The processes of a machine share the file. Each of them knows by itself which of its bets are not logged yet.

Whoever needs the database and a lock takes the connection first: those who wait for the lock may hold all
connections of the pool.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from models.announced_seeds import announces_any
from models.db.connection import SCHEMA_ERRORS, UNAVAILABLE, database, reading, writing
from models.log import BETS, Log, SignedTree, contains, size_with
from services.log import checkpoint_file, entries, first_start, sequencer
from services.log.checkpoint_file import Kept
from services.log.checkpoints import Checkpoint
from services.log.keys import LogKeys
from services.log.notes import BadNote, encode_base64
from services.log.pseudonyms import Pseudonyms
from services.log.sequencer import Entry, Superseded
from services.shared.clock import Millis
from services.shared.errors import OperatorError, Unavailable

log = logging.getLogger("platform.log")

FILE_NAME = "log.checkpoint"

UNKNOWN = "there is no record of the database on this machine"
ANOTHER = "it is not the database that was used last"
OLDER = "the database is older than when it was used last"
ASKED = "an operator asked for it"

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
        return SignedTree(self.checkpoint.size, self.checkpoint.root.hex())


class BetLog:
    """Appends to the log, and knows the checkpoint that the database must contain."""

    def __init__(
        self,
        directory: Path,
        *,
        origin: str,
        keys: LogKeys,
        pseudonyms: Pseudonyms,
        clock: Callable[[], Millis],
        ask_for_confirmation: Callable[[], bool],
    ) -> None:
        """``directory`` is where its file is kept. ``origin`` is used at the first start.

        ``ask_for_confirmation`` asks the other processes to ``confirm``. It returns whether there are any,
        and raises Unavailable if there are and they can't be asked.
        """
        self.keys = keys
        self.pseudonyms = pseudonyms
        self._path = directory / FILE_NAME
        self._first_origin = origin
        self._clock = clock
        self._ask_for_confirmation = ask_for_confirmation
        self._known: Known | None = None
        self._version: tuple[int, int] | None = None
        self._appending = threading.Lock()
        # Numbers of the last append that has begun, and of the last one that was successful.
        self._begun = self._done = 0
        # The last nonce of each player's bets that were settled here and may not be in the log yet.
        self._unlogged: dict[int, int] = {}

    # -- what the database must contain ------------------------------------------------------------------

    def known(self) -> SignedTree:
        """The checkpoint that the database must contain for its announced seeds to be used.

        Begins a new epoch when there is no file, unless the database is new or another process confirms it,
        and when the file is about another database.
        """
        return self.current().tree

    def current(self) -> Known:
        """The newest checkpoint of this machine. Raises Unavailable while the file can't be locked."""
        if self._known is None or self._file_version() != self._version:
            with self._locked():
                return self._load()
        return self._known

    def last_nonce(self, user_id: int) -> int:
        """The nonce of the player's last bet settled here that is not in the log, or 0.

        Read it before the database, which must then announce a later one.
        """
        return self._unlogged.get(user_id, 0)

    def remember_bet(self, *, user_id: int, nonce: int) -> None:
        """Remember a bet that was settled here, until it is in the log."""
        self._unlogged[user_id] = nonce

    def distrust(self, doubted: SignedTree) -> None:
        """Have every announced seed redrawn before it is used, if the database went back in time.

        Does nothing when another request or process has done so since ``doubted`` was known.
        """
        with self._locked():
            known = self._load()
            if known.tree == doubted and not self._is_newest(known):
                self._replace(known, OLDER)

    def watch(self) -> None:
        """Check the database between uses, and keep checkpoints that other machines have signed.

        Must not be called within a transaction.
        """
        with self._locked():
            known = self._load()
            if not self._is_newest(known):
                self._replace(known, OLDER)
            elif _identity() != known.kept.database:
                self._replace(known, ANOTHER)
            else:
                self._keep_newest(known)

    def redraw(self) -> None:
        """Have every announced seed redrawn before it is used, because an operator asks for it."""
        with self._locked():
            self._replace(self._load(), ASKED)

    def _is_newest(self, known: Known) -> bool:
        """Whether the database has all that this process knows of it: the checkpoint, and later bets."""
        # Read before the database, as for last_nonce().
        unlogged = dict(self._unlogged)
        return self._contains(known) and not announces_any(unlogged)

    def _contains(self, known: Known) -> bool:
        return sequencer.contains_tree(known.tree, now=self._clock())

    # -- what commands and metrics show -------------------------------------------------------------------

    @property
    def published_size(self) -> int:
        """The size of the newest checkpoint of this machine; 0 while none was read."""
        return self._known.checkpoint.size if self._known else 0

    @property
    def successors(self) -> int:
        """How often the log went on under another name on this machine."""
        return len(self._known.kept.ended) if self._known else 0

    def kept_checkpoint(self) -> Checkpoint | None:
        """The checkpoint in the file, whatever the database is; None without a readable file."""
        known = self._read()
        return None if known is None else known.checkpoint

    def check(self, *, with_origin: bool) -> None:
        """Raise OperatorError if a server must not use the log with these settings."""
        try:
            problems = [each for each in self.problems() if with_origin or not each.startswith("LOG_ORIGIN")]
        except (*SCHEMA_ERRORS, *UNAVAILABLE):
            # The process starts nevertheless; /readyz says that the database is unavailable.
            return
        if problems:
            raise OperatorError("; ".join(problems))

    def problems(self) -> Iterator[str]:
        """Yield a line for each setting that does not fit the log."""
        try:
            self._read()
        except Unavailable:
            yield f"LOG_SIGNING_KEY: {WRONG_KEY}"
        origin = sequencer.stored_log().origin
        if origin and origin != self._first_origin and not origin.startswith(f"{self._first_origin}-"):
            yield f"LOG_ORIGIN: the log has the origin {origin}; set the first one that it had"

    # -- appending ---------------------------------------------------------------------------------------

    def cover(self, bet_ids: Collection[int]) -> None:
        """Make sure that these bets are in the checkpoint of the file. Call it before showing their seeds.

        Must not be called within a transaction. Raises Unavailable when the file can't be written.
        """
        with reading():
            if self._covers(bet_ids):
                return
            self.append_now()
            if not self._covers(bet_ids):
                raise Unavailable

    def log_commitments(self) -> None:
        """Make sure that all commitments announced by now are in the checkpoint of the file.

        Must not be called within a transaction. Raises Unavailable when the file can't be written.
        """
        with reading():
            if sequencer.is_commitment_waiting() or sequencer.stored_log().size > self.known().size:
                self.append_now()

    def append_waiting(self) -> None:
        """Append what waits, if anything does."""
        if self._unlogged or sequencer.is_waiting() or self._next_key(sequencer.stored_log()):
            self.append_now()

    def append_now(self) -> None:
        """Append what waits by now, and keep the newest checkpoint in the file.

        Must not be called within a transaction. Raises Unavailable when the file can't be written.
        """
        _check_no_transaction()
        begun = self._begun
        with reading(), self._appending:
            if self._done > begun:
                # An append that began after this call has done it.
                return
            self._begun = begun = self._begun + 1
            try:
                self._append_all()
            except OSError as failure:
                log.exception("checkpoint not written")
                raise Unavailable from failure
            self._done = begun

    def _covers(self, bet_ids: Collection[int]) -> bool:
        known = self.known()
        size = size_with(bet_ids, known=known)
        return size is not None and size <= known.size

    def _append_all(self) -> None:
        attempts = 0
        while attempts < ATTEMPTS:
            with self._locked():
                known, unlogged = self._load(), dict(self._unlogged)
                if announces_any(unlogged):
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
                    self._forget(unlogged)
                    return
        raise Unavailable

    def _append_some(self, known: Known) -> bool:
        """Append a batch; returns whether all that waited before is in the log. Raises Superseded."""
        known = self._keep_newest(known)
        # Nothing is signed that does not continue what this machine has seen.
        if not self._contains(known):
            raise Superseded
        stored, now = sequencer.stored_log(), self._clock()
        waiting, others, changes = sequencer.waiting(self.pseudonyms), [], {}
        if key := self._next_key(stored):
            others, changes = [entries.next_key(at=now, verifier_key=key)], {"announced_key": key}
        added: list[Entry | bytes] = [*waiting, *others]
        if added:
            note = sequencer.append(stored, added, self.keys, known=known.tree, now=now, changes=changes)
            self._keep(known.kept._replace(checkpoint=note))
        return len(waiting) < sequencer.BATCH

    def _next_key(self, stored: Log) -> str | None:
        """The next key, if there is one that the log has not announced."""
        _, *following = self.keys.verifier_keys(stored.origin or self._first_origin)
        return following[0] if following and following[0] != stored.announced_key else None

    def _forget(self, logged: dict[int, int]) -> None:
        """Forget bets that are in the log now."""
        for user_id, nonce in logged.items():
            if self._unlogged.get(user_id) == nonce:
                del self._unlogged[user_id]

    # -- other machines ----------------------------------------------------------------------------------

    def confirm(self) -> None:
        """Confirm the database for a machine that has no record of it, unless this one has none either."""
        known = self._known
        if known is not None:
            with writing():
                is_contained = (Log.name == BETS) & contains(known.tree)
                Log.update(confirmations=Log.confirmations + 1).where(is_contained).execute()

    def _keep_newest(self, known: Known) -> Known:
        """Keep the last checkpoint of the database, if another machine has signed a newer one."""
        stored = sequencer.stored_log()
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
        """Whether another machine has begun this log after the known one had lost its end."""
        return stored.epoch > known.kept.epoch and stored.origin not in known.kept.ended

    def _is_signed(self, stored: Log) -> bool:
        """Whether one of the keys has signed the tree that the database has."""
        try:
            checkpoint = self.keys.open_checkpoint(stored.checkpoint)
        except BadNote:
            return False
        signed = (checkpoint.origin, checkpoint.size, checkpoint.root.hex())
        return signed == (stored.origin, stored.size, sequencer.root_at(stored.size))

    # -- the file ----------------------------------------------------------------------------------------

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold a connection and the lock of the file. Raises Unavailable."""
        with reading(), checkpoint_file.locked(self._path):
            yield

    def _file_version(self) -> tuple[int, int] | None:
        """A value that changes when the file is replaced; None without a file."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns

    def _load(self) -> Known:
        """What the file says, or will say about a database that it does not know. Within ``_locked``."""
        version = self._file_version()
        if self._known is not None and version == self._version:
            return self._known
        known, before = self._read(), self._known
        if known is None:
            return self._begin()
        is_same = before is not None and before.kept.database == known.kept.database
        if before is not None and before.kept.history != known.kept.history:
            self._forget_all()
        if not is_same and known.kept.database != _identity():
            return self._replace(known, ANOTHER)
        self._known, self._version = known, version
        return known

    def _read(self) -> Known | None:
        """The content of the file; None if there is none. Raises Unavailable if no key opens it."""
        kept = checkpoint_file.read(self._path)
        try:
            return None if kept is None else Known(kept, self.keys.open_checkpoint(kept.checkpoint))
        except BadNote:
            log.error(WRONG_KEY)  # noqa: TRY400  # the line is enough
            raise Unavailable from None

    def _keep(self, kept: Kept) -> Known:
        known = Known(kept, self.keys.open_checkpoint(kept.checkpoint))
        checkpoint_file.write(self._path, kept)
        self._known, self._version = known, self._file_version()
        return known

    def _forget_all(self) -> None:
        """Forget what depends on the database, which was replaced or lost its end."""
        self._unlogged.clear()
        self.pseudonyms.forget()

    # -- beginning and replacing -------------------------------------------------------------------------

    def _begin(self) -> Known:
        """Use a database that this machine has no record of. Within ``_locked``."""
        for _ in range(ATTEMPTS):
            stored = sequencer.stored_log()
            try:
                if not stored.checkpoint:
                    return self._begin_log(stored, self._first_origin, NOTHING)
                if self._is_confirmed(stored):
                    stored = sequencer.stored_log()
                    if not self._is_signed(stored):
                        log.error(WRONG_KEY)
                        raise Unavailable
                    # The others may have begun a new epoch.
                    self._forget_all()
                    return self._keep(Kept(stored.checkpoint, _identity(), _history(), stored.epoch))
                if stored.size == 0:
                    return self._redraw(NOTHING, UNKNOWN)
                return self._fork(None, UNKNOWN)
            except Superseded:
                continue
        raise Unavailable

    def _is_confirmed(self, stored: Log) -> bool:
        """Whether another machine finds its last checkpoint in this database."""
        if not self._ask_for_confirmation():
            return False
        deadline = time.monotonic() + CONFIRM_SECONDS
        while sequencer.stored_log().confirmations == stored.confirmations:
            if time.monotonic() > deadline:
                return False
            time.sleep(LOOK_SECONDS)
        return True

    def _begin_log(self, stored: Log, origin: str, kept: Kept) -> Known:
        """Begin the log of a database that has none yet. Within ``_locked``. Raises Superseded."""
        is_trusted = not kept.checkpoint and first_start.is_trusted(stored, self._path.parent)
        number = max(stored.epoch, kept.epoch) + (not is_trusted)
        first = [stored.first_entry.encode()] if stored.first_entry else []
        last = [] if is_trusted else [entries.epoch(at=self._clock(), redraw=number, reason=UNKNOWN)]
        changes = {"origin": origin, "epoch": number, "confirmations": stored.confirmations + 1}
        note = self._append(stored, first, last, **changes)
        return self._renew(kept, note, number, reason=None if is_trusted else UNKNOWN)

    def _replace(self, known: Known, reason: str) -> Known:
        """Have the seeds redrawn, in a successor of the log if its end was lost. Within ``_locked``."""
        for _ in range(ATTEMPTS):
            stored = sequencer.stored_log()
            try:
                if not stored.checkpoint:
                    # Made anew, or from before the log.
                    return self._begin_log(stored, self._new_origin(), _with_end(known))
                if self._continues(stored, known):
                    return self._redraw(_with_end(known, stored), reason)
                return self._fork(known, reason)
            except Superseded:
                continue
        raise Unavailable

    def _redraw(self, kept: Kept, reason: str) -> Known:
        """Begin a new epoch. Within ``_locked``. Raises Superseded."""
        stored = sequencer.stored_log()
        number = max(stored.epoch, kept.epoch) + 1
        last = entries.epoch(at=self._clock(), redraw=number, reason=reason)
        return self._renew(kept, self._append(stored, [], [last], epoch=number), number, reason=reason)

    def _fork(self, known: Known | None, reason: str) -> Known:
        """Go on under another name, and begin a new epoch. Within ``_locked``. Raises Superseded."""
        now, stored, origin = self._clock(), sequencer.stored_log(), self._new_origin()
        root = sequencer.root_at(stored.size)
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
        epoch = entries.epoch(at=now, redraw=number, reason=reason)
        note = self._append(stored, [fork], [epoch], origin=origin, epoch=number, announced_key="")
        log.warning("the log goes on as %s: %s", origin, reason)
        return self._renew(kept, note, number, reason=reason)

    def _append(self, stored: Log, first: Sequence[bytes], last: Sequence[bytes], **changes: Any) -> str:
        """Append these entries before and after all that wait; returns the signed checkpoint.

        The tree that the database has is taken as it is. Raises Superseded.
        """
        _check_no_transaction()
        now, tree = self._clock(), SignedTree(stored.size, sequencer.root_at(stored.size))
        waiting = sequencer.waiting(self.pseudonyms, at_most=None)
        with writing():
            sequencer.store_checkpoint(tree, now=now)
            return sequencer.append(
                stored, [*first, *waiting, *last], self.keys, known=tree, now=now, changes=changes
            )

    def _renew(self, kept: Kept, note: str, epoch: int, *, reason: str | None) -> Known:
        """Keep the first checkpoint of an epoch; ``reason`` is why seeds are redrawn, if they are."""
        self._forget_all()
        if reason:
            log.warning("server seeds are redrawn: %s", reason)
        return self._keep(
            kept._replace(checkpoint=note, database=_identity(), history=_history(), epoch=epoch)
        )

    def _new_origin(self) -> str:
        """The origin of a successor. It is random: machines that do not know of each other may begin one."""
        return f"{self._first_origin}-{secrets.token_hex(4)}"


@reading()
def _identity() -> str:
    return str(database.obj.identity())


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
