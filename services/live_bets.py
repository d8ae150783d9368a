"""The public feed of bets whose wheel has stopped."""

from dataclasses import dataclass

from models.bets import Bet
from models.database import reading
from models.users import User
from services.bets import multiplier_hundredths
from services.clock import Millis
from services.money import Cents

NEWEST = 10


@dataclass(frozen=True, kw_only=True)
class LiveBet:
    """A bet as everybody may see it. ``multiplier`` in hundredths, ``date`` when it was over."""

    bet_id: int
    game: str
    avatar: str
    username: str
    wager: Cents
    multiplier_hundredths: int
    payout: Cents
    date: Millis


@reading()
def newest(*, now: Millis, limit: int = NEWEST) -> list[LiveBet]:
    """The last bets that are over, newest first."""
    bets = (
        Bet.select(Bet, User.username, User.avatar)
        .join(User)
        .where(Bet.completed_at_ms <= now)
        .order_by(Bet.completed_at_ms.desc(), Bet.id.desc())
        .limit(limit)
    )
    return [live_bet(bet) for bet in bets]


def live_bet(bet: Bet) -> LiveBet:
    """The public face of one bet, its player loaded with it."""
    return LiveBet(
        bet_id=bet.id,
        game=bet.game,
        avatar=bet.user.avatar,
        username=bet.user.username,
        wager=Cents(bet.wager_cents),
        multiplier_hundredths=multiplier_hundredths(bet),
        payout=Cents(bet.payout_cents),
        date=Millis(bet.completed_at_ms),
    )
