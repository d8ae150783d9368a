"""The outcomes of settled battles, by the places of their ends in the log."""

from collections.abc import Collection
from dataclasses import dataclass

from models.battles import Battle, State
from models.db.connection import reading
from services.battles import queries
from services.battles.queries import DrawnItem, ShownBattle
from services.log import published
from services.log.file import File


@dataclass(frozen=True)
class RevealedBattle:
    """A settled battle, and the index of its end."""

    index: int
    battle: ShownBattle

    @property
    def drawn(self) -> list[list[DrawnItem]]:
        """Of each seat: what it drew in each case."""
        return self.battle.drawn

    @property
    def payouts_cents(self) -> list[int]:
        """Of each seat."""
        return self.battle.outcome.payouts_cents if self.battle.outcome else []


def in_bundle(number: str, *, file: File) -> list[RevealedBattle]:
    """The battles whose ends are in a bundle of the log, in its order. Raises NotPublished.

    All that will ever be there, since a battle is settled before its end is appended.
    """
    with published.state_with(file):
        found, _ = published.indexes_in_bundle(number, file=file)
        indexes = {-reference: index for reference, index in found.items() if reference < 0}
        battles = _ended_by(indexes)
    revealed = [RevealedBattle(indexes[battle.end_entry_id], battle) for battle in battles]
    return sorted(revealed, key=lambda each: each.index)


@reading()
def _ended_by(entry_ids: Collection[int]) -> list[ShownBattle]:
    is_settled = (Battle.state == State.SETTLED) & Battle.end_entry.in_(list(entry_ids))
    return queries.by_ids(Battle.select(Battle.id).where(is_settled).scalars())
