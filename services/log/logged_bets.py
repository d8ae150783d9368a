"""The bets of the public log, and how their entries are made."""

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol

import peewee

from models.bets import Bet
from models.cases import Snapshot
from models.db.connection import database, reading
from models.db.sql import execute
from models.log import BETS, Log, LogEntry, WaitingBet, WaitingEntry
from models.users import User
from services.log import entries
from services.log.bundles import Entry
from services.log.entries import LoggedBet
from services.log.pseudonyms import Pseudonyms

COLUMNS = [Snapshot.hash if name == "snapshot" else getattr(Bet, name) for name in LoggedBet._fields]

BETS_AT_ONCE = 500
"""In one query: SQLite has a limit of its parameters."""


DELETE_WAITING = """
DELETE FROM log_waiting_bets WHERE bet_id IN (SELECT CAST(key AS BIGINT) FROM {pairs}(:bets) AS these)
"""


class BetTotals(Protocol):
    """Totals that change when bets are appended."""

    def prepare(self, snapshot_ids: Collection[int], /) -> None:
        """Read what ``add`` will need about bets with these snapshots."""

    def add(self, bet_ids: Collection[int], /) -> None:
        """Add these bets. To be used within ``writing()``."""


class LoggedBets:
    """Makes the entries of bets."""

    log = BETS

    def __init__(self, pseudonyms: Pseudonyms, totals: BetTotals) -> None:
        self.pseudonyms = pseudonyms
        self._totals = totals

    def contents(self, ids: Collection[int]) -> dict[int, bytes]:
        """The entries of these bets by id, in the order of the ids. To be used within ``reading()``."""
        return {bet_id: content for bet_id, _, content in self._read(ids)}

    def _read(self, ids: Collection[int]) -> Iterator[tuple[int, int | None, bytes]]:
        """Id, snapshot and entry of each of these bets."""
        for some in peewee.chunked(sorted(ids), BETS_AT_ONCE):
            query: Any = (
                Bet.select(Bet.id, Bet.snapshot, User.platform_id, *COLUMNS)
                .join(User)
                .switch(Bet)
                .join(Snapshot, peewee.JOIN.LEFT_OUTER)
                .where(Bet.id.in_(list(some)))
                .order_by(Bet.id)
            )
            # The driver's own rows: nothing in these columns needs converting.
            for bet_id, snapshot_id, platform_id, *columns in database.execute(query):
                player = self.pseudonyms.of(platform_id)
                yield bet_id, snapshot_id, entries.bet(LoggedBet._make(columns), player=player)

    @reading()
    def is_waiting(self) -> bool:
        """Whether a bet or the entry of a commitment waits."""
        return bool(WaitingBet.select().exists()) or is_commitment_waiting()

    @reading()
    def waiting(self, at_most: int | None) -> list[Entry]:
        """The first entries that wait: bets in the order of their ids, and then commitments.

        A seed is redrawn after the player's last bet was settled, and the entry of that bet must come first.
        So commitments are read first, and are appended when all bets are that were settled before.
        """
        query: Any = (
            LogEntry.select(LogEntry.id, LogEntry.text)
            .join(WaitingEntry, on=(WaitingEntry.entry == LogEntry.id))
            .order_by(LogEntry.id)
            .limit(at_most)
        )
        # Somebody who can write to the database must not let the server sign anything else.
        commitments = [
            Entry(-entry_id, text.encode())
            for entry_id, text in query.tuples()
            if entries.is_commitment(text)
        ]
        ids = list(WaitingBet.select(WaitingBet.bet_id).order_by(WaitingBet.bet_id).limit(at_most).scalars())
        read = list(self._read(ids))
        self._totals.prepare({snapshot_id for _, snapshot_id, _ in read if snapshot_id is not None})
        bets = [Entry(bet_id, content) for bet_id, _, content in read]
        return bets if len(ids) == at_most else [*bets, *commitments][:at_most]

    def remove(self, references: Sequence[int]) -> None:
        """Remove from what waits, and add the bets to the figures."""
        bets = [reference for reference in references if reference > 0]
        others = [-reference for reference in references if reference < 0]
        execute(DELETE_WAITING, {"bets": json.dumps(dict.fromkeys(bets, ""))})
        self._totals.add(bets)
        for some in peewee.chunked(others, BETS_AT_ONCE):
            WaitingEntry.delete().where(WaitingEntry.entry.in_(list(some))).execute()


@reading()
def is_commitment_waiting() -> bool:
    """Whether the entry of a commitment waits."""
    return bool(WaitingEntry.select().exists())


def lock_epoch() -> int:
    """The present epoch, which does not change until the caller's transaction ends."""
    query: Any = Log.select(Log.epoch).where(Log.name == BETS)
    return int((query.for_update("FOR SHARE") if database.for_update else query).scalar())


def add(content: bytes) -> None:
    """Let the entry of a commitment wait. To be used within ``writing()``, after ``lock_epoch``."""
    WaitingEntry.insert(entry=LogEntry.create(log=BETS, text=content.decode())).execute()
