"""POST /prizes/:id/ship, and the operator's ``flask prizes list`` and ``flask prizes ship``."""

import pytest

from models.bets import Prize
from models.db.connection import reading, writing
from models.ledger import LedgerEntry, LedgerTransaction
from tests.blueprints.prizes.conftest import DETAILS

INCOMPLETE = (400, {"error": "Shipping details are incomplete"})
SHIPPED = (200, {"success": True})


def without(name):
    """All details but one, which is empty."""
    address = DETAILS["shippingAddress"]
    if name in address:
        return DETAILS | {"shippingAddress": address | {name: ""}}
    return DETAILS | {name: ""}


@pytest.mark.security("Prizes")
@pytest.mark.usefixtures("addressed")
def test_a_request_for_shipping_encrypts_the_address_without_coins(win, post, statuses, balance, ledger):
    prize_id = win()
    before = ledger()

    assert post(prize_id, "ship") == SHIPPED

    assert statuses() == ["shipping"]
    assert balance() == 95
    assert ledger() == before
    with reading():
        encrypted = Prize.get().encrypted_address
    texts = [*DETAILS.values(), *DETAILS["shippingAddress"].values()]
    assert [text for text in texts if isinstance(text, str) and text in encrypted] == []


def test_shipping_needs_the_whole_name_and_address(win, post, change_details, statuses):
    prize_id = win()
    answers = {"everything": post(prize_id, "ship")}
    for name in ("firstName", "lastName", "addressLine1", "city", "zipCode", "country"):
        change_details(without(name))
        answers[name] = post(prize_id, "ship")

    assert answers == dict.fromkeys(answers, INCOMPLETE)
    assert statuses() == ["kept"]


def test_shipping_needs_no_phone_second_line_or_state(win, post, change_details):
    for name in ("phone", "addressLine2", "state"):
        change_details(without(name))
        assert post(win(), "ship") == SHIPPED


@pytest.mark.usefixtures("addressed")
def test_the_operator_sees_the_prize_its_player_and_the_address(win, post, run, player, listed):
    prize_id = win(name="Kettle", value=24.9)
    win(name="Toaster")
    post(prize_id, "ship")

    to_ship = run("prizes", "list", "--status", "shipping")

    (_, prize) = listed()["data"]["prizes"]
    details = {name: text for name, text in DETAILS.items() if name != "shippingAddress"}
    assert to_ship == prize | {
        "platformid": player.platform_id,
        "username": player.username,
        "address": details | DETAILS["shippingAddress"],
    }


@pytest.mark.both_databases("money postings")
@pytest.mark.usefixtures("addressed")
def test_a_prize_that_is_marked_as_shipped_leaves_the_house(win, post, run, statuses, ledger):
    for value in (24.9, 0):
        prize_id = win(value=value)
        post(prize_id, "ship")
        before = ledger()
        assert run("prizes", "ship", str(prize_id))["status"] == "shipped"
        # Nothing is posted for a prize without a value.
        assert ledger() - before == (value > 0)

    assert statuses() == ["shipped", "shipped"]
    with reading():
        shipped = LedgerTransaction.get(LedgerTransaction.kind == "prize-shipped")
        entries = LedgerEntry.select().where(LedgerEntry.transaction == shipped)
        assert {(entry.account, entry.amount_cents) for entry in entries} == {
            ("house.prizes", -2490),
            ("house.shipped", 2490),
        }


@pytest.mark.usefixtures("addressed")
def test_the_operator_ships_only_what_is_to_be_shipped(win, post, run, fails):
    kept, shipped = win(), win()
    post(shipped, "ship")
    run("prizes", "ship", str(shipped))

    assert fails("prizes", "ship", str(kept)) == "Error: the prize is kept, not shipping"
    assert fails("prizes", "ship", str(shipped)) == "Error: the prize is shipped, not shipping"
    assert fails("prizes", "ship", str(shipped + 1)) == "Error: Prize not found"


@pytest.mark.usefixtures("addressed")
def test_an_undecryptable_address_is_reported_and_the_others_are_listed(app, win, post):
    lost, readable = win(), win()
    for prize_id in (lost, readable):
        post(prize_id, "ship")
    with writing():
        Prize.update(encrypted_address="gAAAAA").where(Prize.id == lost).execute()

    result = app.test_cli_runner().invoke(args=["prizes", "list"])

    prizes = [app.json.loads(line) for line in result.stdout.splitlines()]
    assert [prize["address"] and prize["address"]["city"] for prize in prizes] == [None, "Springfield"]
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        f"prize {lost}: no key opens its address",
        "Error: 1 cannot be decrypted with any key: see SECRET_KEY_PREVIOUS",
    ]
