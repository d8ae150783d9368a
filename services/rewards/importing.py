"""Importing the gifts of levels."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from models.db.connection import writing
from models.rewards import LevelGift
from services.accounts.users import MAX_LEVEL
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.rewards.free_openings import case_to_give
from services.rewards.shares import share_of
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.imports import checked_row, plan_rows, price_from, without_errors
from services.shared.levels import experience_for
from services.shared.money import Cents, price_text
from settings import Settings

TWICE = "the file has this level twice"


class Planned(NamedTuple):
    """A gift of the file, and what it costs: its coins, or what its case pays on average, rounded up."""

    gift: LevelGift
    cost: Cents


def most_up_to(level: int, settings: Settings) -> Cents:
    """What the gifts up to a level may cost: ``LEVEL_SHARE`` of the expected win of reaching it."""
    wagered_cents = experience_for(level) * 100
    return share_of(wagered_cents * settings.upgrader_house_edge_ppm, settings.level_share_ppm)


def import_gifts(rows: Iterable[object], *, settings: Settings, now: Millis) -> Sequence[LevelGift]:
    """Replace all gifts by those of the rows ``{level, coins? , case?}``; returns them by their levels.

    A row has either coins or the id of a case. Players keep what they have had. Raises Refusal with the
    number of the bad row, from 1, and stores nothing of the file.
    """
    rows_of_levels = plan_rows(rows, _planned, key=lambda planned: str(planned.gift.level), twice=TWICE)
    planned = list(_within_share(list(without_errors(rows_of_levels)), settings))
    gifts = [each.gift for each in planned]
    with writing():
        before = LevelGift.select().count()
        LevelGift.delete().execute()
        for gift in gifts:
            gift.save(force_insert=True)
        record(
            AuditEventType.LEVEL_GIFTS_IMPORTED,
            now=now,
            user_id=None,
            before={"levels": before},
            after={"levels": len(gifts), "amountCents": sum(each.cost for each in planned)},
        )
    return sorted(gifts, key=lambda gift: gift.level)


def _planned(row: object) -> Planned:
    """The gift of a row. Raises Refusal."""
    fields = checked_row(row)
    level = fields.get("level")
    if type(level) is not int or not 1 <= level <= MAX_LEVEL:
        raise Refusal(f"level must be a whole number from 1 to {MAX_LEVEL}")
    coins, slug = fields.get("coins"), fields.get("case")
    if (coins is None) == (slug is None):
        raise Refusal("a gift has either coins or a case")
    if slug is not None:
        if not isinstance(slug, str):
            raise Refusal("case must be the id of a case")
        case = case_to_give(slug)
        return Planned(LevelGift(level=level, case_id=case.row_id), case.value_cents)
    cents = price_from(coins, "coins")
    if not cents:
        raise Refusal("coins must be at least 0.01")
    return Planned(LevelGift(level=level, coins_cents=cents), cents)


def _within_share(planned: Sequence[Planned], settings: Settings) -> Iterator[Planned]:
    """The gifts in the order of the file. Raises Refusal for one with which the levels cost too much."""
    for number, one in enumerate(planned, start=1):
        level = one.gift.level
        cost = sum(each.cost for each in planned if each.gift.level <= level)
        most = most_up_to(level, settings)
        if cost > most:
            raise Refusal(
                f"row {number}: the gifts up to level {level} cost {price_text(Cents(cost))},"
                f" and may cost {price_text(most)}, LEVEL_SHARE of the expected win of reaching it"
            )
        yield one
