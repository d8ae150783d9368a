"""The pages of the account: overview, vault, profile, details, referrals, notifications and histories."""

import io
import json
import re
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import requests
from PIL import Image
from playwright.sync_api import expect

from tests.blueprints.site.accounts import TRADE_URL, account, expect_bets, open_page, picture_file, play
from tests.blueprints.site.conftest import go, hold, lines_of, submit
from tests.support.chromium import violations_as_shown

pytestmark = pytest.mark.browser

MONTH = timedelta(days=30)


# Overview and notifications


def test_the_overview_shows_level_net_position_and_a_new_notification(tab, site, player):
    site.run("notifications", "send", player["platformid"], "Hello", "A message for you.")
    play(site, player)
    site.count_as_lost(player, 250_00)

    open_page(tab, site, player, "")

    expect(tab.get_by_role("heading", name="Level 1", exact=True)).to_be_visible()
    progress = tab.get_by_role("progressbar")
    assert [progress.get_attribute(name) for name in ("value", "max")] == ["150", "300"]
    expect(tab.locator("#level-progress")).to_contain_text("Wager 150 coins more to reach level 2.")
    expect(tab.locator("#level-progress")).to_contain_text(
        "Level 10, after 9,750 coins, opens Level 10 Shoelace."
    )
    total = site.get("/limits/summary", player).json()["total"]
    sign = "+" if total["net"] > 0 else "\N{MINUS SIGN}"
    amounts = [f"{total['wagered']:,.2f}", f"{total['paid']:,.2f}", f"{sign}{abs(total['net']):,.2f}"]
    cells = tab.locator("#net-position tr", has_text="In all").locator("td")
    expect(cells).to_have_text([f"{amount} coins" for amount in amounts])
    expect(tab.locator(".account .unread")).to_have_text("1 unread")
    assert violations_as_shown(tab) == {}


def test_new_notifications_are_marked_until_they_were_shown_and_are_cleared(tab, site, player):
    site.run("notifications", "send", player["platformid"], "Hello", "A message for you.")
    open_page(tab, site, player, "")
    expect(tab.locator(".account .unread")).to_have_text("1 unread")
    tab.click("#player > button")
    tab.click("#account [href='/account/notifications']")
    line = lines_of(tab, "notifications")
    expect(line).to_contain_text("A message for you.")
    expect(line.locator(".unread")).to_have_text("new")
    expect(tab.locator(".account .unread")).to_have_count(0)
    go(tab, "Vault")
    go(tab, "Notifications")
    expect(line).to_be_visible()
    expect(line.locator(".unread")).to_have_count(0)

    tab.get_by_role("button", name="Clear all").click()

    expect(tab.locator("#notifications-said")).to_have_text("Your notifications are cleared.")
    expect(tab.locator("#notifications-note")).to_contain_text("There are none.")
    assert site.get("/profile/notifications", player).json() == []
    go(tab, "Vault")
    go(tab, "Notifications")
    expect(tab.locator("#notifications-said")).to_have_text("")


# Vault


def test_coins_are_locked_until_a_time_and_unlocked_when_it_has_come(tab, site, player):
    open_page(tab, site, player, "/vault")
    submit(tab, "Amount in coins", "much")
    expect(tab.locator("#lock-problem")).to_have_text(
        "The amount must be a number with at most two decimals."
    )
    until = (datetime.now().astimezone() + MONTH).replace(second=0, microsecond=0)
    tab.fill("#lock-until", until.strftime("%Y-%m-%dT%H:%M"))
    submit(tab, "Amount in coins", "25")
    tab.click("#lock-question-accept")
    expect(tab.locator("#vault")).to_have_text("25.00 coins")
    expect(tab.locator("#vault-until")).to_contain_text("Locked until")
    expect(tab.locator("#balance")).to_have_text("75.00 coins")
    expect(tab.get_by_role("button", name="Unlock")).to_have_count(0)
    assert account(site, player)["vaultDeadline"] == until.timestamp() * 1000

    site.write("UPDATE users SET vault_deadline_ms = 1 WHERE platform_id = ?", player["platformid"])
    tab.reload()
    tab.get_by_role("button", name="Unlock").click()

    expect(tab.locator("#vault-said")).to_have_text("Your coins are on your balance again.")
    expect(tab.locator("#balance")).to_have_text("100.00 coins")
    expect(tab.locator("#vault-until")).to_have_text("Nothing is locked.")


@pytest.mark.thorough
def test_more_coins_are_locked_until_the_time_of_those_in_the_vault(tab, site, player):
    deadline = int((time.time() + 40 * 86_400) * 1000) + 1
    site.post("/profile/vault/lock", {"amount": 1, "deadline": deadline}, player)
    open_page(tab, site, player, "/vault")
    submit(tab, "Amount in coins", "500")
    tab.click("#lock-question-accept")
    expect(tab.locator("#lock-problem")).to_have_text("You do not have as many coins on your balance.")
    expect(tab.locator("#lock-amount")).to_have_value("500")

    submit(tab, "Amount in coins", "2")
    tab.click("#lock-question-accept")

    expect(tab.locator("#vault")).to_have_text("3.00 coins")
    assert account(site, player)["vaultDeadline"] >= deadline


# Profile and details


def test_a_profile_is_changed_and_refused_changes_are_explained(tab, site, player):
    taken, name = site.new_player()["username"], f"renamed-{player['platformid'][-10:]}"
    open_page(tab, site, player, "/profile")
    submit(tab, "Username", taken)
    expect(tab.locator("#username-problem")).to_have_text("Username is already taken.")
    expect(tab.locator("#username-value")).to_have_value(taken)
    submit(tab, "Trade URL", "https://example.com/")
    expect(tab.locator("#tradeUrl-problem")).to_have_text("Invalid trade URL.")

    for label, setting, value in (
        ("Username", "username", name),
        ("Trade URL", "tradeUrl", TRADE_URL),
        ("Client seed", "clientSeed", "my-lucky-seed"),
    ):
        submit(tab, label, value)
        expect(tab.locator(f"#{setting}-said")).to_have_text(f"{label} saved.")

    now = account(site, player)
    assert (now["username"], now["tradeUrl"], now["clientSeed"]) == (name, TRADE_URL, "my-lucky-seed")
    expect(tab.locator("#username")).to_have_text(name)
    tab.set_input_files("#avatar", {"name": "a.png", "mimeType": "image/png", "buffer": b"no picture"})
    expect(tab.locator("#avatar-said")).to_contain_text("not a picture that your browser can read")
    expect(tab.locator("#clientSeed-said")).to_have_text("")  # Only the last action says what it did.


def is_red(picture, place):
    red, _green, blue = picture.getpixel(place)
    return red > blue


@pytest.mark.thorough
@pytest.mark.parametrize("moved_by", ["keys", "mouse"])
def test_the_square_of_a_new_picture_is_moved_and_zoomed(tab, site, player, moved_by):
    open_page(tab, site, player, "/profile")
    tab.set_input_files("#avatar", picture_file())
    square = tab.locator("#crop-square")
    if moved_by == "keys":
        square.focus()
        for _ in range(16):
            tab.keyboard.press("ArrowRight")
    else:
        box = square.bounding_box()
        tab.get_by_label("Zoom", exact=True).fill("2")  # 100 pixels of the picture, from 150 to 250
        tab.mouse.move(box["x"] + 20, box["y"] + 128)
        tab.mouse.down()
        tab.mouse.move(box["x"] + 200, box["y"] + 128, steps=4)  # 70 pixels to the left
        tab.mouse.up()

    tab.get_by_role("button", name="Use this picture").click()

    expect(tab.locator("#avatar-said")).to_have_text("Your picture is changed.")
    address = account(site, player)["avatar"]
    expect(tab.locator(".account img")).to_have_attribute("src", address)
    with Image.open(io.BytesIO(requests.get(address, timeout=30).content)) as stored:
        assert stored.size == (256, 256)
        picture = stored.convert("RGB")
    corners = [is_red(picture, place) for place in ((10, 128), (245, 128))]
    assert corners == [moved_by == "mouse"] * 2


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


def test_everything_that_is_known_of_the_player_is_downloaded(tab, site, player):
    open_page(tab, site, player, "/details")
    tab.get_by_label("City").fill("Springfield")
    submit(tab, "Phone optional", "+12025550123")
    expect(tab.locator("#details-said")).to_have_text("Your details are stored.")

    with tab.expect_download() as download:
        tab.get_by_role("button", name="Download my data").click()

    expect(tab.locator("#export-said")).to_contain_text("Your file is saved")
    expect(tab.locator("#export-progress")).to_have_text("")
    assert re.fullmatch(r"my-data-[0-9-]{10}\.json", download.value.suggested_filename)
    file = json.loads(Path(download.value.path()).read_text())
    assert file["player"]["platformid"] == player["platformid"]
    assert file["details"][0]["city"] == "Springfield"
    assert violations_as_shown(tab) == {}


# Referrals


def test_a_promo_code_is_chosen_and_its_earnings_are_claimed_once(tab, site, player):
    open_page(tab, site, player, "/referrals")
    submit(tab, "Choose your own code", "a b")
    expect(tab.locator("#own-problem")).to_have_text("Promo code must only include letters and numbers.")
    code = f"OWN{player['platformid'][-20:]}"
    submit(tab, "Choose your own code", code.lower())
    expect(tab.locator("#own-set")).to_have_text(code)
    expect(tab.get_by_label("Choose your own code")).to_have_count(0)

    referred = site.new_player()
    site.post("/affiliate/use-code", {"code": code}, referred)
    site.run("payments", "record", referred["platformid"], "deposit", "100.2", "--txhash", code)
    site.count_as_lost(referred, 2_000_00)
    tab.reload()
    line = lines_of(tab, "referred")
    expect(line).to_contain_text(referred["username"])
    expect(line).to_contain_text("you earned +8.00 coins")
    hold(tab, "**/affiliate/claim", tab.get_by_role("button", name="Claim").dblclick).continue_()

    expect(tab.locator("#claim-said")).to_have_text("You claimed 8.00 coins.")
    expect(tab.locator("#balance")).to_have_text("108.00 coins")


# Histories


def test_bets_are_filtered_ordered_and_found_in_an_address_that_can_be_shared(tab, site, player):
    lost, won, opened = play(site, player)
    open_page(tab, site, player, "/bets")
    expect_bets(tab, opened, won, lost)
    line = tab.locator(f"[data-bet='{opened}']")
    expect(line).to_contain_text("Crown")
    expect(line.get_by_role("link", name="Share")).to_have_attribute("href", f"/b/{opened}")
    expect(tab.locator("#bet-history").get_by_role("link", name="Verify")).to_have_count(3)

    tab.select_option("#bet-history-filter", "upgrader")
    tab.select_option("#bet-history-order", "lowest payout first")
    expect_bets(tab, lost, won)
    tab.reload()
    expect_bets(tab, lost, won)
    expect(tab.locator("#bet-history-filter")).to_have_value("game=upgrader")
    tab.go_back()
    expect_bets(tab, won, lost)
    seed = site.get("/stats/fairness", player).json()["data"]["items"][-1]["pf"]["serverSeed"]
    tab.fill("#bet-history-search", seed[8:40])
    expect_bets(tab, lost)


def test_payments_are_filtered_and_searched(tab, site, player):
    for kind, usd, hash_ in (("deposit", "30", "aa" * 32), ("withdraw", "5", "bb" * 32)):
        transfer = ("--chain", "ethereum", "--asset", "ETH", "--txhash", player["platformid"] + hash_)
        site.run("payments", "record", player["platformid"], kind, usd, *transfer)
    open_page(tab, site, player, "/payments")
    lines = lines_of(tab, "payment-history")
    expect(lines).to_have_count(2)

    tab.select_option("#payment-history-filter", "withdrawals")
    expect(lines).to_have_count(1)
    expect(lines).to_contain_text("5.00 coins")
    tab.select_option("#payment-history-filter", "all")
    expect(lines).to_have_count(2)
    tab.fill("#payment-history-search", "aaaa")

    expect(lines).to_have_count(1)
    expect(lines).to_contain_text("30.00 coins")
    tab.fill("#payment-history-search", "cccc")
    expect(tab.locator("#payment-history-note")).to_have_text("Nothing matches your search.")
