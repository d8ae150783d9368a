"""The shipping queue of the back office."""

import json

import pytest

from models.bets import Prize
from models.db.connection import reading, writing
from tests.support.office import last_event, signed_in
from tests.support.openings import win_prize

ADDRESS = {"first_name": "Ada", "last_name": "Miller", "address_line1": "Canal 5", "city": "Utrecht"}


@pytest.fixture
def prize(app, player):
    """A prize of the player that is to be shipped; its id."""
    prize_id = win_prize(app, player)
    encrypted = app.extensions["services"].shipping.encrypter.encrypt(json.dumps(ADDRESS))
    with writing():
        Prize.update(status="shipping", encrypted_address=encrypted).where(Prize.id == prize_id).execute()
    return int(prize_id)


def test_a_look_at_an_address_is_recorded(support, prize):
    assert "Canal 5" not in support.get("/office/prizes").text

    shown = support.get(f"/office/prizes?address={prize}").text

    assert "Canal 5" in shown
    assert last_event("personal-details.seen")[1] == {"what": f"address of prize {prize}"}


def test_a_prize_is_marked_as_shipped_once_with_its_tracking(support, prize, client, player):
    path, sent = f"/office/prizes/{prize}/ship", {"tracking": "PostNL 3SABC", "reason": "sent by post"}
    assert 'value="3SABC"' in support.post(path, of="/office/prizes", tracking="3SABC", reason="").text
    assert support.post(path, of="/office/prizes", **sent).status_code == 303

    again = support.post(path, of="/office/prizes", **sent)

    assert again.status_code == 400
    assert "The prize is shipped, not shipping." in again.text
    (message,) = client.get("/profile/notifications", headers=player.headers).json
    assert "PostNL 3SABC" in message["message"]
    assert last_event("prize.shipped")[1] == {"prize": prize} | sent
    assert "PostNL 3SABC" in support.get("/office/prizes?status=shipped").text


def test_payments_staff_see_prizes_without_the_form(app, prize):
    page = signed_in(app, "payments").get("/office/prizes").text

    assert "prize" in page
    assert "Mark as shipped" not in page


def test_a_prize_that_can_t_be_delivered_is_given_back(support, prize):
    path = f"/office/prizes/{prize}/return"
    assert support.post(path, of="/office/prizes", reason="the parcel came back").status_code == 303

    with reading():
        assert Prize.get_by_id(prize).status == "kept"
    assert last_event("prize.returned")[1]["reason"] == "the parcel came back"
