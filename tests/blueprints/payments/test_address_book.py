"""GET, POST and DELETE /payments/addresses, and withdrawals to addresses that have to wait."""

import pytest

from tests.blueprints.payments.conftest import ADDRESS, NOW
from tests.support.at_once import all_at_once

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS

NOT_ADDED = (400, {"error": "Add this address first"})
KNOWN = (400, {"error": "You have added this address already"})
NOT_FOUND = (404, {"error": "Address not found"})
SUSPENDED = (403, {"error": "Account suspended"})
ADDED = "payments:address-added"

waiting = pytest.mark.settings(ADDRESS_HOURS="24")


def too_new(text, usable_from):
    return 400, {"error": f"This address can be used from {text}", "usableFrom": usable_from}


TOO_NEW = too_new("2026-03-19T12:00:00Z", NOW + DAY_MS)


@pytest.fixture
def post_address(ask):
    """Adds an address; status and body."""

    def post(address=ADDRESS, *, name="My wallet", method="BTC-CHAIN", **options):
        return ask(
            "POST", "/payments/addresses", {"method": method, "name": name, "address": address}, **options
        )

    return post


@pytest.fixture
def add(post_address):
    """Adds an address; what the answer shows."""

    def added(*arguments, **options):
        status, body = post_address(*arguments, **options)
        assert status == 201, body
        return body["address"]

    return added


@pytest.fixture
def remove(ask):
    return lambda entry, **options: ask("DELETE", f"/payments/addresses/{entry['id']}", **options)


@pytest.fixture
def book(ask):
    """The addresses that a player is shown."""
    return lambda **options: ask("GET", "/payments/addresses", **options)[1]["addresses"]


@waiting
def test_an_added_address_is_shown_with_the_time_from_which_it_can_be_used(add, ask, book):
    made = add()

    assert len(made["id"]) == 32
    assert ask("GET", "/payments/addresses") == (200, {"addresses": [made], "delayMs": DAY_MS})
    assert {**made, "id": ""} == {
        "id": "",
        "method": "BTC-CHAIN",
        "name": "My wallet",
        "address": ADDRESS,
        "createdAt": NOW,
        "usableFrom": NOW + DAY_MS,
    }


@pytest.mark.security("Withdrawals")
@pytest.mark.both_databases("services/payments/address_book.py")
@waiting
def test_a_withdrawal_goes_only_to_an_address_that_has_waited(add, post_withdrawal, clock, balance):
    assert post_withdrawal() == NOT_ADDED
    add()
    assert post_withdrawal() == TOO_NEW
    clock.advance(seconds=DAY_MS // 1000 - 1)
    assert post_withdrawal() == TOO_NEW
    assert balance() == 100

    clock.advance(seconds=1)

    assert post_withdrawal()[0] == 201
    assert post_withdrawal(to=f"{ADDRESS} 2") == NOT_ADDED


@pytest.mark.settings(ADDRESS_HOURS="24", BTCPAY_PAYOUT_METHODS="BTC-CHAIN,BTC-LN")
def test_an_address_is_of_one_method(add, post_withdrawal):
    add(method="BTC-LN")

    assert post_withdrawal() == NOT_ADDED
    assert post_withdrawal(method="BTC-LN") == TOO_NEW
    assert add()["method"] == "BTC-CHAIN"


@waiting
def test_the_refusal_names_the_second_in_which_it_can_be_used(add, post_withdrawal, clock):
    clock.advance(seconds=0.25)
    add()

    assert post_withdrawal() == too_new("2026-03-19T12:00:01Z", NOW + DAY_MS + 250)


def test_the_same_address_again_makes_nothing_new(add, post_address, book, clock, titles):
    made = add()
    clock.advance(minutes=1)

    assert post_address() == (200, {"address": made})
    assert post_address(name="Another") == KNOWN
    assert (book(), len(titles())) == ([made], 1)


@waiting
def test_an_address_that_was_deleted_and_is_added_again_waits_anew(add, remove, post_withdrawal, clock):
    made = add()
    clock.advance(seconds=DAY_MS // 1000)

    assert remove(made) == (200, {"success": True})
    assert post_withdrawal() == NOT_ADDED
    add()

    assert post_withdrawal() == too_new("2026-03-20T12:00:00Z", NOW + 2 * DAY_MS)


def test_without_a_delay_withdrawals_go_to_any_address(add, ask, post_withdrawal):
    assert ask("GET", "/payments/addresses") == (200, {"addresses": [], "delayMs": 0})
    assert post_withdrawal()[0] == 201

    assert add("elsewhere")["usableFrom"] == NOW

    assert post_withdrawal(to="elsewhere")[0] == 201


@waiting
def test_a_repeated_request_is_answered_after_its_address_was_deleted(add, remove, post_withdrawal, clock):
    made = add()
    clock.advance(seconds=DAY_MS // 1000)
    first = post_withdrawal(key="one")
    remove(made)

    again = post_withdrawal(key="one")

    assert (first[0], again[0], again[1]["withdrawal"]["id"]) == (201, 200, first[1]["withdrawal"]["id"])


def test_bad_methods_names_and_addresses_are_refused(post_address, book):
    for method in ("cash", "btcpay", "", None, 5):
        assert post_address(method=method) == (400, {"error": "Unknown payment method"})
    for name in ("", "  ", "x" * 33, "\u200b", None, 5):
        assert post_address(name=name) == (400, {"error": "Invalid name"})
    for address in ("", "x" * 257, " padded", "two\nlines", None, [ADDRESS]):
        assert post_address(address) == (400, {"error": "Invalid address"})
    assert book() == []


def test_a_name_is_stored_without_blanks_around_it(add):
    assert add(name="  My   wallet ")["name"] == "My wallet"


def test_a_player_has_20_addresses_at_most(add, post_address, remove):
    made = [add(f"wallet {number}") for number in range(20)]

    assert post_address("one more") == (400, {"error": "Your address book is full"})

    remove(made[7])
    assert post_address("one more")[0] == 201


@pytest.mark.both_databases("a race")
def test_of_the_same_address_added_at_once_one_is_stored(post_address, add, book):
    for number in range(18):
        add(f"wallet {number}")

    answers = all_at_once([post_address] * 3 + [lambda: post_address("other")] * 3)

    assert sorted(status for status, _ in answers) == [200] * 4 + [201] * 2
    assert len(book()) == 20


def test_an_address_belongs_to_its_player_only(add, remove, book, post_address, new_player):
    made, bob = add(), new_player("bob")

    assert book(by=bob) == []
    assert remove(made, by=bob) == NOT_FOUND
    assert remove({"id": "none"}) == NOT_FOUND
    assert post_address(by=bob)[0] == 201
    assert book() == [made]


@pytest.mark.security("Two-factor authentication")
def test_adding_an_address_needs_a_code_where_2fa_is_on(post_address, authenticator, book):
    assert post_address() == (403, {"error": "Two-factor code required"})
    assert post_address(code=authenticator.wrong()) == (400, {"error": "Invalid 2FA code"})
    assert book() == []

    assert post_address(code=authenticator.code())[0] == 201


@waiting
@pytest.mark.parametrize("duration", ["24h", "permanent"])
def test_excluded_players_can_add_an_address_and_withdraw(
    send, player, add, post_withdrawal, clock, duration
):
    assert send(player, "POST", "/limits/exclusion", {"duration": duration})[0] == 200
    add()
    clock.advance(seconds=DAY_MS // 1000)

    assert post_withdrawal()[0] == 201


def test_suspended_players_can_not_add_an_address(post_address, run, player):
    run("users", "suspend", player.platform_id)

    assert post_address() == SUSPENDED


@waiting
def test_a_new_address_is_notified_without_the_address_itself(add, client, player, titles):
    add()

    (shown,) = client.get("/profile/notifications", headers=player.headers).json
    assert shown["title"] == "New address for withdrawals"
    assert shown["message"] == (
        'The address "My wallet" (BTC-CHAIN) was added to your account. Withdrawals can go to it from'
        " 2026-03-19T12:00:00Z. If that was not you, delete it and log out everywhere."
    )
    assert ADDRESS not in shown["message"]


def test_the_audit_trail_has_neither_name_nor_address(add, remove, run):
    made = add()
    remove(made)

    recorded = [event for event in run("audit", "export")[1:] if "address" in event["what"]]

    after = {"withdrawalAddress": made["id"], "method": "BTC-CHAIN"}
    assert [(event["what"], event["after"]) for event in recorded] == [
        ("withdrawal-address.added", after),
        ("withdrawal-address.deleted", after),
    ]


@waiting
def test_all_sockets_of_the_player_hear_of_a_new_address(connect, player, new_player, add):
    sockets, bob = [connect(player) for _ in range(2)], connect(new_player("bob"))
    made = add()
    told = {name: made[name] for name in ("id", "method", "name", "usableFrom")}

    for socket in sockets:
        assert socket.expect(ADDED) == told
    bob.call("upgrader:spin", {})
    assert ADDED not in [name for name, _ in bob.seen]
