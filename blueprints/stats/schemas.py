"""Schemas of a player's statistics and of the live bets."""

import marshmallow as ma

from blueprints.api.pagination import page_query
from blueprints.api.schemas import Coins, Text, WireSchema, choice, one_of
from blueprints.games.fairness_entry import FairnessEntrySchema
from blueprints.games.schemas import LiveBetSchema
from services.games.bets import multiplier_hundredths
from services.games.live_bets import Kind as LiveBetKind
from services.shared.money import number_from_cents
from services.statistics.fairness import ALL_GAMES
from services.statistics.fairness import Sort as FairnessSort
from services.statistics.games import GAMES
from services.statistics.games import Sort as GameSort
from services.statistics.payments import Kind as PaymentKind
from services.statistics.payments import Sort as PaymentSort

DEFAULT_LIMIT = 10

PageQuery = page_query(DEFAULT_LIMIT)


class TotalsSchema(WireSchema):
    """Lifetime sums: wagers and payouts in coins, deposits and withdrawals in USD."""

    wager_amount = Coins(required=True, attribute="wagered")
    earning_amount = Coins(required=True, attribute="earned")
    deposit_amount = Coins(required=True, attribute="deposited")
    withdraw_amount = Coins(required=True, attribute="withdrawn")


class PlaceSchema(WireSchema):
    """The position of a page in its list."""

    total_pages = ma.fields.Integer(required=True)
    current_page = ma.fields.Integer(required=True)


class GamesQuery(PageQuery):  # type: ignore[misc,valid-type]
    sort = choice(GameSort.MOST_RECENT, "Equal earnings are newest first")
    search = Text(load_default="", metadata={"description": "Part of the game's name, in any case"})


class GameSchema(WireSchema):
    """A bet. ``earning`` is what was credited, ``date`` in ms: when it was made."""

    game = ma.fields.String(required=True)
    wager = Coins(required=True, attribute="wager_cents")
    earning = Coins(required=True, attribute="payout_cents")
    multiplier = ma.fields.Function(
        lambda bet: number_from_cents(multiplier_hundredths(bet)), metadata={"type": "number"}
    )
    date = ma.fields.Integer(required=True, attribute="created_at_ms")


class GameListSchema(PlaceSchema):
    games = ma.fields.Nested(GameSchema, many=True, required=True)
    total_games = ma.fields.Integer(required=True)


class GamesSchema(WireSchema):
    success = ma.fields.Boolean(required=True)
    data = ma.fields.Nested(GameListSchema, required=True)
    has_more = ma.fields.Boolean(required=True)


class PaymentsQuery(PageQuery):  # type: ignore[misc,valid-type]
    type = choice(PaymentKind.ALL, "Which payments")
    sort = choice(PaymentSort.MOST_RECENT, "Equal amounts are newest first")
    search = Text(load_default="", metadata={"description": "Part of txhash, chain or asset, in any case"})


class PaymentSchema(WireSchema):
    """A deposit or withdrawal. ``amount`` is decimal text in units of the asset, ``date`` in ms."""

    id = ma.fields.String(required=True, data_key="_id")
    type = ma.fields.String(required=True)
    chain = ma.fields.String(required=True)
    asset = ma.fields.String(required=True)
    amount = ma.fields.String(required=True)
    usd_amount = Coins(required=True, attribute="usd_cents")
    txhash = ma.fields.String(required=True)
    to = ma.fields.String(required=True)
    date = ma.fields.Integer(required=True, attribute="created_at_ms")


class PaymentListSchema(PlaceSchema):
    payments = ma.fields.Nested(PaymentSchema, many=True, required=True)
    total_payments = ma.fields.Integer(required=True)


class PaymentsSchema(WireSchema):
    success = ma.fields.Boolean(required=True)
    data = ma.fields.Nested(PaymentListSchema, required=True)
    has_more = ma.fields.Boolean(required=True)


class FairnessQuery(PageQuery):  # type: ignore[misc,valid-type]
    sort = choice(FairnessSort.MOST_RECENT, "By the time of the bet")
    search = Text(
        load_default="",
        metadata={"description": "Part of a revealed server seed or a client seed, in any case, or a nonce"},
    )
    game = ma.fields.String(load_default=ALL_GAMES, validate=one_of(ALL_GAMES, *GAMES))


class FairnessListSchema(PlaceSchema):
    items = ma.fields.Nested(FairnessEntrySchema, many=True, required=True)
    total = ma.fields.Integer(required=True)


class FairnessSchema(WireSchema):
    success = ma.fields.Boolean(required=True)
    data = ma.fields.Nested(FairnessListSchema, required=True)


class LiveBetsQuery(PageQuery):  # type: ignore[misc,valid-type]
    type = choice(LiveBetKind.ALL, "High rolls: a wager of 50 coins or a multiplier of 10, or more")


class LiveBetListSchema(PlaceSchema):
    bets = ma.fields.Nested(LiveBetSchema, many=True, required=True)
    total = ma.fields.Integer(required=True)


class LiveBetsSchema(WireSchema):
    success = ma.fields.Boolean(required=True)
    data = ma.fields.Nested(LiveBetListSchema, required=True)
    has_more = ma.fields.Boolean(required=True)
