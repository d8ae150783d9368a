"""Schemas of battles, which HTTP and events share."""

from typing import Any

import marshmallow as ma

from models.battles import State, VoidReason
from server.schemas import (
    Avatar,
    Coins,
    Computed,
    ItemImage,
    WireSchema,
    count,
    documented,
    epoch_ms,
    flag,
    one_of,
    text,
)
from services.battles.queries import ShownBattle
from services.battles.rules import MODES, TEAMS
from services.shared.money import number_from_cents
from sockets.schemas import CLIENT_SEED, SERVER_SEED, SERVER_SEED_COMMITMENT, SNAPSHOT, TICKET

PLAYER_EXAMPLE = {
    "username": "alice",
    "avatar": "https://play.example.com/media/neutral/avatar.webp",
}


def _hex(description: str, example: str) -> ma.fields.String:
    digits = ma.validate.Regexp(f"^[0-9a-f]{{{len(example)}}}$")
    return text(f"{description}, {len(example)} hexadecimal digits", example, validate=digits)


def _state(state: State) -> ma.fields.String:
    return text("How far the battle is", state, validate=one_of(state))


def _list(inner: ma.fields.Field[Any], description: str, example: list[Any], **options: Any) -> Any:
    return ma.fields.List(inner, required=True, metadata=documented(description, example), **options)


class BattlePlayerSchema(WireSchema):
    """The player in a seat."""

    username = text("The whole username", "alice")
    avatar = Avatar("The player's picture")


class BattleSeatSchema(WireSchema):
    """A seat. It is free if it has neither a player nor a bot."""

    seat = count("Its number, from 0", 0)
    team = count("The number of its team, from 0", 0)
    bot = flag("Whether a bot has it", example=False, attribute="is_bot")
    player = ma.fields.Nested(
        BattlePlayerSchema,
        required=True,
        allow_none=True,
        metadata=documented(
            "Null for a bot and for a free seat",
            PLAYER_EXAMPLE,
        ),
    )
    client_seed = text(
        f"{CLIENT_SEED.metadata['description']}; `bot-` and the number of the seat for a bot. Null for a"
        " free seat",
        "my-lucky-seed",
        allow_none=True,
    )


class BattleCaseSchema(WireSchema):
    """A case of a battle."""

    id = text("The id of the case", "desert-case", attribute="slug")
    name = text("The name", "Desert Case")
    price = Coins("What it costs each seat", 2.49, attribute="price_cents")
    snapshot = text(
        SNAPSHOT.metadata["description"], SNAPSHOT.metadata["examples"][0], attribute="snapshot_hash"
    )
    image = ItemImage("The picture of the case, or of its dearest item if it has none")


class FirstCaseSchema(BattleCaseSchema):
    """A case in the short form of a battle."""

    class Meta(WireSchema.Meta):
        fields = ("name", "image")


class ListedBattleSchema(WireSchema):
    """The short form of a battle."""

    id = text("The id of the battle", "Zm9yIGV2ZXIgYW5kIGV2ZQ", attribute="public_id")
    state = text("How far the battle is", State.OPEN, validate=one_of(*State))
    version = count("Grows with every change; ignore a lower one", 1)
    mode = text("Who gets what was drawn", MODES[0], validate=one_of(*MODES))
    crazy = flag("Whether the lowest value is the best", example=False, attribute="is_crazy")
    terminal = flag("Whether the last case alone counts", example=False, attribute="is_terminal")
    teams = text("The teams, each with its number of seats", "1v1", validate=one_of(*TEAMS))
    cost = Coins("What a seat costs", 2.49, attribute="cost_cents")
    case_count = count("How many cases each seat opens", 1)
    first_cases = ma.fields.Nested(FirstCaseSchema, many=True, required=True)
    seats_taken = count("How many seats are taken, bots' included", 1)
    created_at = epoch_ms("When it was created", attribute="created_at_ms")


class BattleSchema(ListedBattleSchema):
    """What a battle has in every state."""

    class Meta(WireSchema.Meta):
        exclude: tuple[str, ...] = ("case_count", "first_cases", "seats_taken")

    players_only = flag("Whether bots are excluded", example=False, attribute="is_players_only")
    private = flag("Whether it is in no list", example=False, attribute="is_private")
    server_seed_commitment = text(
        "SHA-256 of the server seed's text, published when the battle was created",
        SERVER_SEED_COMMITMENT.metadata["examples"][0],
        attribute="commitment",
    )
    cases = ma.fields.Nested(
        BattleCaseSchema,
        many=True,
        required=True,
        metadata={"description": "The cases in the order in which each seat opens them"},
    )
    seats = ma.fields.Nested(
        BattleSeatSchema,
        many=True,
        required=True,
        metadata=documented(
            "All seats. Those of a team follow each other",
            [
                {"seat": 0, "team": 0, "bot": False, "player": PLAYER_EXAMPLE, "clientSeed": "my-lucky-seed"},
                {"seat": 1, "team": 1, "bot": True, "player": None, "clientSeed": "bot-1"},
            ],
        ),
    )


class OpenBattleSchema(BattleSchema):
    """A battle that waits for players."""

    state = _state(State.OPEN)


class CancelledBattleSchema(BattleSchema):
    """A battle whose seats were refunded before the last one was taken."""

    state = _state(State.CANCELLED)
    server_seed = ma.fields.Function(
        lambda battle: battle.server_seed or ma.missing,
        metadata=documented(
            "The server seed; only of a battle that was cancelled after a restore of the database",
            SERVER_SEED.metadata["examples"][0],
            type="string",
        ),
    )


class LockedBattleSchema(BattleSchema):
    """A battle whose seats are all taken."""

    state = _state(State.LOCKED)
    locked_at = epoch_ms("When the last seat was taken", attribute="locked_at_ms")
    round = count("The round of the beacon that decides the battle", 34_342_700)
    entry = count(
        "The index of its lock in the public log; null for the moment until it is appended",
        4711,
        allow_none=True,
        attribute="lock_index",
    )


class VoidBattleSchema(LockedBattleSchema):
    """A battle whose seats were refunded after the last one was taken."""

    state = _state(State.VOID)
    reason = text(
        "`late`: the lock was not in a signed checkpoint in time. `beacon`: the network has not published the"
        " round for a day. `restore`: the log has lost the lock",
        VoidReason.LATE,
        validate=one_of(*VoidReason),
        attribute="void_reason",
    )
    server_seed = SERVER_SEED


class DrawnItemSchema(WireSchema):
    """What a seat drew in a case."""

    item = text("The full name of the item", "AK-47 | Copper Tide (Field-Tested)")
    price = Coins("What it counts", attribute="price_cents")
    ticket = Computed(
        str,
        "string",
        TICKET.metadata["description"],
        TICKET.metadata["examples"][0],
        attribute="ticket",
    )


class DrawnItems(ma.fields.List[Any]):
    """What each seat drew in each case. It is dumped without the schema, in a tenth of its time."""

    def __init__(self, description: str, example: list[Any]) -> None:
        inner = ma.fields.List(ma.fields.Nested(DrawnItemSchema))
        super().__init__(inner, required=True, metadata=documented(description, example))

    def _serialize(self, value: Any, *_: Any, **__: Any) -> list[Any]:
        return [
            [
                {"item": item, "price": number_from_cents(price_cents), "ticket": str(ticket)}
                for item, price_cents, ticket in seat
            ]
            for seat in value
        ]


class SettledBattleSchema(LockedBattleSchema):
    """A battle that is decided and paid."""

    state = _state(State.SETTLED)
    signature = _hex(
        "The beacon's signature",
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
    )
    randomness = _hex(
        "SHA-256 of the signature's bytes",
        "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd",
    )
    server_seed = SERVER_SEED
    drawn = DrawnItems(
        "For each seat, what it drew in each case",
        [
            [{"item": "AK-47 | Copper Tide (Field-Tested)", "price": 12.4, "ticket": "236139975960886890"}],
            [{"item": "P90 | Grey Dune (Well-Worn)", "price": 0.12, "ticket": "736139975960886890"}],
        ],
    )
    values = _list(
        Coins("The value of a team"),
        "For each team, the value that counts for the mode; in coins",
        [12.4, 0.12],
        attribute="values_cents",
    )
    tie = _list(
        ma.fields.Integer(),
        "The teams with the same best value, among which a draw has decided; null without a tie",
        [0, 1],
        allow_none=True,
    )
    winners = _list(ma.fields.Integer(), "The numbers of the teams that won", [0])
    payouts = _list(
        Coins("The share of a seat"),
        "For each seat, its share; in coins",
        [12.52, 0],
        attribute="payouts_cents",
    )


class BattleReceiptSchema(WireSchema):
    """What proves to a player that a battle was locked before its round was known."""

    battle = text("The id of the battle", "Zm9yIGV2ZXIgYW5kIGV2ZQ")
    proof = text(
        "A proof as described at https://c2sp.org/tlog-proof; its `extra` is the entry of the lock",
        "c2sp.org/tlog-proof@v1\nextra eyJhdCI6…\nindex 18\n…",
    )


BATTLES = {
    State.SETTLED: SettledBattleSchema(),
    State.OPEN: OpenBattleSchema(),
    State.LOCKED: LockedBattleSchema(),
    State.VOID: VoidBattleSchema(),
    State.CANCELLED: CancelledBattleSchema(),
}
BATTLE: dict[str, Any] = {"oneOf": [type(schema) for schema in BATTLES.values()]}
"""A battle in any state, for the API document."""

LISTED_BATTLE = ListedBattleSchema()


def dump_battle(battle: ShownBattle) -> dict[str, Any]:
    """The object of a battle."""
    dumped: dict[str, Any] = BATTLES[State(battle.state)].dump(battle)
    return dumped
