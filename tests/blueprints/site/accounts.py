"""Pages of the account, and players who have something to show on them."""

import io
import time

from PIL import Image
from playwright.sync_api import expect

from services.accounts import users
from tests.blueprints.site.conftest import refer
from tests.harness.spins import play_spin
from tests.support.client_seeds import client_seed_that
from tests.support.openings import Openings, chest, win_prize

RED, BLUE = (255, 0, 0), (0, 0, 255)
TRADE_URL = "https://steamcommunity.com/tradeoffer/new/?partner=12345&token=aB3_x-9z"
LEVEL_25_CENTS = 6_250_000
"""Players of level 25 create cases."""


def open_page(tab, site, player, path):
    """Opens a page of the account by its address, as after a reload."""
    tab.goto(f"{site.url}/account{path}?token={player['token']}")
    expect(tab.locator("#username")).to_have_text(player["username"])
    return tab


def account(site, player):
    return site.get("/auth/me", player).json()


def play(site, player):
    """Three bets: a lost and a won spin, and an opening; their ids."""
    items = site.get("/upgrader/items/pagination?sort=Ascending&limit=100").json()["items"]
    item = next(each for each in items if float(each["price"][1:]) >= 2)
    price = float(item["price"][1:])
    with site.app() as app:
        owner = users.get(platform_id=player["platformid"])
        ids = []
        for wins in (False, True):
            seed = client_seed_that(wins, app=app, player=owner, wager=1, price=price)
            played = play_spin(app, owner, item["marketHashName"], client_seed=seed)
            ids.append(played.bet.id)
        ids.append(Openings(app).bet(owner, chest("story-chest"), wins="Crown").id)
    return ids


def expect_bets(tab, *ids):
    """The list shows these bets in this order."""
    lines = tab.locator("#bet-history li")
    expect(lines).to_have_count(len(ids))
    for place, id_ in enumerate(ids):
        expect(lines.nth(place)).to_have_attribute("data-bet", str(id_))


def picture_file(size=(400, 200)):
    """A picture whose left half is red and whose right half is blue."""
    picture = Image.new("RGB", size, RED)
    picture.paste(BLUE, (size[0] // 2, 0, *size))
    content = io.BytesIO()
    picture.save(content, "PNG")
    return {"name": "picture.png", "mimeType": "image/png", "buffer": content.getvalue()}


def fill_account(site, player):
    """Gives a player something on every page of the account."""
    play(site, player)
    with site.app() as app:
        win_prize(app, users.get(platform_id=player["platformid"]))
    refer(site, site.new_player(), player)
    site.count_as_lost(player, LEVEL_25_CENTS)
    site.run("payments", "record", player["platformid"], "deposit", "30", "--txhash", player["platformid"])
    site.run("notifications", "send", player["platformid"], "Hello", "A message for you.")
    site.send("PUT", "/limits", {"kind": "wager", "period": "day", "value": 50}, player)
    site.post("/profile/vault/lock", {"amount": 1, "deadline": int(time.time() * 1000) + 86_400_000}, player)
