"""An opening of a case: the checks in their documented order, and the ticket."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from cachetools import TTLCache, cached

from models.bet_settlement import Outcome
from services.accounts import users
from services.cases import snapshots
from services.cases.snapshots import Content
from services.fairness import rolls
from services.games.bet_settler import BetSettler, Clock, SettledBet, client_seed_of
from services.games.bets import LOST, WON
from services.games.errors import FreeCaseNotAvailable, TermsExpired
from services.games.terms import BetRequest, Expectation
from services.openings.errors import CaseChanged, CaseNotAvailable, CasePriceChanged, LevelTooLow
from services.openings.openable_cases import OpenableCase, read_case
from services.shared.build_once import BuildCondition
from services.shared.levels import level_of
from services.shared.money import is_amount

REUSED_SECONDS = 0.5
"""How long a case that was read serves further openings of this process."""

CASES_REMEMBERED = 1_000

ATTEMPTS = 3
"""How often an opening is tried when its case was read too long ago."""


@dataclass(frozen=True, kw_only=True)
class OpeningRequest(BetRequest):
    """An opening as the player sent it, by the event of this name."""

    event: str
    case: str
    snapshot: object = None

    def identity(self) -> list[object]:
        return [
            self.event,
            self.case,
            self.client_seed or None,
            self.server_seed_commitment,
            self.price,
            self.snapshot,
        ]


@dataclass(frozen=True, kw_only=True)
class OpeningTerms:
    """An opening that has passed the checks of its case."""

    game: str
    client_seed: str | None
    case: OpenableCase
    content: Content
    free_case_limit: int
    counted_edge_ppm: int

    def outcome(self, *, server_seed: str, client_seed: str, nonce: int) -> Outcome:
        """Draw the ticket: the item whose range holds it is won."""
        ticket = rolls.ticket(game=self.game, server_seed=server_seed, client_seed=client_seed, nonce=nonce)
        case, content = self.case, self.content
        place = content.winning_place(ticket)
        item, payout, _ = content.items[place]
        wager = 0 if case.is_free else content.price_cents
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
            case_read_at_ms=case.read_at_ms,
            case_id=case.row_id,
            counted_edge_ppm=self.counted_edge_ppm,
            free_case_limit=self.free_case_limit if case.is_free else None,
            prize_image=None if case.images is None else case.images[place],
        )

    def expectation(self) -> Expectation | None:
        """Of the payout; None for the free case."""
        return None if self.case.is_free else self.case.expectation


class Openings:
    """Opens the cases of one game."""

    def __init__(
        self, *, game: str, settler: BetSettler, house_edge_ppm: int, free_case_limit: int = 0
    ) -> None:
        """``house_edge_ppm`` is the most that counts for the theoretical loss of a player.

        ``free_case_limit`` is how often a player who uses a promo code may open the free case.
        """
        self.game = game
        self._house_edge_ppm = house_edge_ppm
        self._settler = settler
        self._free_case_limit = free_case_limit
        readings: TTLCache[Any, OpenableCase] = TTLCache(CASES_REMEMBERED, REUSED_SECONDS)
        self._recent_case = cached(readings, condition=BuildCondition())(partial(read_case, game))

    def play(self, *, user_id: int, request: OpeningRequest, clock: Clock) -> SettledBet:
        """Take the price of the case, draw the ticket, and credit the item's value or keep the prize.

        The caller holds the player's lock. Raises the errors of services/openings/errors.py and CaseNotFound
        in the order of the checks below, and then those of ``BetSettler.settle``. Raises TermsExpired if the
        database is so slow that no attempt is settled in time.
        """
        settle = partial(self._settler.settle, user_id=user_id, request=request, clock=clock)
        for _ in range(ATTEMPTS - 1):
            try:
                return settle(check=lambda: self._terms(user_id, request))
            except TermsExpired:
                # Its case may have been read slowly, and would be too old in the next attempt as well.
                self._recent_case.cache_clear()
        return settle(check=lambda: self._terms(user_id, request))

    def _terms(self, user_id: int, request: OpeningRequest) -> OpeningTerms:
        client_seed = client_seed_of(request)
        case = self._recent_case(request.case)
        try:
            content = self._checked(user_id, request, case)
        except (LevelTooLow, CaseNotAvailable, CasePriceChanged, CaseChanged):
            # The player may have seen a newer state of the case than the cached one.
            self._recent_case.cache_clear()
            case = read_case(self.game, request.case)
            content = self._checked(user_id, request, case)
        return OpeningTerms(
            game=self.game,
            client_seed=client_seed,
            case=case,
            content=content,
            free_case_limit=self._free_case_limit,
            counted_edge_ppm=min(self._house_edge_ppm, case.house_edge_ppm),
        )

    def _checked(self, user_id: int, request: OpeningRequest, case: OpenableCase) -> Content:
        if case.is_free or case.required_level:
            self._check_player(user_id, case)
        content = case.content
        if content is None or (content.price_cents == 0 and not case.is_free):
            raise CaseNotAvailable
        if request.price is not None and not is_amount(request.price, content.price_cents):
            raise CasePriceChanged
        if request.snapshot not in (None, content.hash):
            raise CaseChanged
        return content

    def _check_player(self, user_id: int, case: OpenableCase) -> None:
        player = users.get_by_id(user_id)
        if level_of(player) < case.required_level:
            raise LevelTooLow
        # The settlement decides. This refuses in the documented order.
        if case.is_free and (
            player.used_affiliate_code is None or player.free_cases >= self._free_case_limit
        ):
            raise FreeCaseNotAvailable
