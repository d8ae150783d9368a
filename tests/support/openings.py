"""Openings with a chosen winner, of cases that need not exist, for tests of what follows an opening.

Tests of openings themselves import cases and send events (tests/blueprints/openings/conftest.py).
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from models.bets import Bet
from models.cases import CASE, IRL, Case, IrlCase
from models.db.connection import reading, writing
from models.db.sql import execute
from models.rewards import RewardKind
from services.accounts import users
from services.bets.cases import OpenableCase, OpeningRequest
from services.bets.settlement import BetSettler, SettledBet
from services.bets.snapshots import Content, content_of
from services.bets.terms import Game
from services.cases.contents import width_from_percent
from services.cases.kinds import FREE_CASE_ID
from services.cases.values import CaseValue
from services.rewards import rows
from services.shared.clock import Millis
from services.shared.money import Cents
from tests.support.client_seeds import client_seed_among

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
        self._settler = BetSettler(
            seeds=services.seeds, bet_log=services.log, settings=unlimited, clock=services.clock
        )

    def open(self, player, content: Content | None = None, *, game=CASE, wins="Dust", image="") -> SettledBet:
        """Open a case with this content and win the item of this name. The free case needs no promo code.

        ``image`` is that of a prize.
        """
        content = content or chest()
        held = [(item.name, item.width) for item in content.items]
        seed = client_seed_among(held, wins, app=self._app, player=player, game=game)
        request = OpeningRequest(user_id=player.id, case=content.case_id, client_seed=seed)
        return self._settler.settle(_ChosenCase(game, content, image), request)

    def bet(self, player, content: Content | None = None, **options) -> Bet:
        """The same; returns the bet alone."""
        return self.open(player, content, **options).bet


class _ChosenCase(Game[OpeningRequest]):
    """Opens one case, whatever the request says."""

    def __init__(self, name: str, content: Content, image: str) -> None:
        self.name = name
        self._content = content
        self._image = image

    def check(self, request: OpeningRequest) -> OpenableCase:
        case_id = self._content.case_id
        is_free_case = (self.name, case_id) == (CASE, FREE_CASE_ID)
        return OpenableCase(
            game=self.name,
            row_id=_row_id(self.name, case_id) or (_add_free_case() if is_free_case else 0),
            required_level=0,
            content=self._content,
            images=[self._image] * len(self._content.items) if self.name == IRL else None,
            read_at_ms=_database_ms(),
            is_free_case=is_free_case,
            most_counted_edge_ppm=50_000,
            reward_id=_free_opening(request.user_id) if is_free_case else None,
        )


@reading()
def _database_ms() -> int:
    return execute("SELECT {now}", {}).fetchone()[0]


@reading()
def _row_id(game: str, case_id: str) -> int:
    table = Case if game == CASE else IrlCase
    return table.select(table.id).where(table.slug == case_id).scalar() or 0


@writing()
def _add_free_case() -> int:
    columns = {"slug": FREE_CASE_ID, "name": "Free", "name_folded": "free", "kind": "free", "type": "gamea"}
    return Case.create(**columns, price_cents=500, created_at_ms=0).id


@writing()
def _free_opening(user_id: int) -> int:
    """The id of the player's next reward with the free case."""
    number = users.lock(user_id).free_cases + 1
    case = CaseValue(_row_id(CASE, FREE_CASE_ID), FREE_CASE_ID, required_level=0, value_cents=Cents(490))
    offer = rows.Offer(kind=RewardKind.CODE, number=number, case=case)
    return rows.add(offer, user_id=user_id, now=Millis(0)).id


def win_prize(app, player, *, value=25, name="Kettle", image="", price=5) -> int:
    """Open a case with this real-life item alone; amounts are in coins. Returns the id of the prize."""
    content = chest(price=price, items=[(name, value, 100)])
    return Openings(app).open(player, content, game=IRL, wins=name, image=image).prize_id
