"""What players ask for, as they sent it, and the checks of its shape."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from services.battles.refusals import InvalidBattle
from services.battles.rules import Rules
from services.bets.terms import BetRequest, InvalidRequest

MAX_CASES = 50
"""How many cases a seat opens at most."""

MAX_REQUEST_ID = 64


@dataclass(frozen=True, kw_only=True)
class SeatRequest(BetRequest):
    """A player who wants a seat of a battle."""

    battle: str
    """The public id."""
    seat: object

    def identity(self) -> list[object]:
        return [self.battle, repr(self.seat), self.price, self.client_seed or None]

    def check(self) -> None:
        """Raises InvalidBattle, InvalidClientSeed and InvalidRequest. The price is compared later."""
        if type(self.seat) is not int or self.seat < 0:
            raise InvalidBattle
        _check_common(self)


@dataclass(frozen=True, kw_only=True)
class NewBattle(BetRequest):
    """A battle that a player wants to create. The player has its seat 0."""

    cases: object
    mode: object
    teams: object
    crazy: object = False
    terminal: object = False
    players_only: object = False
    private: object = False

    def identity(self) -> list[object]:
        options = (self.mode, self.teams, self.crazy, self.terminal, self.players_only, self.private)
        return [repr(self.cases), *map(repr, options), self.price, self.client_seed or None]

    def check(self) -> tuple[Rules, list[tuple[str, int]]]:
        """The rules of the battle, and its cases: the id of each and how often it is opened in a row.

        Raises InvalidBattle, InvalidClientSeed and InvalidRequest.
        """
        flags = (self.crazy, self.terminal, self.players_only, self.private)
        if not all(isinstance(flag, bool) for flag in flags):
            raise InvalidBattle
        if not isinstance(self.mode, str) or not isinstance(self.teams, str):
            raise InvalidBattle
        try:
            rules = Rules(
                mode=self.mode, teams=self.teams, crazy=bool(self.crazy), terminal=bool(self.terminal)
            )
        except ValueError:
            raise InvalidBattle from None
        cases = _cases(self.cases)
        _check_common(self)
        return rules, cases


def _check_common(request: BetRequest) -> None:
    if isinstance(request.price, bool) or not isinstance(request.price, int | float | Decimal):
        raise InvalidBattle
    request.check_client_seed()
    request_id: Any = request.request_id
    if request_id is not None and not _is_request_id(request_id):
        raise InvalidRequest


def _is_request_id(value: object) -> bool:
    """As that of a bet."""
    return isinstance(value, str) and 1 <= len(value) <= MAX_REQUEST_ID and value.isprintable()


def _cases(value: object) -> list[tuple[str, int]]:
    if not isinstance(value, Sequence) or isinstance(value, str) or not 1 <= len(value) <= MAX_CASES:
        raise InvalidBattle
    cases = [_case(each) for each in value]
    if sum(count for _, count in cases) > MAX_CASES:
        raise InvalidBattle
    return cases


def _case(value: Any) -> tuple[str, int]:
    slug, count = (value.get("case"), value.get("count", 1)) if isinstance(value, dict) else (None, None)
    if not isinstance(slug, str) or type(count) is not int or not 1 <= count <= MAX_CASES:
        raise InvalidBattle
    return slug, count
