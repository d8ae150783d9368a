"""Payouts above ALARM_PAYOUT."""

from typing import Any

from peewee import fn

from models.bets import Bet
from models.db.connection import reading
from services.alarms import raised
from services.alarms.rule import Concern, Found
from services.shared.clock import MINUTE_MS, Millis
from services.shared.money import Cents, price_text
from settings import Settings

LAST_BET = "last bet"

COMMITTED_MS = MINUTE_MS
"""A bet with a lower id may be committed later than this one, by less than this."""


@reading()
def find(settings: Settings, now: Millis) -> Found:
    """The bets since the last check that paid so much. The first check finds none."""
    last = raised.progress(LAST_BET)
    older = Bet.created_at_ms <= now - COMMITTED_MS
    newest: Any = Bet.select(fn.MAX(Bet.id)).where(older, Bet.id > (last or 0))
    if last is None:
        newest = Bet.select(Bet.id).where(older).order_by(Bet.id.desc()).limit(1)
    progress = {LAST_BET: newest.scalar() or last or 0}
    if last is None:
        return Found(progress=progress)
    query: Any = (
        Bet.select(Bet.id, Bet.game, Bet.payout_cents)
        .where(Bet.id > last, Bet.payout_cents >= settings.alarm_payout_cents)
        .order_by(Bet.id)
    )
    concerns = [
        Concern(f"bet {bet_id}", f"Bet {bet_id} ({game}) paid {price_text(Cents(cents))}")
        for bet_id, game, cents in query.tuples()
    ]
    return Found(concerns, progress)
