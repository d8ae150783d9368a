"""What players are refused about battles.

Of several reasons, the first in this order is told, but for two: a battle that is cancelled comes after the
price, and all of a bet (level, suspension, break, limits, balance) before ``BattlesPaused``.
"""

from services.shared.errors import Refusal


class InvalidBattle(Refusal):
    """The request has no valid shape, or there is no such mode, number of cases or seat."""

    text = "Invalid battle"


class BattleTooDear(Refusal):
    """A seat costs more than BATTLE_MAX_COST, or the most that can be won is above BATTLE_MAX_POT."""

    text = "Battle is too dear"


class BattleNotFound(Refusal):
    status = 404
    text = "Battle not found"


class BattlePriceChanged(Refusal):
    """The player saw another price of a seat."""

    text = "Battle price has changed"


class SeatTaken(Refusal):
    text = "Seat is taken"


class AlreadySeated(Refusal):
    text = "You already have a seat"


class NoSeat(Refusal):
    text = "You have no seat"


class BattleBegun(Refusal):
    """The last seat is taken."""

    text = "Battle has begun"


class BattleCancelled(Refusal):
    text = "Battle is cancelled"


class NotTheCreator(Refusal):
    text = "Only the creator can call bots"


class NoBots(Refusal):
    """The battle is for players only."""

    text = "No bots in this battle"


class TooManyBattles(Refusal):
    """The player has created as many open battles as allowed."""

    text = "Too many open battles"


class BattlesPaused(Refusal):
    """The beacon is late, or this server's clock is wrong. No last seat can be taken until that is over."""

    status = 503
    text = "Battles are paused"
    retry_after_seconds = 3


class BattlesOff(Refusal):
    """BEACON_URLS is empty."""

    status = 501
    text = "Battles are not offered"
