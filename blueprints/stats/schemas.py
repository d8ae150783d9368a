"""Schemas of a player's statistics and of the live bets."""

import marshmallow as ma

from blueprints.api.pagination import list_schema, page_query, rows, total
from blueprints.api.parameters import Text, choice, search_text, text_choice
from blueprints.bets.schemas import FairnessEntrySchema
from models.cases import CASE, IRL
from models.payments import PaymentType
from server.schemas import (
    Coins,
    QuerySchema,
    SuccessSchema,
    Usd,
    WireSchema,
    count,
    documented,
    epoch_ms,
    one_of,
    text,
)
from services.bets.live_pages import LiveBetKind
from services.bets.terms import GAMES
from services.statistics.player_lists import ALL_GAMES, FairnessSort, GameSort, PaymentKind, PaymentSort
from sockets.schemas import GAME, LiveBetSchema, bet_multiplier

PageQuery = page_query()


class TotalsSchema(WireSchema):
    """Lifetime sums."""

    wager_amount = Coins("All wagers", 250, attribute="wagered")
    earning_amount = Coins("All that bets have paid out", 231.5, attribute="earned")
    deposit_amount = Usd("All deposits", 100, attribute="deposited")
    withdraw_amount = Usd("All withdrawals", 40, attribute="withdrawn")


class GamesQuery(PageQuery):  # type: ignore[misc,valid-type]
    sort = choice(GameSort.MOST_RECENT, "Equal earnings: newest first, in most-earned oldest first")
    search = search_text("Part of the game's name, in any case", "upgr")


class GameSchema(WireSchema):
    """A bet."""

    id = text("The id of the bet", "18")
    game = GAME
    wager = Coins("The wager", 10, attribute="wager_cents")
    earning = Coins("What was won: 0 for a lost spin", attribute="payout_cents")
    multiplier = bet_multiplier("Earning divided by wager")
    date = epoch_ms("When the bet was made", attribute="created_at_ms")


GamesSchema = list_schema(
    "Games", "GameList", "A page of the caller's bets", games=rows(GameSchema), total_games=total("Bets")
)


class PaymentsQuery(PageQuery):  # type: ignore[misc,valid-type]
    type = choice(PaymentKind.ALL, "Which payments", attribute="kind")
    sort = choice(PaymentSort.MOST_RECENT, "Equal amounts are newest first")
    search = search_text("Part of txhash, chain or asset, in any case", "0xabc")


class PaymentSchema(WireSchema):
    """A deposit or withdrawal."""

    id = text("The id of the payment", "18", data_key="_id")
    type = text("Which way it went", "deposit", validate=one_of(*PaymentType))
    chain = text("The chain it was made on", "ethereum")
    asset = text("What was paid with", "ETH")
    amount = text("Decimal number as text, in units of the asset", "0.0312")
    usd_amount = Usd("Its value", 100, attribute="usd_cents")
    txhash = text("The hash of the transaction", "0xabc123")
    to = text("The address that it was paid to", "0xdef456")
    date = epoch_ms("When it was recorded", attribute="created_at_ms")


PaymentsSchema = list_schema(
    "Payments",
    "PaymentList",
    "A page of payments",
    payments=rows(PaymentSchema),
    total_payments=total("Payments"),
)


class FairnessQuery(PageQuery):  # type: ignore[misc,valid-type]
    sort = choice(FairnessSort.MOST_RECENT, "By the time of the bet")
    search = search_text("Part of a revealed server seed or a client seed, in any case, or a nonce", "lucky")
    game = text_choice("Bets of one game only", ALL_GAMES, *GAMES, default=ALL_GAMES)


FairnessSchema = list_schema(
    "Fairness",
    "FairnessList",
    "A page of bets with their seeds",
    has_more=False,
    items=rows(FairnessEntrySchema),
    total=total("Bets"),
)


class LiveBetsQuery(PageQuery):  # type: ignore[misc,valid-type]
    type = choice(
        LiveBetKind.ALL,
        "High rolls: a wager of 50 coins or a multiplier of 10, or more",
        attribute="kind",
    )


LiveBetsSchema = list_schema(
    "LiveBets", "LiveBetList", "A page of finished bets", bets=rows(LiveBetSchema), total=total("Bets")
)


def openings(description: str) -> ma.fields.Nested:
    metadata = {"description": description}
    return ma.fields.Nested(LiveBetSchema, many=True, required=True, metadata=metadata)


class CaseActivityQuery(QuerySchema):
    case = Text(
        required=True,
        metadata=documented("The id of the case", "desert-case"),
        error_messages={"required": "is required"},
    )
    game = text_choice("case for one of /api/cases, irl for one of /irl", CASE, IRL, default=CASE)


class CaseActivityListSchema(WireSchema):
    """What players have won from a case."""

    last = openings("The last openings, newest first")
    best = openings("The openings of all time that paid most, if that was more than they cost")


class CaseActivitySchema(SuccessSchema):
    """The last openings and the best drops of a case, ten of each at most."""

    data = ma.fields.Nested(CaseActivityListSchema, required=True)


class OnlineSchema(WireSchema):
    """How many are online."""

    online = count("The open sockets of all processes, players and spectators, as of two seconds ago", 42)
