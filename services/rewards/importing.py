"""Importing the gifts of levels."""

from collections.abc import Iterable, Iterator, Sequence

from models.db.connection import writing
from models.rewards import LevelGift
from services.accounts.users import MAX_LEVEL
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.rewards.shares import share_of
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.imports import checked_row, plan_rows, price_from, without_errors
from services.shared.levels import experience_for
from services.shared.money import Cents, price_text
from settings import Settings

TWICE = "the file has this level twice"


def most_up_to(level: int, settings: Settings) -> Cents:
    """What the gifts up to a level may cost: ``LEVEL_SHARE`` of the expected win of reaching it."""
    wagered_cents = experience_for(level) * 100
    return share_of(wagered_cents * settings.upgrader_house_edge_ppm, settings.level_share_ppm)


def import_gifts(rows: Iterable[object], *, settings: Settings, now: Millis) -> Sequence[LevelGift]:
    """Replace all gifts by those of the rows ``{level, coins}``; returns them by their levels.

    Players keep what they have claimed. Raises Refusal with the number of the bad row, from 1, and stores
    nothing of the file.
    """
    planned = plan_rows(rows, _gift, key=lambda gift: str(gift.level), twice=TWICE)
    gifts = list(_within_share(list(without_errors(planned)), settings))
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
            after={"levels": len(gifts), "amountCents": sum(gift.coins_cents for gift in gifts)},
        )
    return sorted(gifts, key=lambda gift: gift.level)


def _gift(row: object) -> LevelGift:
    """The gift of a row. Raises Refusal."""
    fields = checked_row(row)
    level = fields.get("level")
    if type(level) is not int or not 1 <= level <= MAX_LEVEL:
        raise Refusal(f"level must be a whole number from 1 to {MAX_LEVEL}")
    if "case" in fields:
        raise Refusal("a gift has coins, and no case")
    coins = price_from(fields.get("coins"), "coins")
    if not coins:
        raise Refusal("coins must be at least 0.01")
    return LevelGift(level=level, coins_cents=coins)


def _within_share(gifts: Sequence[LevelGift], settings: Settings) -> Iterator[LevelGift]:
    """The gifts in the order of the file. Raises Refusal for one with which the levels cost too much."""
    for number, gift in enumerate(gifts, start=1):
        cost = sum(each.coins_cents for each in gifts if each.level <= gift.level)
        most = most_up_to(gift.level, settings)
        if cost > most:
            raise Refusal(
                f"row {number}: the gifts up to level {gift.level} cost {price_text(Cents(cost))},"
                f" and may cost {price_text(most)}, LEVEL_SHARE of the expected win of reaching it"
            )
        yield gift
