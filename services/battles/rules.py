"""The rules of a battle, as pure functions. They need the standard library only.

    digest(a, b) = HMAC-SHA256(key = server seed as text,
                               message = "battle-1:<hash of the lock entry>:<randomness>:<a>:<b>")
    below(a, b, n) = digest(a, b) as a big-endian 256-bit integer * n >> 256

Seats, teams, cases and rounds of a draw are numbered from 0. The ticket of seat s in case c is
below(s, c, 10**18), and wins the item of the case as the ticket of an opening does. A draw among weights is
below("tie" or "jackpot", 0, their sum); the first whose cumulated weight is above it is drawn.
"""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

TICKET_RANGE = 10**18

NORMAL, JACKPOT, SHARED = "normal", "jackpot", "shared"
MODES = (NORMAL, JACKPOT, SHARED)

TEAMS = {
    "1v1": (1, 1),
    "1v1v1": (1, 1, 1),
    "1v1v1v1": (1, 1, 1, 1),
    "1v1v1v1v1v1": (1, 1, 1, 1, 1, 1),
    "2v2": (2, 2),
    "3v3": (3, 3),
    "2v2v2": (2, 2, 2),
}
"""How many seats each team has. The seats of a team follow each other."""


class Draws:
    """The random numbers of one battle."""

    def __init__(self, *, server_seed: str, lock_hash: str, randomness: str) -> None:
        """``lock_hash`` is the leaf hash of the lock entry in the log, ``randomness`` the beacon's; hex."""
        self._key = server_seed.encode()
        self._context = f"battle-1:{lock_hash}:{randomness}"

    def below(self, a: object, b: int, n: int) -> int:
        """A whole number from 0 to n - 1, uniformly distributed."""
        digest = hmac.digest(self._key, f"{self._context}:{a}:{b}".encode(), hashlib.sha256)
        return int.from_bytes(digest, "big") * n >> 256

    def ticket(self, *, seat: int, case: int) -> int:
        """The ticket of a seat in a case."""
        return self.below(seat, case, TICKET_RANGE)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How a battle is decided. ``teams`` is a key of TEAMS."""

    mode: str
    teams: str
    crazy: bool = False
    terminal: bool = False

    def __post_init__(self) -> None:
        """Raises ValueError if there is no such battle."""
        if self.mode not in MODES or self.teams not in TEAMS:
            raise ValueError("no such mode or teams")
        if self.mode == SHARED and (self.crazy or self.terminal or max(TEAMS[self.teams]) > 1):
            raise ValueError("a shared battle has one seat a team, and is neither crazy nor terminal")

    @property
    def team_of_seats(self) -> list[int]:
        """The team of each seat."""
        return [team for team, seats in enumerate(TEAMS[self.teams]) for _ in range(seats)]


class Decision(NamedTuple):
    """Who gets the pot."""

    values: list[int]
    """Of each team, in cents: what counts for the mode."""
    tie: list[int] | None
    """The teams with the same best value, among which a draw has decided."""
    winners: list[int]
    """The teams that get the pot."""
    payouts_cents: list[int]
    """Of each seat."""


def decide(rules: Rules, drawn_cents: Sequence[Sequence[int]], draws: Draws) -> Decision:
    """Decide a battle. ``drawn_cents`` has, for each seat, the price of its item in each case."""
    team_of_seats = rules.team_of_seats
    values = [0] * len(TEAMS[rules.teams])
    for team, prices in zip(team_of_seats, drawn_cents, strict=True):
        values[team] += prices[-1] if rules.terminal else sum(prices)
    tie = None
    if rules.mode == SHARED:
        winners = list(range(len(values)))
    elif rules.mode == JACKPOT:
        winners = [_draw_by_weight(draws, "jackpot", _jackpot_weights(values, crazy=rules.crazy))]
    else:
        best = min(values) if rules.crazy else max(values)
        winners = [team for team, value in enumerate(values) if value == best]
        if len(winners) > 1:
            tie = winners
            winners = [tie[draws.below("tie", 0, len(tie))]]
    pot_cents = sum(map(sum, drawn_cents))
    winning_seats = [seat for seat, team in enumerate(team_of_seats) if team in winners]
    shares = _equal_shares(pot_cents, len(winning_seats), draws)
    payouts_cents = [0] * len(team_of_seats)
    for seat, share in zip(winning_seats, shares, strict=True):
        payouts_cents[seat] = share
    return Decision(values, tie, winners, payouts_cents)


def _jackpot_weights(values: Sequence[int], *, crazy: bool) -> list[int]:
    weights = [sum(values) - value for value in values] if crazy else list(values)
    return weights if any(weights) else [1] * len(weights)


def _draw_by_weight(draws: Draws, name: str, weights: Sequence[int]) -> int:
    drawn = draws.below(name, 0, sum(weights))
    return next(place for place, end in enumerate(accumulate(weights)) if drawn < end)


def _equal_shares(cents: int, seats: int, draws: Draws) -> list[int]:
    """The same for each seat. Cents that are left over go one by one to seats from a drawn one on."""
    share, rest = divmod(cents, seats)
    first = draws.below("rest", 0, seats)
    return [share + ((seat - first) % seats < rest) for seat in range(seats)]
