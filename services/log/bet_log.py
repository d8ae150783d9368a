"""The public log of bets, and which server seeds may be used and revealed.

A server seed leaves the server only when its bet is in the last signed checkpoint, which is kept outside of
the database. So a database that contains the checkpoint contains every bet whose seed is public, and in any
other one announced seeds are redrawn. docs/seeds-after-a-restore.md says what this recognises, and what it
does not.

Each process knows by itself which of its bets are not logged yet.
"""

import logging
from collections.abc import Callable, Collection
from pathlib import Path

from models.announced_seeds import announces_any
from models.db.connection import reading
from models.log import Log, SignedTree, size_with
from services.log import entries, logged_bets
from services.log.keys import LogKeys
from services.log.logged_bets import BetTotals, LoggedBets
from services.log.pseudonyms import Pseudonyms
from services.log.signed_log import ASKED, OLDER, SignedLog
from services.shared.clock import Millis
from services.shared.errors import Unavailable

log = logging.getLogger("platform.log")

FILE_NAME = "log.checkpoint"


class BetLog(SignedLog):
    """The log of bets. In a new epoch every announced seed is redrawn before it is used."""

    def __init__(
        self,
        directory: Path,
        *,
        origin: str,
        keys: LogKeys,
        pseudonyms: Pseudonyms,
        totals: BetTotals,
        clock: Callable[[], Millis],
        ask_for_confirmation: Callable[[], bool],
    ) -> None:
        """``directory`` is where its file is kept. ``totals`` gets the bets that are appended.

        For the others see SignedLog.
        """
        super().__init__(
            directory / FILE_NAME,
            LoggedBets(pseudonyms, totals),
            origin=origin,
            keys=keys,
            clock=clock,
            ask_for_confirmation=ask_for_confirmation,
        )
        self.pseudonyms = pseudonyms
        # The last nonce of each player's bets that were settled here and may not be in the log yet.
        self._unlogged: dict[int, int] = {}

    def known(self) -> SignedTree:
        """The checkpoint that the database must contain for its announced seeds to be used.

        Begins a new epoch when there is no file, unless the database is new or another process confirms it,
        and when the file is about another database.
        """
        return self.current().tree

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

    def redraw(self) -> None:
        """Have every announced seed redrawn before it is used, because an operator asks for it."""
        with self._locked():
            self._replace(self._load(), ASKED)

    def cover(self, bet_ids: Collection[int]) -> None:
        """Make sure that these bets are in the checkpoint of the file. Call it before showing their seeds.

        Must not be called within a transaction. Raises Unavailable when the file can't be written.
        """

        def covers(tree: SignedTree) -> bool:
            size = size_with(bet_ids, known=tree)
            return size is not None and size <= tree.size

        with reading():
            if covers(self.known()):
                return
            self.append_now(unless=covers)
            if not covers(self.known()):
                raise Unavailable

    def log_commitments(self) -> None:
        """Make sure that all commitments announced by now are in the checkpoint of the file.

        Must not be called within a transaction. Raises Unavailable when the file can't be written.
        """

        def has_all(tree: SignedTree) -> bool:
            return not logged_bets.is_commitment_waiting() and self._stored().size <= tree.size

        with reading():
            if not has_all(self.known()):
                self.append_now(unless=has_all)

    def append_waiting(self) -> None:
        """Append what waits, if anything does."""
        if self._unlogged:
            self.append_now()
        else:
            super().append_waiting()

    def _has_lost_rows(self) -> bool:
        # Read before the database, as for last_nonce().
        unlogged = dict(self._unlogged)
        return announces_any(unlogged)

    def _append_all(self, unless: Callable[[SignedTree], bool]) -> bool:
        unlogged = self._unlogged
        before = dict(unlogged)
        if not super()._append_all(unless):
            return False
        for user_id, nonce in before.items():
            if unlogged.get(user_id) == nonce:
                del unlogged[user_id]
        return True

    def _is_trusted(self, stored: Log) -> bool:
        # No server has used the database.
        return stored.confirmations == 0

    def _epoch_entries(self, number: int, reason: str) -> list[bytes]:
        return [entries.epoch(at=self._clock(), redraw=number, reason=reason)]

    def _on_new_epoch(self, reason: str | None = None) -> None:
        # Another object: the bets that a running append counts as logged are those of the old epoch.
        self._unlogged = {}
        self.pseudonyms.forget()
        if reason:
            log.warning("server seeds are redrawn: %s", reason)
