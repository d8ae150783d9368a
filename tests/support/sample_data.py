"""Data for every list of the API, and the player who has them."""

from dataclasses import dataclass

from flask import Flask

from models.payments import PaymentType
from services.accounts import notifications
from services.cases import importing
from services.cases.irl import importing as irl_importing
from services.items import importing as items_importing
from services.payments import transfers as payments
from services.payments.transfers import Transfer
from services.shared.money import Cents
from services.wallet.affiliates import codes
from tests.harness.players import Player, create_player
from tests.harness.spins import play_spin

CHEAP, DEAR = "AK-47 | Copper Tide (Field-Tested)", "AWP | Paper Comet (Factory New)"
ITEMS = [
    {"appid": 730, "marketHashName": CHEAP, "price": 10},
    {"appid": 730, "marketHashName": DEAR, "price": 100},
    {"appid": 252_490, "marketHashName": "Lantern Garage Door", "price": 3},
    {"appid": 730, "marketHashName": "Nova | Barnacle (Field-Tested)", "price": None},
]
_HALVES = [{"marketHashName": CHEAP, "percentage": 50}, {"marketHashName": DEAR, "percentage": 50}]
CASES = [
    {"name": "Pocket Lint", "items": _HALVES},
    {"name": "Level 10", "kind": "level", "items": _HALVES},
    {"name": "Free case", "kind": "free", "items": _HALVES},
]
IRL_CASES = [
    {"id": "kettle", "name": "Kettle", "price": 25, "items": [{"name": "Kettle", "image": "", "price": 20}]}
]

SPINS = 3
"""Fewer spins than a player may make in a row."""


@dataclass(frozen=True)
class SamplePlayer(Player):
    """The player, whose level allows everything that the API offers, and the token of a referred player."""

    friend_token: str


def add_sample_data(app: Flask) -> SamplePlayer:
    """Import the demo; let a player pay, play, get a notification and refer another player."""
    services = app.extensions["services"]
    now = services.clock()
    items_importing.import_document(ITEMS, app_id=None, now=now)
    importing.import_cases(CASES, now=now)
    irl_importing.import_cases(IRL_CASES, now=now)
    player = create_player(app, coins=1_000, level=30)
    friend = create_player(app, "bob", coins=0)
    payments.record(
        user=player.user,
        type_=PaymentType.DEPOSIT,
        usd=Cents(5_000),
        transfer=Transfer(txhash="0xabc"),
        now=now,
    )
    codes.set_own(user_id=player.id, code="ALICE", special=None, now=now)
    codes.use(user_id=friend.id, code="ALICE", special=None, now=now)
    notifications.notify(user_id=player.id, title="Welcome", message="Good luck.", now=now)
    services.deposits.create(
        user_id=player.id, method="demo", amount=Cents(5_000), idempotency_key=None, now=now
    )
    services.withdrawals.request(
        user_id=player.id, method="demo", amount=Cents(5_000), to="anywhere", idempotency_key=None, now=now
    )
    for _ in range(SPINS):
        play_spin(app, player, DEAR, amount=60)
    return SamplePlayer(player.user, player.token, friend.token)
