"""What rewards there are, for everybody to read."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.db.connection import reading
from models.rewards import LevelGift
from services.rewards import level_gifts
from services.rewards.level_gifts import coins_of
from services.shared.money import Cents
from settings import Settings


@dataclass(frozen=True, kw_only=True)
class GiftOfLevel:
    """What reaching a level gives: coins, or a free opening of a case."""

    level: int
    coins: Cents | None
    case: str | None = None


@dataclass(frozen=True, kw_only=True)
class BonusRule:
    """The bonus of a deposit."""

    percent: int
    max: Cents
    wagering_ppm: int
    """How many times the bonus has to be wagered, in millionths."""
    days: int


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rewards that are offered; None and an empty list are not."""

    rakeback_rate_ppm: int | None
    levels: Sequence[GiftOfLevel]
    daily_share_ppm: int | None
    bonus: BonusRule | None


@reading()
def rules(settings: Settings) -> Rules:
    """The rules, by the settings and the imported gifts."""
    return Rules(
        rakeback_rate_ppm=settings.rakeback_rate_ppm or None,
        levels=sorted(map(_gift, level_gifts.gifts()), key=lambda gift: gift.level),
        daily_share_ppm=settings.daily_share_ppm or None,
        bonus=BonusRule(
            percent=settings.bonus_percent,
            max=Cents(settings.bonus_max_cents),
            wagering_ppm=settings.bonus_wagering_ppm,
            days=settings.bonus_days,
        )
        if settings.bonus_percent
        else None,
    )


def _gift(found: tuple[LevelGift, str | None]) -> GiftOfLevel:
    gift, case = found
    return GiftOfLevel(level=gift.level, coins=coins_of(gift), case=case)
