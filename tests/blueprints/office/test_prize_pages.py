"""The shipping queue of the back office."""

import json

import pytest

from models.audit_trail import AuditEvent
from models.db.connection import reading, writing
from models.prizes import Prize
from tests.support.office import signed_in
from tests.support.openings import win_prize

ADDRESS = {"first_name": "Ada", "last_name": "Miller", "address_line1": "Canal 5", "city": "Utrecht"}


@pytest.fixture
def support(app):
    return signed_in(app, "support")


@pytest.fixture
def prize(app, player):
    """A prize of the player that is to be shipped; its id."""
    prize_id = win_prize(app, player)
    encrypted = app.extensions["services"].shipping.encrypter.encrypt(json.dumps(ADDRESS))
    with writing():
        Prize.update(status="shipping", encrypted_address=encrypted).where(Prize.id == prize_id).execute()
    return int(prize_id)


def events(what):
    with reading():
        return [json.loads(event.after) for event in AuditEvent.select().where(AuditEvent.what == what)]


def test_a_look_at_an_address_is_recorded(support, prize):
    assert "Canal 5" not in support.get("/office/prizes").text

    shown = support.get(f"/office/prizes?address={prize}").text

    assert "Canal 5" in shown
    assert events("personal-details.seen") == [{"what": f"address of prize {prize}"}]


def test_a_prize_is_marked_as_shipped_with_its_tracking(support, prize, client, player):
    sent = {"tracking": "PostNL 3SABC", "reason": "sent by post"}
    answer = support.post(f"/office/prizes/{prize}/ship", of="/office/prizes", **sent)

    assert answer.status_code == 303
    (message,) = client.get("/profile/notifications", headers=player.headers).json
    assert "PostNL 3SABC" in message["message"]
    assert events("prize.shipped")[-1] == {"prize": prize} | sent
    assert "PostNL 3SABC" in support.get("/office/prizes?status=shipped").text


def test_a_prize_is_shipped_once(support, prize):
    path, sent = f"/office/prizes/{prize}/ship", {"tracking": "", "reason": "sent by post"}
    support.post(path, of="/office/prizes", **sent)

    again = support.post(path, of="/office/prizes", **sent)

    assert again.status_code == 400
    assert "The prize is shipped, not shipping." in again.text


def test_the_form_keeps_the_tracking_after_an_error(support, prize):
    refused = support.post(f"/office/prizes/{prize}/ship", of="/office/prizes", tracking="3SABC", reason="")

    assert refused.status_code == 400
    assert 'value="3SABC"' in refused.text


def test_payments_staff_see_prizes_and_ship_none(app, prize):
    payments = signed_in(app, "payments")

    assert "Mark as shipped" not in payments.get("/office/prizes").text
    assert payments.post(f"/office/prizes/{prize}/ship", of="/office/prizes").status_code == 403


def test_a_prize_that_can_t_be_delivered_is_given_back(support, prize):
    path = f"/office/prizes/{prize}/return"
    assert support.post(path, of="/office/prizes", reason="no").status_code == 400

    assert support.post(path, of="/office/prizes", reason="the parcel came back").status_code == 303

    with reading():
        assert Prize.get_by_id(prize).status == "kept"
    assert events("prize.returned")[0]["reason"] == "the parcel came back"
