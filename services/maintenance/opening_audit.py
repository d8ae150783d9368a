"""Audits openings of cases: recomputes each from its seeds and its snapshot."""

import hashlib
from collections.abc import Iterator

from cachetools import LRUCache

from models.bets import Bet
from models.case_spins import CASE
from models.snapshots import Snapshot
from services.cases.kinds import FREE_CASE_ID
from services.fairness import tickets
from services.games import snapshots
from services.games.play import LOST, WON
from services.games.snapshots import Content, InvalidSnapshot

SNAPSHOTS_IN_MEMORY = 1_000


class OpeningAudit:
    """Finds what is wrong with an opening. Remembers the snapshots of the last openings."""

    def __init__(self) -> None:
        self._contents: LRUCache[int, Content | None] = LRUCache(SNAPSHOTS_IN_MEMORY)

    def problems(self, bet: Bet, server_seed: str) -> Iterator[str]:
        """A text for each problem of a bet of ``case-1`` or ``irl-1``."""
        ticket = tickets.ticket(
            game=bet.game, server_seed=server_seed, client_seed=bet.client_seed, nonce=bet.nonce
        )
        if ticket != bet.ticket:
            yield "the stored ticket is wrong"
        snapshot_id: int = bet.snapshot_id  # type: ignore[attr-defined]  # made by peewee
        content = self._content(snapshot_id)
        if content is None:
            yield "the snapshot differs from its hash"
            return
        item = content.winner(ticket)
        is_free = (bet.game, content.case_id) == (CASE, FREE_CASE_ID)
        wager = 0 if is_free else content.price_cents
        if bet.item != item.name:
            yield "the stored item is wrong"
        if bet.payout_cents != item.price_cents:
            yield "the stored payout is wrong"
        if bet.wager_cents != wager:
            yield "the stored wager is wrong"
        if bet.status != (WON if item.price_cents > wager else LOST):
            yield "the stored status is wrong"

    def _content(self, snapshot_id: int) -> Content | None:
        """The content of this snapshot; None if it is not what its hash promises."""
        if snapshot_id not in self._contents:
            row = Snapshot.get_by_id(snapshot_id)
            is_intact = hashlib.sha256(row.content.encode()).hexdigest() == row.hash
            try:
                self._contents[snapshot_id] = snapshots.parse(row.content) if is_intact else None
            except InvalidSnapshot:
                self._contents[snapshot_id] = None
        content: Content | None = self._contents[snapshot_id]
        return content
