"""Submitting the newest checkpoint to the witnesses, and what they have cosigned."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cachetools import LRUCache, TTLCache, cached

from models import witnesses as table
from models.db.connection import writing
from models.witnesses import CosignedCheckpoint, WitnessState
from services.log import bundles, published, tree
from services.log.bet_log import BetLog
from services.log.file import File
from services.log.notes import Checkpoint
from services.log.restore import BetsPaused
from services.shared.clock import DAY_MS, MINUTE_MS, Millis
from services.shared.errors import Unavailable
from services.shared.locks import BuildCondition
from services.witnesses.client import OtherSize, WitnessAway, WitnessClient
from services.witnesses.keys import WitnessKey
from settings import Settings

log = logging.getLogger("platform.witnesses")

SUBMITTED_EVERY_SECONDS = 2.0
MOST_SECONDS_BETWEEN = 60.0
"""A witness that gives no cosignature is asked less and less often, and at least so often."""

ATTEMPTS = 3
"""Submissions in a round. A witness that has seen another size says so, and the next proof begins there."""

REMEMBERED_SECONDS = 1.0
DELETED_EVERY_MS = 60 * MINUTE_MS


@dataclass(frozen=True, kw_only=True)
class Cosigner:
    """A witness and what it cosigned last."""

    key: str
    size: int | None
    at: Millis | None
    """By the clock of the witness."""


class Witness:
    """A witness as this process knows it."""

    def __init__(self, key: WitnessKey, url: str) -> None:
        self.key = key
        self.client = WitnessClient(key, url)
        self.origin = ""
        self.size = 0
        """Of the newest checkpoint that it has cosigned in the log of this origin, as far as is known."""
        self.stored_size = 0
        """Of the newest one whose cosignature was stored."""
        self.failures = 0

    @property
    def pause_seconds(self) -> float:
        """Until the next round."""
        return float(min(SUBMITTED_EVERY_SECONDS * 2 ** min(self.failures, 10), MOST_SECONDS_BETWEEN))


class Witnesses:
    """The witnesses of LOG_WITNESSES. Without any, nothing of it does anything."""

    def __init__(self, settings: Settings, *, bet_log: BetLog, clock: Callable[[], Millis]) -> None:
        self.all = [Witness(WitnessKey.parse(key), url) for key, url in settings.log_witnesses]
        self.quorum = settings.quorum_of_witnesses
        self._bet_log = bet_log
        if self.all:
            bet_log.witnessed = self
        self._clock = clock
        self._deleted_at = Millis(0)
        recent: TTLCache[object, CosignedCheckpoint | None] = TTLCache(8, REMEMBERED_SECONDS)
        self._newest = cached(recent, condition=BuildCondition())(table.newest_witnessed)
        self._verified: LRUCache[tuple[str, int, str], bool] = LRUCache(1_024)
        lines: TTLCache[object, list[str]] = TTLCache(8, REMEMBERED_SECONDS)
        self._lines_at = cached(lines, condition=BuildCondition())(table.cosignatures_at)

    # -- submitting --------------------------------------------------------------------------------------

    def submit(self, witness: Witness) -> None:
        """Get the witness's cosignature of the newest checkpoint of this machine, unless there is one.

        A failure is stored and logged, not raised. Must not be called within a transaction.
        """
        try:
            file = self._bet_log.file()
            self._forget_if_other(witness, file.checkpoint.origin)
            if file.checkpoint.size > witness.stored_size:
                self._submit(witness, file)
        except (BetsPaused, Unavailable):
            # What the database does not contain is not submitted.
            return
        except WitnessAway as away:
            witness.failures += 1
            self._store_problem(witness, str(away))
        else:
            if witness.failures:
                log.info("witness %s cosigns again", witness.key.name, extra={"event": "witness:back"})
            witness.failures = 0

    def _submit(self, witness: Witness, file: File) -> None:
        """Raises WitnessAway, and Unavailable if the database does not contain the checkpoint."""
        checkpoint = file.checkpoint
        # Only the signature of the current key: a real witness refuses long bodies.
        note = self._bet_log.keys.sign(checkpoint.text, name=checkpoint.origin)
        for _ in range(ATTEMPTS):
            with published.state_with(file):
                proof = tree.consistency_proof(witness.size, checkpoint.size, bundles.read_tile)
            answer = witness.client.add_checkpoint(checkpoint, note, old_size=witness.size, proof=proof)
            if not isinstance(answer, OtherSize):
                line, at = answer[0].line, answer[0].at
                self._store(witness, checkpoint, line, at)
                return
            if answer.size > checkpoint.size:
                self._bet_log.watch()
                if answer.size <= self._bet_log.checkpoint().size:
                    # Another machine was ahead of this one. The next round has its checkpoint.
                    return
                raise WitnessAway(
                    f"it has cosigned {answer.size} entries of this log, which has {checkpoint.size}:"
                    " the end of the log is lost, another server signs with its key, or the witness lies"
                )
            witness.size = answer.size
        raise WitnessAway("it names another size at each try")

    def _store(self, witness: Witness, checkpoint: Checkpoint, line: str, at: Millis) -> None:
        now = self._clock()
        with writing():
            table.store(
                origin=checkpoint.origin,
                size=checkpoint.size,
                root=checkpoint.root_hex,
                witness=witness.key.text,
                line=line,
                cosigned_at=at,
                quorum=self.quorum,
                now=now,
            )
            table.set_state(
                witness.key.text,
                origin=checkpoint.origin,
                size=checkpoint.size,
                cosigned_at_ms=at,
                clock_ahead_ms=at - now,
                problem=None,
                problem_since_ms=None,
            )
        # Not before: what could not be stored is asked for again.
        witness.size = witness.stored_size = checkpoint.size
        # Other processes see it within a second.
        self._newest.cache_clear()
        self._lines_at.cache_clear()

    def _forget_if_other(self, witness: Witness, origin: str) -> None:
        """Read what the witness has cosigned of the log with this origin, if this process does not know."""
        if witness.origin != origin:
            state = table.states([witness.key.text]).get(witness.key.text)
            witness.size = witness.stored_size = state.size if state and state.origin == origin else 0
            witness.origin = origin

    def _store_problem(self, witness: Witness, text: str) -> None:
        before = table.states([witness.key.text]).get(witness.key.text)
        is_known = before is not None and before.origin == witness.origin
        if before and is_known and before.problem == text:
            return
        log.warning("witness %s: %s", witness.key.name, text, extra={"event": "witness:away"})
        since = before.problem_since_ms if before and before.problem else self._clock()
        # What it has cosigned of this log stays, whatever it says now.
        kept = before if before and is_known else WitnessState(size=0)
        table.set_state(
            witness.key.text,
            origin=witness.origin,
            size=kept.size,
            cosigned_at_ms=kept.cosigned_at_ms,
            clock_ahead_ms=kept.clock_ahead_ms,
            problem=text,
            problem_since_ms=since,
        )

    def delete_old(self) -> None:
        """Delete what is older than a day, except what shows when battles were locked."""
        now = self._clock()
        if now - self._deleted_at > DELETED_EVERY_MS:
            self._deleted_at = now
            table.delete_older(now - DAY_MS)

    # -- what is published -------------------------------------------------------------------------------

    def with_cosignatures(self, note: str) -> str:
        """A signed checkpoint with the cosignatures that it has already."""
        if not self.all:
            return note
        checkpoint = Checkpoint.parse(note.partition("\n\n")[0] + "\n")
        return note + _joined(self._lines_at(checkpoint.origin, checkpoint.size))

    def newest_note(self, file: File) -> str | None:
        """The newest witnessed checkpoint of the log in this file, with its cosignatures, if there is one."""
        with published.state_with(file):
            found = self._newest(file.checkpoint.origin, up_to=file.checkpoint.size)
            return self._note(found, file) if found else None

    def for_proof(self, index: int, file: File, *, is_earliest: bool) -> tuple[int, str] | None:
        """Size and note of a witnessed checkpoint that has the entry with this index; None without one.

        The newest one, or the earliest that is stored: when it was cosigned, the entry was in the log. To be
        used within ``state_with``.
        """
        origin, size = file.checkpoint.origin, file.checkpoint.size
        if is_earliest:
            found = table.first_witnessed_with(origin, index, up_to=size)
        else:
            found = self._newest(origin, up_to=size)
        note = self._note(found, file) if found and index < found.size else None
        return (found.size, note) if found and note else None

    def _note(self, row: CosignedCheckpoint, file: File) -> str | None:
        """A stored checkpoint, signed with the present keys; None unless the log of the file continues it."""
        checkpoint = Checkpoint(row.origin, row.size, bytes.fromhex(row.root))
        newest, row_key = file.checkpoint, (row.origin, row.size, row.root)
        if row_key not in self._verified:
            # Whoever can write to the database must not get a signature of another tree.
            continued = newest.size, newest.root
            if not tree.begins_with(checkpoint.size, checkpoint.root, *continued, bundles.read_tile):
                log.error("the cosigned checkpoint of %d entries is not one of this log", row.size)
                return None
            self._verified[row_key] = True
        return self._bet_log.keys.sign_checkpoint(checkpoint) + _joined(table.lines_of(row))

    # -- states ------------------------------------------------------------------------------------------

    def cosigners(self) -> list[Cosigner]:
        """All witnesses, with what each cosigned last of the present log."""
        origin = self._bet_log.checkpoint().origin
        states = table.states([witness.key.text for witness in self.all])
        found = {key: state for key, state in states.items() if state.origin == origin}
        return [_cosigner(witness.key.text, found.get(witness.key.text)) for witness in self.all]


def _cosigner(key: str, state: WitnessState | None) -> Cosigner:
    if state is None or state.cosigned_at_ms is None:
        return Cosigner(key=key, size=None, at=None)
    return Cosigner(key=key, size=state.size, at=Millis(state.cosigned_at_ms))


def _joined(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
