"""The upgrader's rules, the same for every player."""

from dataclasses import dataclass

from services.shared.clock import Millis
from services.shared.money import Cents


@dataclass(frozen=True, kw_only=True)
class UpgraderRules:
    """What ``GET /upgrader/rules`` shows.

    The house edge in millionths, the limits of a wager, and how long after a bet, of any game, its proof is
    due.
    """

    house_edge_ppm: int
    min_wager: Cents
    max_wager: Cents
    proof_delay: Millis
