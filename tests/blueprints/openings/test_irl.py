"""irl:open: the item is kept as a prize."""

from decimal import Decimal

import pytest

from models.bets import Prize
from models.db.connection import reading
from tests.blueprints.openings.conftest import LAMP, PEN
from tests.support.apps import import_irl_case


@pytest.mark.both_databases("money")
@pytest.mark.settings(UPGRADER_PROOF_DELAY="600")
def test_the_item_is_kept_as_a_prize_and_paid_for(connect, client, player, irl_case, winning):
    socket = connect(player)
    socket.expect("live-bets")

    won = socket.call("irl:open", {"case": irl_case, "clientSeed": winning(LAMP, irl_case, "irl")})
    events = [socket.next()[0] for _ in range(4)]
    lost = socket.call("irl:open", {"case": irl_case, "clientSeed": winning(PEN, irl_case, "irl")})

    prizes = client.get("/prizes", headers=player.headers).json["data"]["prizes"]
    assert [(prize["name"], prize["value"], prize["status"]) for prize in prizes] == [
        (PEN, 1.5, "kept"),
        (LAMP, 50, "kept"),
    ]
    assert events == ["irl:pf", "irl:open", "upgrader:commitment", "balance"]
    ids = [prize["id"] for prize in prizes]
    assert won["result"] == {"success": True, "amount": 50, "item": LAMP, "prizeId": ids[1]}
    assert lost["result"] == {"success": False, "amount": Decimal("1.5"), "item": PEN, "prizeId": ids[0]}
    assert client.get("/auth/me", headers=player.headers).json["balance"] == 100 - 2 * 12


def test_a_prize_copies_name_image_and_value_of_its_opening(app, connect, player, irl_case, winning):
    connect(player).call("irl:open", {"case": irl_case, "clientSeed": winning(LAMP, irl_case, "irl")})
    import_irl_case("desk", price=12)

    with reading():
        prize = Prize.get()
    assert (prize.name, prize.image, prize.value_cents) == (LAMP, "/media/lamp.webp", 5_000)


@pytest.mark.regulation("RTS 14F: no false wins")
@pytest.mark.parametrize("value", [0, 12])
def test_a_prize_that_is_worth_the_price_is_no_success(connect, client, player, app, value):
    import_irl_case("pen", {"price": value}, price=12)

    answer = connect(player).call("irl:open", {"case": "pen"})

    assert (answer["result"]["success"], answer["result"]["amount"]) == (False, value)
    bet = client.get("/stats/fairness", headers=player.headers).json["data"]["items"][0]
    assert bet["status"] == "lost"
    assert client.get("/prizes", headers=player.headers).json["data"]["prizes"][0]["value"] == value
