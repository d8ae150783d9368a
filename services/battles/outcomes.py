"""What the seats of a battle draw and who gets what, from its snapshots and its random numbers."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from services.battles.rules import Draws, Rules, decide
from services.bets.snapshots import Content


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of a battle. Seats, teams and places are numbered from 0."""

    places: list[list[int]]
    """Of each seat: the place of the item that it drew in each case."""
    tickets: list[list[int]]
    """Of each seat: its ticket in each case."""
    values: list[int]
    """Of each team, in cents."""
    tie: list[int] | None
    """The teams with the same best value."""
    winners: list[int]
    """The teams that get the pot."""
    payouts_cents: list[int]
    """Of each seat."""

    def bot_wins(self, rules: Rules, bots: Iterable[int]) -> int:
        """How many of these seats, which bots have, are in a winning team."""
        return sum(rules.team_of_seats[seat] in self.winners for seat in bots)

    def to_json(self) -> str:
        """As ``battles.outcome`` has it. Tickets are texts, because JSON readers have no such numbers."""
        content = vars(self) | {"tickets": [[str(ticket) for ticket in seat] for seat in self.tickets]}
        return json.dumps(content, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> "Outcome":
        """The outcome in such a text."""
        content: dict[str, Any] = json.loads(text)
        content["tickets"] = [[int(ticket) for ticket in seat] for seat in content["tickets"]]
        return cls(**content)


def outcome_of(rules: Rules, contents: Sequence[Content], draws: Draws) -> Outcome:
    """The outcome of a battle in which each seat opens these cases, one after the other."""
    seats = range(len(rules.team_of_seats))
    tickets = [[draws.ticket(seat=seat, case=case) for case in range(len(contents))] for seat in seats]
    places = [
        [content.winning_place(ticket) for content, ticket in zip(contents, own, strict=True)]
        for own in tickets
    ]
    prices = [
        [content.items[place].price_cents for content, place in zip(contents, own, strict=True)]
        for own in places
    ]
    decision = decide(rules, prices, draws)
    return Outcome(places=places, tickets=tickets, **decision._asdict())
