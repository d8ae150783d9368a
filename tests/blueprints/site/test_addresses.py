"""The address book in the cashier, and the offer to withdraw everything at the beginning of a break."""

import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.accounts import open_page
from tests.blueprints.site.conftest import enter_code, lines_of, serve_site, turn_on_two_factor
from tests.blueprints.site.test_cashier import payments

pytestmark = pytest.mark.browser

DAY_MS = 86_400_000
WALLET = "bc1qexampleaddressofthewallet"


@pytest.fixture(scope="module")
def careful(tmp_path_factory, sqlite_files, warm_start):
    """A server on which new addresses wait for a day."""
    directory = tmp_path_factory.mktemp("careful")
    with (
        sqlite_files.fresh(directory) as database_url,
        serve_site(warm_start, directory, database_url, ADDRESS_HOURS="24") as site,
    ):
        yield site


@pytest.fixture
def owner(careful):
    return careful.new_player()


def add(tab, name, address=WALLET):
    """Adds an address in the cashier, by keyboard."""
    details = tab.locator("#new-address")
    if details.get_attribute("open") is None:
        details.locator("summary").press("Enter")
    tab.fill("#address-name", name)
    tab.fill("#address-address", address)
    tab.keyboard.press("Enter")


def book(site, player):
    return site.get("/payments/addresses", player).json()["addresses"]


def make_old(site, player):
    """Lets the player's addresses have waited."""
    of_player = "user_id = (SELECT id FROM users WHERE platform_id = ?)"
    change = f"UPDATE withdrawal_addresses SET created_at_ms = created_at_ms - ? WHERE {of_player}"  # noqa: S608
    site.write(change, DAY_MS, player["platformid"])


def post_address(site, player, name="My wallet", address=WALLET):
    return site.post("/payments/addresses", {"method": "demo", "name": name, "address": address}, player)


def test_the_largest_amount_is_filled_in_with_a_click(tab, site, player):
    cashier = open_page(tab, site, player, "/cashier")
    expect(cashier.locator("#balance")).to_have_text("100.00 coins")

    cashier.get_by_role("button", name="Max amount").click()

    expect(cashier.locator("#withdrawal-amount")).to_have_value("100.00")


def test_a_withdrawal_goes_to_an_address_that_has_waited(tab, careful, owner):
    cashier = open_page(tab, careful, owner, "/cashier")
    expect(cashier.locator("#withdrawal-waits")).to_contain_text("at least 24 hours before")
    cashier.fill("#withdrawal-amount", "10")
    cashier.keyboard.press("Enter")
    expect(cashier.locator("#withdrawal-problem")).to_have_text("Please add an address first.")
    cashier.get_by_role("button", name="Add an address").click()
    expect(cashier.locator("#address-name")).to_be_focused()
    add(cashier, "My wallet")
    expect(cashier.locator("#address-said")).to_contain_text("“My wallet” can be used from")
    expect(lines_of(cashier, "addresses")).to_contain_text(["My wallet (Demonstration)"])
    expect(cashier.locator("#withdrawal-to option")).to_have_text(re.compile("^My wallet: from "))
    expect(cashier.locator("#withdrawal-to option")).to_be_disabled()

    make_old(careful, owner)
    cashier.reload()
    expect(lines_of(cashier, "addresses")).to_contain_text("Can be used.")
    cashier.fill("#withdrawal-amount", "10")
    cashier.keyboard.press("Enter")
    summary = cashier.get_by_role("dialog", name="Withdraw this amount to this address?")
    expect(summary.locator("dd")).to_have_text(["10.00 coins", "Demonstration", WALLET])
    summary.get_by_role("button", name="Withdraw").click()

    expect(cashier.locator("#payment-name")).to_have_text("Withdrawal of 10.00 coins")
    assert [each["to"] for each in payments(careful, owner)] == [WALLET]


@pytest.mark.thorough
def test_an_address_is_deleted_after_a_question(tab, careful, owner):
    post_address(careful, owner)
    cashier = open_page(tab, careful, owner, "/cashier")
    lines_of(cashier, "addresses").get_by_role("button", name="Delete My wallet").click()
    cashier.keyboard.press("Enter")
    expect(cashier.locator("#address-question")).to_have_count(0)
    assert len(book(careful, owner)) == 1

    lines_of(cashier, "addresses").get_by_role("button", name="Delete My wallet").click()
    cashier.get_by_role("dialog", name="Delete “My wallet”?").get_by_role("button", name="Delete").click()

    expect(cashier.locator("#address-deleted")).to_have_text("“My wallet” is deleted.")
    expect(lines_of(cashier, "addresses")).to_have_count(0)
    assert book(careful, owner) == []


@pytest.mark.thorough
def test_a_new_address_needs_a_code_and_says_what_is_wrong(tab, careful, owner):
    code = turn_on_two_factor(careful, owner)
    cashier = open_page(tab, careful, owner, "/cashier")
    add(cashier, " ")
    expect(cashier.locator("#address-problem")).to_have_text("Please enter a name.")
    expect(cashier.locator("#address-name")).to_be_focused()
    add(cashier, "My wallet")
    enter_code(cashier, code)
    expect(cashier.locator("#address-said")).to_contain_text("“My wallet” can be used from")

    add(cashier, "The same")

    expect(cashier.locator("#address-problem")).to_have_text("You have added this address already.")
    expect(cashier.locator("#address-address")).to_be_focused()


@pytest.mark.thorough
def test_other_pages_say_that_an_address_was_added(tab, careful, owner):
    page = open_page(tab, careful, owner, "/vault")

    post_address(careful, owner, name="Not mine")

    expect(page.locator("#notice")).to_contain_text(
        "The address “Not mine” was added to withdraw to. Was it you?"
    )


@pytest.mark.thorough
def test_without_a_delay_any_other_address_can_be_typed(tab, site, player):
    post_address(site, player)
    cashier = open_page(tab, site, player, "/cashier")
    expect(cashier.locator("#withdrawal-to")).to_have_value(WALLET)
    cashier.fill("#withdrawal-amount", "10")
    cashier.select_option("#withdrawal-to", label="Another address")
    cashier.locator("#withdrawal-other").press("Enter")
    expect(cashier.locator("#withdrawal-problem")).to_have_text("Please enter an address.")
    expect(cashier.locator("#withdrawal-other")).to_be_focused()

    cashier.fill("#withdrawal-other", "elsewhere")
    cashier.keyboard.press("Enter")
    cashier.locator("#agreement").get_by_role("button", name="Withdraw").click()

    expect(cashier.locator("#payment-name")).to_have_text("Withdrawal of 10.00 coins")
    expect(cashier.locator("#withdrawal-to")).to_have_value(WALLET)
    expect(cashier.locator("#withdrawal-other")).to_have_count(0)
    assert [each["to"] for each in payments(site, player)] == ["elsewhere"]


def begin_break(tab, *, permanent=False):
    if not permanent:
        tab.get_by_role("button", name="Take a break").click()
        tab.get_by_role("button", name="Take the break").click()
        return
    tab.select_option("#break-duration", "permanent")
    tab.get_by_role("button", name="Take a break").click()
    tab.get_by_label("I understand").check()
    tab.get_by_role("button", name="Exclude me permanently").click()


@pytest.mark.regulation("2.5.5 Exclusions")
def test_an_exclusion_offers_to_withdraw_everything_with_the_vault(tab, careful, owner):
    post_address(careful, owner)
    make_old(careful, owner)
    until = book(careful, owner)[0]["createdAt"] + 30 * DAY_MS
    careful.post("/profile/vault/lock", {"amount": 30, "deadline": until}, owner)
    code = turn_on_two_factor(careful, owner)
    page = open_page(tab, careful, owner, "/limits")
    begin_break(page, permanent=True)
    offer = page.get_by_role("dialog", name="Withdraw all of your coins?")
    expect(offer).to_contain_text("You can withdraw 100.00 coins now, with those of your vault.")
    expect(offer.locator("#withdraw-all-target option")).to_have_text("My wallet: bc1qexam…hewallet")
    expect(page.locator("#break-now")).to_have_text("You have excluded yourself permanently.")

    offer.get_by_role("button", name="Withdraw 100.00 coins").click()
    enter_code(page, code)

    expect(page.locator("#break-said")).to_have_text(
        "You have excluded yourself permanently. Your withdrawal of 100.00 coins is requested."
    )
    assert [(each["amount"], each["to"]) for each in payments(careful, owner)] == [(100, WALLET)]


@pytest.mark.thorough
def test_an_offer_that_is_declined_withdraws_nothing(tab, site, player):
    page = open_page(tab, site, player, "/limits")
    begin_break(page)
    offer = page.get_by_role("dialog", name="Withdraw all of your coins?")
    offer.get_by_role("button", name="Withdraw 100.00 coins").click()
    expect(page.locator("#withdraw-all-problem")).to_have_text("Please enter an address.")

    offer.get_by_role("button", name="Cancel").click()

    expect(page.locator("#break-said")).to_contain_text("You can withdraw it later in the cashier.")
    assert payments(site, player) == []


@pytest.mark.thorough
def test_an_offer_without_an_address_that_has_waited_leads_to_the_cashier(tab, careful, owner):
    post_address(careful, owner)
    page = open_page(tab, careful, owner, "/limits")
    begin_break(page)
    offer = page.get_by_role("dialog", name="Withdraw your coins?")
    expect(offer).to_contain_text("Your address “My wallet” can be used from")

    offer.get_by_role("button", name="Open the cashier").click()

    expect(page.locator("#page-title")).to_have_text("Cashier")
    expect(lines_of(page, "addresses")).to_contain_text("My wallet")


@pytest.mark.thorough
def test_less_than_the_smallest_withdrawal_is_only_told(tab, site):
    poor = site.new_player(coins=0.5)
    page = open_page(tab, site, poor, "/limits")

    begin_break(page)

    expect(page.locator("#break-said")).to_contain_text("That is less than the smallest withdrawal.")
