"""The pages of the account on the built-in page: vault, profile, referrals, notifications and histories."""

import io
import time
from datetime import datetime, timedelta

import pytest
import requests
from PIL import Image
from playwright.sync_api import expect

from tests.blueprints.site.accounts import TRADE_URL, account, expect_bets, open_page, picture_file, play
from tests.blueprints.site.conftest import go, refer, sign_in, tab_to

pytestmark = pytest.mark.browser


def submit(tab, label, text):
    """Types into the field with this label, and presses Enter."""
    tab.get_by_label(label, exact=True).fill(text)
    tab.keyboard.press("Enter")


def stored_picture(site, player):
    """The corners of the picture that the player has now."""
    content = requests.get(account(site, player)["avatar"], timeout=30).content
    with Image.open(io.BytesIO(content)) as image:
        assert image.size == (256, 256)
        return [is_red(image.convert("RGB").getpixel(place)) for place in ((10, 128), (245, 128))]


def is_red(colour):
    return colour[0] > colour[2]


# Vault


def test_coins_are_locked_until_a_time_by_keyboard_alone(tab, site, player):
    open_page(tab, site, player, "/vault")
    until = (datetime.now().astimezone() + timedelta(days=30)).replace(second=0, microsecond=0)
    tab.fill("#lock-until", until.strftime("%Y-%m-%dT%H:%M"))
    tab_to(tab, "#lock-amount", "Shift+Tab")
    tab.keyboard.type("25")

    tab.keyboard.press("Enter")
    tab_to(tab, "#lock-question-accept")
    tab.keyboard.press("Enter")

    expect(tab.locator("#vault")).to_have_text("25.00 coins")
    expect(tab.locator("#vault-until")).to_contain_text("Locked until")
    expect(tab.locator("#balance")).to_have_text("75.00 coins")
    expect(tab.locator("#lock-amount")).to_have_value("")
    expect(tab.get_by_role("button", name="Unlock")).to_have_count(0)
    assert account(site, player)["vaultDeadline"] == until.timestamp() * 1000


def test_a_refused_lock_says_why_and_keeps_what_was_typed(tab, site, player):
    open_page(tab, site, player, "/vault")
    for amount, problem in (
        ("much", "The amount must be a number with at most two decimals."),
        ("500", "You do not have as many coins on your balance."),
    ):
        submit(tab, "Amount in coins", amount)
        if amount == "500":
            tab.click("#lock-question-accept")

        expect(tab.locator("#lock-problem")).to_have_text(problem)
        expect(tab.locator("#lock-amount")).to_have_value(amount)


def test_the_vault_is_unlocked_as_soon_as_its_time_has_come(tab, site, player):
    site.post("/profile/vault/lock", {"amount": 40, "deadline": int(time.time() * 1000) + 4_000}, player)
    open_page(tab, site, player, "/vault")
    expect(tab.locator("#balance")).to_have_text("60.00 coins")

    tab.get_by_role("button", name="Unlock").click()

    expect(tab.locator("#vault-said")).to_have_text("Your coins are on your balance again.")
    expect(tab.locator("#balance")).to_have_text("100.00 coins")
    expect(tab.locator("#vault-until")).to_have_text("Nothing is locked.")


def test_more_coins_are_locked_until_the_time_of_those_in_the_vault(tab, site, player):
    deadline = int((time.time() + 40 * 86_400) * 1000) + 1
    site.post("/profile/vault/lock", {"amount": 1, "deadline": deadline}, player)
    open_page(tab, site, player, "/vault")

    submit(tab, "Amount in coins", "2")
    tab.click("#lock-question-accept")

    expect(tab.locator("#vault")).to_have_text("3.00 coins")
    assert account(site, player)["vaultDeadline"] >= deadline


# Profile


def test_a_new_username_is_shown_at_once(tab, site, player):
    open_page(tab, site, player, "/profile")
    name = f"renamed-{player['platformid'][-10:]}"

    submit(tab, "Username", name)

    expect(tab.locator("#username-said")).to_have_text("Username saved.")
    expect(tab.locator("#username")).to_have_text(name)
    expect(tab.locator("#username-value")).to_have_value(name)


def test_a_username_of_somebody_else_is_refused(tab, site, player):
    taken = site.new_player()["username"]
    open_page(tab, site, player, "/profile")

    submit(tab, "Username", taken)

    expect(tab.locator("#username-problem")).to_have_text("Username is already taken.")
    expect(tab.locator("#username-value")).to_have_value(taken)
    expect(tab.locator("#username")).to_have_text(player["username"])


def test_a_trade_url_is_stored(tab, site, player):
    open_page(tab, site, player, "/profile")
    submit(tab, "Trade URL", "https://example.com/")
    expect(tab.locator("#tradeUrl-problem")).to_have_text("Invalid trade URL.")
    expect(tab.locator("#tradeUrl-value")).to_have_value("https://example.com/")

    submit(tab, "Trade URL", TRADE_URL)

    expect(tab.locator("#tradeUrl-said")).to_have_text("Trade URL saved.")
    assert account(site, player)["tradeUrl"] == TRADE_URL


def test_a_client_seed_is_stored(tab, site, player):
    open_page(tab, site, player, "/profile")

    submit(tab, "Client seed", "my-lucky-seed")

    expect(tab.locator("#clientSeed-said")).to_have_text("Client seed saved.")
    assert account(site, player)["clientSeed"] == "my-lucky-seed"


def test_the_square_of_a_new_picture_is_moved_with_the_keys(tab, site, player):
    open_page(tab, site, player, "/profile")
    tab.set_input_files("#avatar", picture_file())

    tab.locator("#crop-square").focus()
    for _ in range(16):
        tab.keyboard.press("ArrowRight")
    tab.get_by_role("button", name="Use this picture").click()

    expect(tab.locator("#avatar-said")).to_have_text("Your picture is changed.")
    assert stored_picture(site, player) == [False, False]
    expect(tab.locator(".account img")).to_have_attribute("src", account(site, player)["avatar"])


def test_the_square_of_a_new_picture_is_dragged_and_zoomed(tab, site, player):
    open_page(tab, site, player, "/profile")
    tab.set_input_files("#avatar", picture_file())
    square = tab.locator("#crop-square")
    box = square.bounding_box()

    tab.get_by_label("Zoom", exact=True).fill("2")  # 100 pixels of the picture, from 150 to 250
    tab.mouse.move(box["x"] + 20, box["y"] + 128)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 200, box["y"] + 128, steps=4)  # 70 pixels to the left
    tab.mouse.up()
    tab.get_by_role("button", name="Use this picture").click()

    expect(tab.locator("#avatar-said")).to_have_text("Your picture is changed.")
    assert stored_picture(site, player) == [True, True]


def test_only_the_last_action_says_what_it_did(tab, site, player):
    open_page(tab, site, player, "/profile")
    submit(tab, "Client seed", "my-lucky-seed")
    expect(tab.locator("#clientSeed-said")).to_have_text("Client seed saved.")

    tab.set_input_files("#avatar", {"name": "a.png", "mimeType": "image/png", "buffer": b"no picture"})

    expect(tab.locator("#avatar-said")).to_contain_text("not a picture")
    expect(tab.locator("#clientSeed-said")).to_have_text("")


def test_a_file_that_is_no_picture_is_refused(tab, site, player):
    open_page(tab, site, player, "/profile")

    tab.set_input_files("#avatar", {"name": "a.png", "mimeType": "image/png", "buffer": b"no picture"})

    expect(tab.locator("#avatar-said")).to_contain_text("not a picture that your browser can read")


# Details


def test_personal_details_are_stored(tab, site, player):
    open_page(tab, site, player, "/details")
    tab.get_by_label("City").fill("Springfield")
    submit(tab, "Phone optional", "12345")
    expect(tab.locator("#details-problem")).to_contain_text("must be + and 7 to 15 digits")
    expect(tab.get_by_label("City")).to_have_value("Springfield")

    submit(tab, "Phone optional", "+12025550123")

    expect(tab.locator("#details-said")).to_have_text("Your details are stored.")
    tab.reload()
    expect(tab.get_by_label("City")).to_have_value("Springfield")
    expect(tab.get_by_label("Phone")).to_have_value("+12025550123")


# Referrals


def test_an_own_promo_code_is_set_once(tab, site, player):
    open_page(tab, site, player, "/referrals")
    submit(tab, "Choose your own code", "a b")
    expect(tab.locator("#own-problem")).to_have_text("Promo code must only include letters and numbers.")

    code = f"OWN{player['platformid'][-20:]}"
    submit(tab, "Choose your own code", code.lower())

    expect(tab.locator("#own-set")).to_have_text(code.upper())
    expect(tab.get_by_label("Choose your own code")).to_have_count(0)


def test_players_who_use_the_code_are_listed(tab, site, player):
    referred = site.new_player()
    refer(site, referred, player)
    site.run("payments", "record", referred["platformid"], "deposit", "30", "--txhash", "ef" * 32)

    open_page(tab, site, player, "/referrals")

    line = tab.locator("#referred li")
    expect(line).to_contain_text(referred["username"])
    expect(line).to_contain_text("Deposited 30.00 coins")
    expect(line).to_contain_text("you earned +2.38 coins")


# Notifications


def test_new_notifications_are_marked_until_they_were_shown(tab, site, player):
    site.run("notifications", "send", player["platformid"], "Hello", "A message for you.")
    sign_in(tab, site, player, item=None)
    mark = tab.locator(".account .unread")
    expect(mark).to_have_text("1 unread")

    tab.click("#player > button")
    tab.locator("#account").get_by_role("link", name="Notifications").click()

    line = tab.locator("#notifications li")
    expect(line).to_contain_text("A message for you.")
    expect(line.locator(".unread")).to_have_text("new")
    expect(mark).to_have_count(0)
    go(tab, "Vault")
    go(tab, "Notifications")
    expect(line).to_be_visible()
    expect(line.locator(".unread")).to_have_count(0)


def test_notifications_are_cleared(tab, site, player):
    site.run("notifications", "send", player["platformid"], "Hello", "A message for you.")
    open_page(tab, site, player, "/notifications")

    tab.get_by_role("button", name="Clear all").click()

    expect(tab.locator("#notifications-note")).to_contain_text("There are none.")
    assert site.get("/profile/notifications", player).json() == []
    expect(tab.locator("#notifications-said")).to_have_text("Your notifications are cleared.")
    go(tab, "Vault")
    go(tab, "Notifications")
    expect(tab.locator("#notifications-said")).to_have_text("")


# Histories


@pytest.fixture
def bets(tab, site, player):
    """The page with three bets of the player."""
    tab.ids = play(site, player)
    return open_page(tab, site, player, "/bets")


def test_bets_are_filtered_and_ordered_in_an_address_that_can_be_shared(bets):
    lost, won, opened = bets.ids
    expect_bets(bets, opened, won, lost)

    bets.select_option("#bet-history-filter", "upgrader")
    expect_bets(bets, won, lost)
    bets.select_option("#bet-history-order", "lowest payout first")
    expect_bets(bets, lost, won)
    bets.reload()

    expect_bets(bets, lost, won)
    expect(bets.locator("#bet-history-filter")).to_have_value("game=upgrader")
    bets.go_back()
    expect_bets(bets, won, lost)


def test_a_bet_is_found_by_a_part_of_its_server_seed(bets, site, player):
    lost, *_ = bets.ids
    expect(bets.locator("#bet-history").get_by_role("link", name="Verify")).to_have_count(3)
    seed = site.get("/stats/fairness", player).json()["data"]["items"][-1]["pf"]["serverSeed"]

    bets.fill("#bet-history-search", seed[8:40])

    expect_bets(bets, lost)


def test_a_bet_of_the_history_is_verified_and_shared(bets):
    *_, opened = bets.ids
    line = bets.locator(f"[data-bet='{opened}']")
    expect(line).to_contain_text("Crown")
    expect(line.get_by_role("link", name="Share")).to_have_attribute("href", f"/b/{opened}")

    with bets.context.expect_page() as verifying:
        line.get_by_role("link", name="Verify").click()

    expect(verifying.value.locator("#digest")).not_to_be_empty()


def test_payments_are_filtered_and_searched(tab, site, player):
    for kind, usd, hash_ in (("deposit", "30", "aa" * 32), ("withdraw", "5", "bb" * 32)):
        transfer = ("--chain", "ethereum", "--asset", "ETH", "--txhash", player["platformid"] + hash_)
        site.run("payments", "record", player["platformid"], kind, usd, *transfer)
    open_page(tab, site, player, "/payments")
    lines = tab.locator("#payment-history li")
    expect(lines).to_have_count(2)

    tab.select_option("#payment-history-filter", "withdrawals")
    expect(lines).to_have_count(1)
    expect(lines).to_contain_text("5.00 coins")
    tab.select_option("#payment-history-filter", "all")
    tab.fill("#payment-history-search", "aaaa")

    expect(lines).to_have_count(1)
    expect(lines).to_contain_text("30.00 coins")
    tab.fill("#payment-history-search", "cccc")
    expect(tab.locator("#payment-history-note")).to_have_text("Nothing matches your search.")


# The overview, and the calculator of the cashier


def test_the_overview_shows_the_progress_to_the_next_level(tab, site, player):
    site.count_as_lost(player, 250_00)

    open_page(tab, site, player, "")

    expect(tab.get_by_role("heading", name="Level 1", exact=True)).to_be_visible()
    progress = tab.get_by_role("progressbar")
    assert [progress.get_attribute(name) for name in ("value", "max")] == ["150", "300"]
    expect(tab.locator("#level-progress")).to_contain_text("150 coins still to be wagered to level 2")
    expect(tab.locator("#unlocks")).to_contain_text("create your own cases")


def test_the_sweepstake_balance_of_a_deposit_is_calculated(tab, site, player):
    value = site.get("/sweepstake/calc-deposit?amount=12.5").json()["value"]
    open_page(tab, site, player, "/cashier")

    submit(tab, "Deposit in US dollars", "12.5")

    expect(tab.locator("#sweepstake-said")).to_contain_text(f"gives {value:.2f} of sweepstake balance")
    expect(tab.locator("#sweepstake-deposit")).to_have_value("12.5")


def test_a_guest_reads_what_to_sign_in_for(guest, site):
    guest.goto(f"{site.url}/account/vault")

    expect(guest.locator("#guest-note")).to_have_text("Sign in to see your vault.")
