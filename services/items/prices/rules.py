"""Which prices of a source are accepted."""

from enum import StrEnum

from services.shared.money import MAX_AMOUNT_CENTS, Cents

MAX_FACTOR = 10
"""A price that grows or shrinks by more than this in one step is held back until an operator accepts it."""


class Verdict(StrEnum):
    """Whether a source's price is stored."""

    NEW = "new"
    SAME = "same"
    HELD_BACK = "held back"


def judge(stated: object, *, current: Cents | None, accept_jumps: bool) -> Verdict:
    """Whether a source's price replaces the stored one.

    A price that is not a whole number of cents within the bounds is never accepted. A first price, or one
    after 0, is not a jump. A change to 0 is one: it means that nothing is on sale.
    """
    if isinstance(stated, bool) or not isinstance(stated, int) or not 0 <= stated <= MAX_AMOUNT_CENTS:
        return Verdict.HELD_BACK
    if stated == current:
        return Verdict.SAME
    if not accept_jumps and _is_jump(stated, current):
        return Verdict.HELD_BACK
    return Verdict.NEW


def _is_jump(stated: int, current: Cents | None) -> bool:
    if not stated or not current:
        return not stated
    return stated > current * MAX_FACTOR or stated * MAX_FACTOR < current
