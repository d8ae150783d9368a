"""Opening a case, for an item that is credited at once or for a real-life item.

An opening's charge, odds and prize come from one reading of its case.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from cachetools import TTLCache, cached

from models.bet_settlement import Outcome
from models.cases import CASE, IRL
from models.db.connection import reading
from models.db.sql import execute
from services.accounts import users
from services.bets import rolls, snapshots
from services.bets.snapshots import Content, content_of
from services.bets.terms import LOST, WON, BetRequest, Expectation, Game, Terms
from services.cases.kinds import FREE_CASE_ID
from services.rewards.free_openings import CODE_ID, FreeOpenings
from services.rewards.refusals import (
    FreeCaseNotAvailable,
    NothingToClaim,
    RewardForAnotherCase,
    RewardNotFound,
)
from services.shared.errors import CaseNotAvailable, CaseNotFound, Refusal
from services.shared.levels import level_of
from services.shared.locks import BuildCondition
from services.shared.money import is_amount
from services.shared.text import is_storable

REUSED_SECONDS = 0.5
"""How long a case that was read serves further openings of this process."""

CASES_REMEMBERED = 1_000


class LevelTooLow(Refusal):
    """A level case that needs a higher level than the player has before the opening."""

    text = "Your level is too low"


class CasePriceChanged(Refusal):
    """The player saw another price."""

    text = "Case price has changed"


class CaseChanged(Refusal):
    """The player saw another snapshot."""

    text = "Case has changed"


@dataclass(frozen=True, kw_only=True)
class OpeningRequest(BetRequest):
    """An opening as the player sent it."""

    case: str
    snapshot: object = None
    reward: str | None = None
    """Of a free opening: which reward it uses."""

    def identity(self) -> list[object]:
        common = [self.case, self.client_seed or None, self.server_seed_commitment, self.price, self.snapshot]
        return common if self.reward is None else [*common, self.reward]


@dataclass(frozen=True, kw_only=True)
class OpenableCase(Terms):
    """A case as it was at ``read_at_ms``, by the database's clock: the terms of its openings."""

    game: str
    row_id: int
    required_level: int
    """0 for a case that every player may open."""
    content: Content | None
    """None if an item has no price, or is retired."""
    images: Sequence[str] | None
    """Of the items, in their order. None if the payout is credited instead of kept as a prize."""
    read_at_ms: int
    is_free_case: bool
    """Nobody opens it without a reward."""
    most_counted_edge_ppm: int
    """The most of the house edge that counts for the theoretical loss of a player."""
    reward_id: int | None = None
    """Of a free opening."""

    @property
    def is_free(self) -> bool:
        """Whether this opening costs nothing."""
        return self.reward_id is not None

    @property
    def available(self) -> Content:
        """The content of a case that can be opened. Raises CaseNotAvailable."""
        if self.content is None or (self.content.price_cents == 0 and not self.is_free_case):
            raise CaseNotAvailable
        return self.content

    def outcome(self, *, server_seed: str, client_seed: str, nonce: int) -> Outcome:
        """Draw the ticket: the item whose range holds it is won."""
        ticket = rolls.ticket(game=self.game, server_seed=server_seed, client_seed=client_seed, nonce=nonce)
        content = self.available
        place = content.winning_place(ticket)
        item, payout, _ = content.items[place]
        wager = 0 if self.is_free else content.price_cents
        return Outcome(
            game=self.game,
            algorithm=f"{self.game}-1",
            wager_cents=wager,
            payout_cents=payout,
            status=WON if payout > wager else LOST,
            item=item,
            snapshot_id=snapshots.id_of(content.hash),
            snapshot_hash=content.hash,
            snapshot_text=content.text,
            ticket=ticket,
            case_read_at_ms=self.read_at_ms,
            case_id=self.row_id,
            counted_edge_ppm=min(self.most_counted_edge_ppm, self._house_edge_ppm),
            reward_id=self.reward_id,
            prize_image=None if self.images is None else self.images[place],
        )

    def expectation(self) -> Expectation | None:
        """Of the payout; None for a free opening."""
        return None if self.is_free else self._expectation

    # Remembered, because a case may have hundreds of items.
    @cached_property
    def _expectation(self) -> Expectation:
        return expectation_of(self.available)

    @property
    def value(self) -> int:
        """The mean of an opening's payout in cents, times 10**18."""
        return _value_of(self.available)

    @cached_property
    def _house_edge_ppm(self) -> int:
        """What the house keeps of the price on average, rounded down; 0 for a case without a price."""
        content = self.available
        whole = content.price_cents * rolls.TICKET_RANGE
        return max(whole - _value_of(content), 0) * rolls.PPM // whole if whole else 0


def expectation_of(content: Content) -> Expectation:
    """The exact mean and variance of an opening's payout, as the nearest floats."""
    mean, tickets = _value_of(content), rolls.TICKET_RANGE
    squares = sum(item.price_cents**2 * item.width for item in content.items)
    return Expectation(
        mean_cents=mean / tickets, variance_square_cents=(squares * tickets - mean**2) / tickets**2
    )


def _value_of(content: Content) -> int:
    """The mean of an opening's payout in cents, times the number of all tickets."""
    return sum(item.price_cents * item.width for item in content.items)


# One query for each game, so that prices, chances and levels are of one state of the database. Each row has
# the time, the id, price and level of the case, then the image, name, price and chance of one of its items.
QUERIES = {
    CASE: """
        SELECT {began}, cases.id, cases.price_cents, cases.required_level,
            NULL, items.market_hash_name,
            CASE WHEN items.retired_at_ms IS NULL THEN items.price_cents END, case_items.ticket_width
        FROM cases
            JOIN case_items ON case_items.case_id = cases.id
            JOIN items ON items.id = case_items.item_id
        WHERE cases.slug = :slug AND cases.retired_at_ms IS NULL
        ORDER BY case_items.ticket_width, case_items.position
    """,
    IRL: """
        SELECT {began}, irl_cases.id, irl_cases.price_cents, NULL,
            irl_items.image, irl_items.name, irl_items.price_cents, irl_items.ticket_width
        FROM irl_cases JOIN irl_items ON irl_items.case_id = irl_cases.id
        WHERE irl_cases.slug = :slug AND irl_cases.retired_at_ms IS NULL
        ORDER BY irl_items.ticket_width, irl_items.position
    """,
}


class Openings(Game[OpeningRequest]):
    """The rules of opening cases, with market items or with real-life items."""

    def __init__(self, name: str, *, house_edge_ppm: int, free_openings: FreeOpenings | None = None) -> None:
        """``house_edge_ppm`` is the most that counts for the theoretical loss of a player.

        Without ``free_openings`` no reward is for cases of this game.
        """
        self.name = name
        self.refusals = (CaseNotFound, CaseNotAvailable, CasePriceChanged, CaseChanged, RewardForAnotherCase)
        if free_openings is not None:
            self.refusals += (LevelTooLow, FreeCaseNotAvailable, RewardNotFound, NothingToClaim)
        self._house_edge_ppm = house_edge_ppm
        self._free_openings = free_openings
        readings: TTLCache[Any, OpenableCase] = TTLCache(CASES_REMEMBERED, REUSED_SECONDS)
        self._recent_case = cached(readings, condition=BuildCondition())(self._read_case)

    def check(self, request: OpeningRequest) -> OpenableCase:
        """Raises InvalidClientSeed, CaseNotFound, and the errors of ``_terms`` in its order."""
        request.check_client_seed()
        case = self.recent(request.case)
        try:
            return self._terms(request, case)
        except (LevelTooLow, CaseNotAvailable, CasePriceChanged, CaseChanged):
            # The player may have seen a newer state of the case than the cached one.
            self.forget_cached()
            return self._terms(request, self._read_case(request.case))

    def recent(self, case_id: str) -> OpenableCase:
        """The case as it was within the last half second. Raises CaseNotFound."""
        return self._recent_case(case_id)

    def forget_cached(self) -> None:
        self._recent_case.cache_clear()

    @reading()
    def _read_case(self, case_id: str) -> OpenableCase:
        """The case as it is now. Raises CaseNotFound."""
        rows = execute(QUERIES[self.name], {"slug": case_id}).fetchall() if is_storable(case_id) else []
        if not rows:
            raise CaseNotFound
        read_at_ms, row_id, price_cents, required_level, *_ = rows[0]
        items = [row[5:] for row in rows]
        is_priced = all(cents is not None for _, cents, _ in items)
        return OpenableCase(
            game=self.name,
            row_id=row_id,
            required_level=required_level or 0,
            content=content_of(case_id=case_id, price_cents=price_cents, items=items) if is_priced else None,
            images=[row[4] for row in rows] if self.name == IRL else None,
            read_at_ms=read_at_ms,
            is_free_case=(self.name, case_id) == (CASE, FREE_CASE_ID),
            most_counted_edge_ppm=self._house_edge_ppm,
        )

    def _terms(self, request: OpeningRequest, case: OpenableCase) -> OpenableCase:
        reward = CODE_ID if request.reward is None and case.is_free_case else request.reward
        if reward is not None:
            case = replace(case, reward_id=self._find_reward(reward, request, case))
        elif case.required_level and level_of(users.get_by_id(request.user_id)) < case.required_level:
            raise LevelTooLow
        content = case.available
        if request.price is not None and not is_amount(request.price, content.price_cents):
            raise CasePriceChanged
        if request.snapshot not in (None, content.hash):
            raise CaseChanged
        return case

    def _find_reward(self, name: str, request: OpeningRequest, case: OpenableCase) -> int:
        """The id of the reward that pays for the opening. Raises what ``FreeOpenings.find`` raises."""
        if self._free_openings is None:
            raise RewardForAnotherCase
        return self._free_openings.find(name, user_id=request.user_id, case_id=case.row_id)
