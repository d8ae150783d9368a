"""Fixtures: prizes of a player, and requests for them."""

from functools import partial

import pytest

from tests.support.openings import win_prize

DETAILS = {
    "firstName": "Alice",
    "lastName": "Example",
    "phone": "+12025550123",
    "shippingAddress": {
        "addressLine1": "1 Example Street",
        "addressLine2": "Flat 2",
        "city": "Springfield",
        "zipCode": "12345",
        "state": "Some State",
        "country": "Utopia",
    },
}


@pytest.fixture
def win(app, player):
    """The player wins a prize, by default of 25 coins from a case of 5; its id."""
    return partial(win_prize, app, player)


@pytest.fixture
def post(send, player):
    """Sells or ships a prize as the player; status and body."""
    return lambda prize_id, action, by=player: send(by, "POST", f"/prizes/{prize_id}/{action}")


@pytest.fixture
def listed(client, player):
    """A page of a player's prizes."""

    def get(*, by=player, **query):
        answer = client.get("/prizes", query_string=query, headers=by.headers)
        assert answer.status_code == 200, answer.text
        return answer.json

    return get


@pytest.fixture
def statuses(listed):
    """The status of each of the player's prizes, newest first."""
    return lambda: [prize["status"] for prize in listed(limit=100)["data"]["prizes"]]


@pytest.fixture
def change_details(client, player):
    """Changes the player's details."""

    def change(details):
        answer = client.put("/profile/details", json=details, headers=player.headers)
        assert answer.status_code == 200, answer.text

    return change


@pytest.fixture
def addressed(change_details):
    """The player has given all details."""
    change_details(DETAILS)


@pytest.fixture
def ledger(run):
    """The number of transactions in the ledger, in which the audit finds no mismatch."""

    def audited():
        audit = run("ledger", "audit")
        assert audit["mismatches"] == 0
        return audit["transactions"]

    return audited
