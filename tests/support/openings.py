"""Openings with a chosen winner, of cases that need not exist, for tests of what follows an opening.

Tests of openings themselves import cases and send events (tests/blueprints/openings/conftest.py).
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import partial

from models.bets import Bet
from models.case_spins import CASE, IRL
from models.cases import Case
from models.db.connection import reading
from models.db.sql import execute
from models.irl_cases import IrlCase
from services.cases.chances import width_from_percent
from services.cases.kinds import FREE_CASE_ID
from services.cases.snapshots import Content, content_of
from services.games.bet_settler import BetSettler, SettledBet
from services.games.errors import TermsExpired
from services.openings.openable_cases import OpenableCase
from services.openings.opening import ATTEMPTS, OpeningRequest, OpeningTerms
from services.shared.money import Cents
from tests.support.client_seeds import client_seed_among

FREE_CASE_LIMIT = 1_000

CHEST = (("Dust", 1, 90), ("Crown", 40, 10))
"""Items of a case: name, price in coins, percentage."""


def chest(case_id="chest", *, price=5, items: Sequence[tuple] = CHEST) -> Content:
    """The content of a case; prices in coins."""
    ordered = sorted(items, key=lambda item: Decimal(item[2]))
    return content_of(
        case_id=case_id,
        price_cents=_cents(price),
        items=[(name, _cents(coins), width_from_percent(Decimal(chance))) for name, coins, chance in ordered],
    )


def _cents(coins) -> Cents:
    return Cents(int(Decimal(str(coins)) * 100))


class Openings:
    """Opens cases with the content that a test wants. If there is a case with its id, that one is counted."""

    def __init__(self, app) -> None:
        self._app = app
        self._services = services = app.extensions["services"]
        unlimited = replace(services.settings, game_min_cycle_ms=0, longest_play_ms=0)
        self._settler = BetSettler(seeds=services.seeds, settings=unlimited)

    def open(self, player, content: Content | None = None, *, game=CASE, wins="Dust", image="") -> SettledBet:
        """Open a case with this content and win the item of this name. The free case needs a promo code.

        ``image`` is that of a prize.
        """
        content = content or chest()
        held = [(item.name, item.width) for item in content.items]
        seed = client_seed_among(held, wins, app=self._app, player=player, game=game)
        settle = partial(
            self._settler.settle,
            user_id=player.id,
            request=OpeningRequest(event=f"{game}:open", case=content.case_id, client_seed=seed),
            check=lambda: self._terms(content, game, seed, image),
            clock=self._services.clock,
        )
        # As the platform does: content counts for a second, and a busy machine may take longer.
        for _ in range(ATTEMPTS - 1):
            with suppress(TermsExpired):
                return settle()
        return settle()

    def bet(self, player, content: Content | None = None, **options) -> Bet:
        """The same; returns the bet alone."""
        return self.open(player, content, **options).bet

    def _terms(self, content: Content, game: str, client_seed: str, image: str) -> OpeningTerms:
        case = OpenableCase(
            row_id=_row_id(game, content.case_id),
            is_free=(game, content.case_id) == (CASE, FREE_CASE_ID),
            required_level=0,
            content=content,
            images=[image] * len(content.items) if game == IRL else None,
            read_at_ms=_database_ms(),
        )
        return OpeningTerms(
            game=game,
            client_seed=client_seed,
            case=case,
            content=content,
            free_case_limit=FREE_CASE_LIMIT,
            counted_edge_ppm=min(50_000, case.house_edge_ppm),
        )


@reading()
def _database_ms() -> int:
    return execute("SELECT {now}", {}).fetchone()[0]


@reading()
def _row_id(game: str, case_id: str) -> int:
    table = Case if game == CASE else IrlCase
    return table.select(table.id).where(table.slug == case_id).scalar() or 0


def win_prize(app, player, *, value=25, name="Kettle", image="", price=5) -> int:
    """Open a case with this real-life item alone; amounts are in coins. Returns the id of the prize."""
    content = chest(price=price, items=[(name, value, 100)])
    return Openings(app).open(player, content, game=IRL, wins=name, image=image).prize_id
