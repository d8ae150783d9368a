"""Deposits and withdrawals that have moved coins, by day and method."""

from typing import Any, NamedTuple

import peewee
from peewee import SQL, fn

from models.db.connection import reading
from models.payments import Deposit, PaymentRecord, Withdrawal
from services.shared.clock import DAY_MS, Millis
from services.shared.money import Cents

RECORDED = "recorded"
"""The method of payments that an operator has recorded."""


class PaymentsOfMethod(NamedTuple):
    """The payments of a day with one method; ``type`` is deposit or withdraw."""

    day: Millis
    type: str
    method: str
    payments: int
    amount: Cents


@reading()
def by_day(since: Millis, until: Millis) -> list[PaymentsOfMethod]:
    """The payments of the days from ``since`` to before ``until``."""
    query: Any = (
        PaymentRecord.select(
            PaymentRecord.created_at_ms / DAY_MS,
            PaymentRecord.type,
            fn.COALESCE(Deposit.method, Withdrawal.method, RECORDED),
            fn.COUNT(PaymentRecord.id),
            fn.SUM(PaymentRecord.usd_cents),
        )
        .join(Deposit, peewee.JOIN.LEFT_OUTER, on=(Deposit.payment == PaymentRecord.id))
        .switch(PaymentRecord)
        .join(Withdrawal, peewee.JOIN.LEFT_OUTER, on=(Withdrawal.payment == PaymentRecord.id))
        .where(PaymentRecord.created_at_ms.between(since, until - 1))
        .group_by(SQL("1"), SQL("2"), SQL("3"))
        .order_by(SQL("1"), SQL("2"), SQL("3"))
    )
    return [
        PaymentsOfMethod(Millis(day * DAY_MS), type_, method, count, Cents(int(cents)))
        for day, type_, method, count, cents in query.tuples()
    ]
