"""What a source says of an item's price, and whether it is believed. Source: DECISIONS, "Prices"."""

from enum import StrEnum

from services.money import MAX_AMOUNT_CENTS, Cents

MOST_TIMES = 10
"""A price that grows or shrinks by more than this in one step is held back until somebody has looked."""


class Verdict(StrEnum):
    """What becomes of a stated price."""

    NEW = "new"
    SAME = "same"
    HELD_BACK = "held back"


def judge(stated: object, *, standing: Cents | None, accept_jumps: bool) -> Verdict:
    """Whether a stated number of cents takes the place of the standing price.

    What is not a whole number of cents within the bounds is never taken. A first price, or one after 0, is
    no jump. A source's 0 is: it means that nothing is on sale, and what is won at that price is nothing.
    """
    if isinstance(stated, bool) or not isinstance(stated, int) or not 0 <= stated <= MAX_AMOUNT_CENTS:
        return Verdict.HELD_BACK
    if stated == standing:
        return Verdict.SAME
    if not accept_jumps and _is_jump(stated, standing):
        return Verdict.HELD_BACK
    return Verdict.NEW


def _is_jump(stated: int, standing: Cents | None) -> bool:
    if not stated or not standing:
        return not stated
    return stated > standing * MOST_TIMES or stated * MOST_TIMES < standing
