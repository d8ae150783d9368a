"""/b/:id and /b/:id.png: the page of a bet that a player shares, and its picture."""

import json
import re
from html import unescape
from io import BytesIO

import pytest
from PIL import Image

from models.db.connection import writing
from models.users import User
from tests.harness.players import import_prices
from tests.harness.spins import Clock, at
from tests.support.openings import Openings, chest
from tests.support.table import Table

pytestmark = pytest.mark.settings(UPGRADER_PROOF_DELAY="6", BASE_URL="https://play.example.com")

NOW = at("2026-03-18 12:00")
PROOF_DELAY_MS = 6_000
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
def clock():
    return Clock(NOW)


@pytest.fixture
def spin(app, player, clock):
    """A spin that has won 10 coins with 2."""
    bet = Table(app).spin(player, wager=2, wins=True)
    clock.advance(ms=PROOF_DELAY_MS)
    return bet


@pytest.fixture
def open_case(app, player, clock):
    """Opens a case with this content; returns the bet, whose proof is due."""

    def open_one(content, **options):
        bet = Openings(app).bet(player, content, **options)
        clock.advance(ms=PROOF_DELAY_MS)
        return bet

    return open_one


@pytest.fixture
def page(client):
    """The HTML of a bet's page."""

    def get(bet):
        answer = client.get(f"/b/{bet.id}", headers=BROWSER)
        assert (answer.status_code, answer.mimetype) == (200, "text/html"), answer.text
        return answer.text

    return get


def meta(html):
    """The tags for messengers, by their names."""
    tags = re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)">', html)
    return {name: unescape(content) for name, content in tags}


def claims(html):
    """What the page tells its module."""
    return json.loads(unescape(re.search(r'data-shown="([^"]*)"', html)[1]))


def text(html):
    """The text of the page's body."""
    body = html[html.index("<body>") :]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def test_anybody_sees_a_finished_spin(page, spin, app):
    shown = text(page(spin))

    seed = app.extensions["services"].seeds.of_bet(spin)
    for part in (
        *("alice upgraded 2.00 coins", "Item of 10", "Won x5.00", "Wager 2.00", "Payout 10.00"),
        *("Multiplier \u00d75.00", "Chance 19 %", f"Roll {spin.roll}, wins below 1900000", "Nonce 1"),
        *(spin.server_seed_commitment, seed, spin.client_seed, "18 March 2026, 12:00 UTC"),
    ):
        assert part in shown, part
    assert f'href="/bets/{spin.id}/tlog-proof"' in page(spin)


@pytest.mark.parametrize("game", ["case", "irl"])
def test_anybody_sees_a_finished_opening(page, open_case, game):
    content = chest("chest", price=5, items=(("Dust", 1, "66.6"), ("Crown", "40.5", "33.4")))
    bet = open_case(content, game=game, wins="Dust")

    html = page(bet)

    for part in (
        *("alice opened chest", "Dust", "Won 1.00 coins, x0.20", "Chance 66.6 %", str(bet.ticket)),
        f"(algorithm {game}-1)",
    ):
        assert part in text(html), part
    assert f'href="/snapshots/{content.hash}"' in html
    assert claims(html)["snapshot"] == content.hash


def test_messengers_get_absolute_urls_and_the_size_of_the_picture(page, spin):
    tags = meta(page(spin))

    assert tags["og:url"] == f"https://play.example.com/b/{spin.id}"
    address = rf"https://play\.example\.com/b/{spin.id}-[0-9a-f]{{32}}\.png"
    assert re.fullmatch(address, tags["og:image"])
    assert tags["twitter:image"] == tags["og:image"]
    assert (tags["og:image:width"], tags["og:image:height"]) == ("1200", "630")
    assert tags["og:title"] == tags["twitter:title"] == "alice won Item of 10"
    assert tags["twitter:card"] == "summary_large_image"
    for name in ("og:description", "twitter:description", "og:image:alt", "twitter:image:alt"):
        assert "chance 19 %" in tags[name], name


def test_the_heading_says_whether_the_item_was_won(page, spin, app, player, clock):
    lost = Table(app).spin(player, wager=2, wins=False)
    clock.advance(ms=PROOF_DELAY_MS)

    assert '<h1 id="title">alice won Item of 10</h1>' in page(spin)
    assert '<h1 id="title">alice did not win Item of 10</h1>' in page(lost)
    assert "alice wagered 2.00 coins" in page(lost)


def test_a_name_is_text_in_the_page(page, open_case):
    name = """Gun | "><script>alert('1')</script> & more"""
    bet = open_case(chest(items=[(name, 1, 100)]), wins=name)

    html = page(bet)

    assert "<script>alert" not in html
    assert claims(html)["item"] == name
    assert meta(html)["og:title"] == f"alice won {name}"


def test_a_bet_is_hidden_until_its_proof_is_due(client, app, player, clock):
    bet = Table(app).spin(player)
    clock.advance(ms=PROOF_DELAY_MS - 1)

    early = client.get(f"/b/{bet.id}", headers=BROWSER)
    unknown = client.get("/b/999", headers=BROWSER)

    assert (early.status_code, unknown.status_code) == (404, 404)
    assert "This bet is not over yet" in text(early.text)
    assert "There is no such bet" in text(unknown.text)
    assert bet.item not in early.text
    for path in (
        f"/b/{bet.id}",
        f"/b/{bet.id}.png",
        "/b/999",
        "/b/999.png",
        "/b/999-0.png",
        "/b/x",
        "/b/x.png",
    ):
        answer = client.get(path)
        assert (answer.status_code, answer.json) == (404, {"error": "Bet not found"}), path


@pytest.fixture
def picture(client):
    """Gets the picture of a bet, at the address that its short one leads to."""

    def picture(bet):
        found = client.get(f"/b/{bet.id}.png")
        assert (found.status_code, found.headers["Cache-Control"]) == (302, "no-store")
        return client.get(found.location)

    return picture


def test_the_address_of_the_picture_changes_with_the_username(client, page, picture, player, spin):
    before = meta(page(spin))["og:image"]
    path = before.removeprefix("https://play.example.com")
    with writing():
        User.update(username="renamed").where(User.id == player.id).execute()

    old, now = client.get(path), meta(page(spin))["og:image"]

    assert now != before
    assert old.headers["Cache-Control"] == "no-store"
    assert picture(spin).headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_the_picture_has_the_size_of_the_tags_and_never_changes(picture, spin, open_case):
    opening = open_case(chest())

    for bet in (spin, opening):
        answer = picture(bet)

        assert (answer.status_code, answer.mimetype) == (200, "image/png")
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        with Image.open(BytesIO(answer.data)) as drawn:
            assert (drawn.format, drawn.size) == ("PNG", (1200, 630))


def test_the_picture_shows_the_item_where_the_server_has_its_file(picture, app, spin):
    directory = app.extensions["services"].settings.instance_dir / "media" / "items"
    directory.mkdir(parents=True)
    Image.new("RGB", (360, 360), "#ff0000").save(directory / "red.webp")

    def colour_of_item(image):
        import_prices({spin.item: 10}, image=image)
        with Image.open(BytesIO(picture(spin).data)) as drawn:
            return drawn.getpixel((240, 240))

    red, *others = [
        colour_of_item(image)
        for image in (
            "/media/items/red.webp",
            "https://images.example.com/red.webp",
            "/media/items/none.webp",
        )
    ]
    assert red[0] > 200
    assert max(red[1:]) < 60
    # The neutral picture. None is fetched from another host.
    assert others[0] == others[1] != red
