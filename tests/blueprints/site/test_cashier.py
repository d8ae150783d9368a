"""Depositing and withdrawing with the provider of the demonstration.

It confirms a deposit after five seconds and pays a withdrawal after ten: tests make them older.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import (
    AUTO_APPROVED,
    enter_code,
    go,
    lines_of,
    sign_in,
    turn_on_two_factor,
)
from tests.harness.waiting import wait_until

pytestmark = pytest.mark.browser


def open_cashier(tab):
    go(tab, "Cashier")
    expect(tab.locator("#cashier-parts")).to_be_visible()
    return tab


@pytest.fixture
def cashier(tab, site, player):
    """The cashier of a new player, who has 100 coins."""
    sign_in(tab, site, player, item=None)
    expect(tab.locator("#balance")).to_have_text("100.00 coins")
    return open_cashier(tab)


def deposit(tab, coins):
    tab.fill("#deposit-amount", coins)
    tab.keyboard.press("Enter")


def withdraw(tab, coins, to="my wallet", answer="Withdraw"):
    tab.fill("#withdrawal-amount", coins)
    tab.fill("#withdrawal-to", to)
    tab.keyboard.press("Enter")
    tab.locator("#agreement").get_by_role("button", name=answer).click()


def payments(site, player):
    return site.get("/payments", player).json()["data"]["payments"]


def keep_unpaid(route, site):
    """Lets a deposit be made an hour later than it is."""
    answer = route.fetch()
    site.write(
        "UPDATE deposits SET created_at_ms = created_at_ms + 3600000 WHERE id = ?",
        answer.json()["deposit"]["id"],
    )
    route.fulfill(response=answer)


def test_a_deposit_is_paid_by_link_or_qr_code_and_credited(cashier, site, player):
    deposit(cashier, "0.50")
    expect(cashier.locator("#deposit-problem")).to_contain_text("from 1.00 to 10,000.00 coins")
    expect(cashier.locator("#deposit-amount")).to_be_focused()
    cashier.route("**/payments/deposits", lambda route: keep_unpaid(route, site))
    deposit(cashier, "20")
    expect(cashier.locator("#payment-name")).to_have_text("Deposit of 20.00 coins")
    expect(cashier.locator("#payment-state")).to_be_focused()
    (made,) = payments(site, player)
    link = cashier.get_by_role("link", name="Open the payment page")
    expect(link).to_have_attribute("href", f"{site.url}/demo-checkout/{made['id']}")
    assert cashier.get_by_role("img", name="QR code").evaluate("image => image.decode().then(() => true)")

    site.write("UPDATE deposits SET created_at_ms = created_at_ms - 3605000 WHERE id = ?", made["id"])

    expect(cashier.locator("#payment-state")).to_have_text("The coins are on your balance.")
    expect(cashier.locator("#checkout-link")).to_have_count(0)
    expect(cashier.locator("#balance")).to_have_text("120.00 coins")
    expect(lines_of(cashier, "payments")).to_contain_text("The coins are on your balance.")


def test_a_deposit_is_cancelled_while_nothing_is_paid(cashier, site, player):
    cashier.route("**/payments/deposits", lambda route: route.fulfill(json={"deposit": slow}))
    slow = site.post("/payments/deposits", {"method": "demo", "amount": 5}, player)["deposit"]
    deposit(cashier, "5")

    cashier.get_by_role("button", name="Cancel Deposit of 5.00 coins").click()

    expect(cashier.locator("#payment-said")).to_contain_text("The deposit is cancelled.")
    expect(cashier.locator("#payment-state")).to_contain_text("Please do not pay it any more.")
    expect(cashier.get_by_role("button", name="Cancel Deposit of 5.00 coins")).to_have_count(0)
    assert [each["status"] for each in payments(site, player)] == ["expired"]


def test_an_open_deposit_is_cancelled_in_the_list(tab, site, player):
    made = site.post("/payments/deposits", {"method": "demo", "amount": 5}, player)["deposit"]
    site.write("UPDATE deposits SET created_at_ms = created_at_ms + 3600000 WHERE id = ?", made["id"])
    sign_in(tab, site, player, item=None)
    cashier = open_cashier(tab)

    lines_of(cashier, "payments").get_by_role("button", name="Cancel Deposit of 5.00 coins").click()

    expect(cashier.locator("#payment-said")).to_contain_text("The deposit is cancelled.")
    expect(lines_of(cashier, "payments")).to_contain_text("This deposit has expired.")
    expect(lines_of(cashier, "payments").get_by_role("button")).to_have_count(0)


def test_method_and_amount_are_chosen_with_a_click(cashier, site, player):
    expect(cashier.get_by_role("group", name="Method").first.get_by_label("Demonstration")).to_be_checked()
    cashier.get_by_role("group", name="Amounts").get_by_role("button", name="25 coins").click()
    cashier.locator("#deposit-form").get_by_role("button", name="Deposit", exact=True).click()

    expect(cashier.locator("#payment-name")).to_have_text("Deposit of 25.00 coins")
    assert [each["amount"] for each in payments(site, player)] == [25]


def test_what_was_paid_in_part_is_shown_and_can_t_be_cancelled(cashier, made):
    made |= {"status": "pending", "paidAmount": 2}
    deposit(cashier, "5")

    expect(cashier.locator("#payment-paid")).to_have_text("2.00 coins have arrived.")
    expect(
        cashier.locator("#payment").get_by_role("button", name="Cancel Deposit of 5.00 coins")
    ).to_have_count(0)


def test_a_withdrawal_is_confirmed_once_and_completed(cashier, site, player):
    cashier.fill("#withdrawal-amount", "10")
    cashier.keyboard.press("Enter")
    expect(cashier.locator("#withdrawal-problem")).to_have_text("Please enter an address.")
    withdraw(cashier, "10", answer="Cancel")
    assert payments(site, player) == []

    cashier.locator("#withdrawal-form").get_by_role("button", name="Withdraw").click()
    summary = cashier.get_by_role("dialog", name="Withdraw this amount to this address?")
    expect(summary).to_contain_text("A withdrawal can't be cancelled")
    expect(summary.locator("dd")).to_have_text(["10.00 coins", "Demonstration", "my wallet"])
    summary.get_by_role("button", name="Withdraw").click()
    expect(cashier.locator("#balance")).to_have_text("90.00 coins")
    expect(cashier.locator("#payment-name")).to_have_text("Withdrawal of 10.00 coins")

    (made,) = payments(site, player)
    wait_until(lambda: payments(site, player)[0]["status"] == "sent")
    is_paid = "UPDATE withdrawals SET sending_since_ms = sending_since_ms - 10000 WHERE id = ?"
    site.write(is_paid, made["id"])

    # The events of the socket say so, since only deposits are polled.
    expect(cashier.locator("#payment-state")).to_have_text("Paid.")
    expect(cashier.locator("#payment-txhash")).to_have_text(re.compile("^Transaction [0-9a-f]{64}$"))
    expect(lines_of(cashier, "payments")).to_contain_text("To my wallet")


def test_a_deposit_takes_the_bonus_only_if_asked_and_a_withdrawal_says_that_it_is_lost(tab, site, player):
    site.write("UPDATE users SET deposit_bonus = 1 WHERE platform_id = ?", player["platformid"])
    sign_in(tab, site, player, item=None)
    cashier = open_cashier(tab)
    choice = cashier.get_by_role("checkbox", name="Take the bonus of 50 % (up to 100.00 coins)")
    expect(choice).not_to_be_checked()
    expect(choice).to_have_accessible_description(
        re.compile("80 times the bonus, within 14 days .* you lose")
    )
    choice.focus()
    cashier.keyboard.press("Space")
    deposit(cashier, "20")
    expect(cashier.locator("#payment-name")).to_have_text("Deposit of 20.00 coins")
    (made,) = payments(site, player)
    site.write("UPDATE deposits SET created_at_ms = created_at_ms - 5000 WHERE id = ?", made["id"])

    expect(cashier.locator("#bonus-state")).to_contain_text(
        "Your bonus of 10.00 coins is paid when you have wagered 800.00 coins: 0.00 coins so far."
    )
    expect(choice).to_have_count(0)

    withdraw(cashier, "10", answer="Cancel")
    assert [each["type"] for each in payments(site, player)] == ["deposit"]
    cashier.locator("#withdrawal-form").get_by_role("button", name="Withdraw").click()
    expect(cashier.locator("#bonus-loss")).to_contain_text("You lose your bonus of 10.00 coins.")
    cashier.get_by_role("dialog").get_by_role("button", name="Withdraw and lose the bonus").click()

    expect(cashier.locator("#payment-name")).to_have_text("Withdrawal of 10.00 coins")
    expect(cashier.locator("#bonus-state")).to_have_count(0)


@pytest.fixture
def made(cashier, site, player):
    """A deposit that the page requests and sees with the values of this dictionary, which a test changes."""
    made = site.post("/payments/deposits", {"method": "demo", "amount": 5}, player)["deposit"]
    page = {"payments": [made | {"type": "deposit"}], "total": 1, "totalPages": 1, "currentPage": 1}
    cashier.route("**/payments/deposits", lambda route: route.fulfill(json={"deposit": made}))
    cashier.route("**/payments/deposits/*", lambda route: route.fulfill(json={"deposit": made}))
    cashier.route("**/payments?*", lambda route: route.fulfill(json={"data": page}))
    return made


@pytest.mark.thorough
def test_the_states_of_a_deposit_are_shown_one_after_another(cashier, made):
    address, made["checkoutUrl"], made["status"] = made["checkoutUrl"], None, "created"
    deposit(cashier, "5")
    state = cashier.locator("#payment-state")
    link = cashier.get_by_role("link", name="Open the payment page")
    expect(state).to_have_text("The link for your payment is being prepared.")
    expect(link).to_be_hidden()

    # No event says so.
    made |= {"checkoutUrl": address, "status": "pending"}
    expect(state).to_have_text("Waiting for your payment.")
    expect(cashier.locator("#payment")).to_contain_text("Please pay before")
    with cashier.expect_popup() as opened:
        link.click()
    expect(opened.value.get_by_role("heading", name="Nothing to pay")).to_be_visible()
    assert opened.value.evaluate("window.opener") is None

    made["status"] = "confirming"
    expect(state).to_have_text("Your payment has arrived and is being confirmed.")
    cashier.reload()
    open_cashier(cashier).get_by_role("button", name="Show Deposit of 5.00 coins").click()
    expect(state).to_be_focused()
    made["status"] = "review"
    expect(state).to_contain_text("Our staff will decide.")


@pytest.mark.thorough
def test_a_withdrawal_needs_a_code_and_waits_for_staff(tab, site, player):
    code = turn_on_two_factor(site, player)
    sign_in(tab, site, player, item=None)
    open_cashier(tab)
    withdraw(tab, f"{AUTO_APPROVED + 1}")
    tab.locator("#code-prompt").get_by_role("button", name="Cancel").click()
    expect(tab.locator("#withdrawal-problem")).to_have_text("No code was entered, so nothing has changed.")

    withdraw(tab, f"{AUTO_APPROVED + 1}")
    enter_code(tab, "aaaa-aaaa-aaaa")
    expect(tab.locator("#code-prompt-problem")).to_contain_text("This code is wrong")
    enter_code(tab, code)

    expect(tab.locator("#payment-state")).to_have_text("Waiting for approval.")
    (made,) = payments(site, player)
    site.run("payments", "reject", made["id"], "--reason=test")
    expect(tab.locator("#payment-state")).to_have_text("Rejected. The coins are back on your balance.")
    expect(tab.locator("#balance")).to_have_text("100.00 coins")


@pytest.mark.thorough
def test_limits_and_breaks_refuse_deposits_only(cashier, site, player):
    expect(cashier.locator("#deposit-limits-set")).to_have_text("You have not limited your deposits.")
    site.send("PUT", "/limits", {"kind": "deposit", "period": "day", "value": 5}, player)
    cashier.reload()
    expect(cashier.locator("#deposit-limits-set")).to_contain_text("5.00 coins a day")
    deposit(cashier, "5.01")
    expect(cashier.locator("#deposit-problem")).to_contain_text(
        "This deposit would exceed your daily deposit limit. The limit starts anew on"
    )
    site.post("/limits/exclusion", {"duration": "24h"}, player)

    deposit(cashier, "5")
    expect(cashier.locator("#deposit-problem")).to_contain_text("You are taking a break until")

    withdraw(cashier, "5")
    expect(cashier.locator("#payment-name")).to_have_text("Withdrawal of 5.00 coins")


@pytest.mark.thorough
def test_a_request_whose_answer_was_lost_is_made_once(cashier, site, player):
    keys = []

    def lose_the_answer(route):
        keys.append(route.request.headers["idempotency-key"])
        route.fetch()
        route.abort()

    cashier.route("**/payments/withdrawals", lose_the_answer)
    withdraw(cashier, "30")
    expect(cashier.locator("#withdrawal-problem")).to_contain_text("There is no connection to the server.")
    cashier.unroute_all()
    # A browser may have unloaded the page meanwhile.
    cashier.reload()
    open_cashier(cashier)

    with cashier.expect_request("**/payments/withdrawals") as again:
        withdraw(cashier, "30")

    expect(cashier.locator("#payment-name")).to_have_text("Withdrawal of 30.00 coins")
    assert [again.value.headers["idempotency-key"]] == keys
    assert len(payments(site, player)) == 1
    # The next one is another withdrawal.
    withdraw(cashier, "30")
    expect(lines_of(cashier, "payments")).to_have_count(2)


@pytest.mark.thorough
def test_the_history_has_pages_a_filter_and_what_other_tabs_do(cashier, site, player):
    for amount in range(1, 12):
        site.post("/payments/deposits", {"method": "demo", "amount": amount}, player)
    lines = lines_of(cashier, "payments")
    expect(lines).to_have_count(10)
    expect(lines.first).to_contain_text("11.00 coins")

    cashier.get_by_role("navigation", name="Pages of deposits").get_by_role("button", name="Next").click()
    expect(lines).to_have_count(1)
    expect(lines).to_contain_text("1.00 coins")
    cashier.select_option("#payments-filter", label="all withdrawals")
    expect(lines).to_have_count(0)
    expect(cashier.locator("#payments-note")).to_contain_text("no deposits or withdrawals here yet")


@pytest.mark.thorough
def test_the_sweepstake_balance_of_a_deposit_is_calculated(cashier, site):
    value = site.get("/sweepstake/calc-deposit?amount=12.5").json()["value"]

    cashier.get_by_label("Deposit in coins").fill("12.5")
    cashier.keyboard.press("Enter")

    expect(cashier.locator("#sweepstake-said")).to_contain_text(f"gives {value:.2f} of sweepstake balance")


@pytest.mark.thorough
def test_without_a_provider_deposits_and_withdrawals_are_not_available(tab, production):
    player = production.new_player()
    tab.goto(f"{production.url}/account/cashier")
    expect(tab.locator("#guest-note")).to_have_text("Sign in to deposit and withdraw.")
    login = tab.locator("#browse").get_by_role("link", name="Sign in with the game platform")
    expect(login).to_have_attribute("href", re.compile("/auth/platform"))
    tab.goto(f"{production.url}/?token={player['token']}")
    tab.click("#offer-accept")
    open_cashier(tab)

    expect(tab.locator("#deposit-none")).to_have_text("Deposits are not available now.")
    expect(tab.locator("#withdrawal-none")).to_have_text("Withdrawals are not available now.")
    expect(tab.get_by_label("Amount in coins").locator("visible=true")).to_have_count(0)
    assert production.get("/demo-checkout/1").status_code == 404
