"""A case that changes while it is opened: when it had which content, and which openings used it."""

from dataclasses import dataclass
from itertools import pairwise

from bench.harness.players import import_case, import_prices
from models.bets import Bet
from models.cases import Case
from models.db.connection import reading, writing
from services.cases import queries as cases
from services.games import snapshots
from services.games.snapshots import content_of_case
from services.shared.clock import now_ms

NAMES = ("Gun | A", "Gun | B", "Gun | C")


@dataclass(frozen=True)
class State:
    """A content, by its hash, and the times in ms between which it was committed. None: the case was gone."""

    hash: str | None
    before_ms: int
    after_ms: int


class CaseHistory:
    """The case ``box`` of three items, from now on."""

    def __init__(self) -> None:
        self.states: list[State] = []
        self._bets_before = len(_bets())
        self.change_prices(0)
        self.change_chances(0)

    def change_prices(self, number: int) -> None:
        """Import other prices of its items."""
        prices = {name: 1 + (7 * number + 3 * place) % 20 for place, name in enumerate(NAMES)}
        self._note(lambda: import_prices(prices))

    def change_chances(self, number: int) -> None:
        """Import other chances."""
        first = 1 + number % 60
        chances = dict(zip(NAMES, (first, 39, 61 - first), strict=True))
        self._note(lambda: import_case("Box", chances))

    def delete(self, _number: int) -> None:
        """Delete the case."""

        def delete() -> None:
            with writing():
                Case.delete().where(Case.slug == "box").execute()

        self._note(delete)

    def _note(self, change) -> None:
        before = now_ms()
        change()
        after = now_ms()
        with reading():
            is_there = Case.select().where(Case.slug == "box").exists()
        hash_ = content_of_case(cases.get(case_id="box")).hash if is_there else None
        self.states.append(State(hash_, before, after))

    def problems(self) -> list[str]:
        """What is wrong with the openings so far: each must be of one content that was at most 1 s old."""
        found = []
        for bet in _bets()[self._bets_before :]:
            content = snapshots.parse(snapshots.text_of(bet.snapshot.hash))
            won = content.winner(bet.ticket)
            if (bet.wager_cents, bet.item, bet.payout_cents) != (
                content.price_cents,
                won.name,
                won.price_cents,
            ):
                found.append(f"bet {bet.id} is not of its snapshot")
            # A content that comes back counts by any of its times.
            until_next = [*pairwise(self.states), (self.states[-1], None)]
            if not any(
                state.hash == content.hash
                and state.before_ms <= bet.created_at_ms
                and (following is None or bet.created_at_ms <= following.after_ms + 1_000)
                for state, following in until_next
            ):
                found.append(f"bet {bet.id} is of a content that the case did not have in the last second")
        return found


@reading()
def _bets() -> list[Bet]:
    bets = list(Bet.select().where(Bet.game == "case").order_by(Bet.id))
    for bet in bets:
        assert bet.snapshot.hash
    return bets
