"""flask seed and flask demo: something to try the platform with."""

import pytest

from models.database import reading, writing
from models.items import Item
from services.demo_items import DEMO_ITEMS


@pytest.fixture(scope="module")
def instance_dir(tmp_path_factory):
    """One for all of these tests: drawing the pictures takes seconds, and once is enough."""
    return tmp_path_factory.mktemp("instance")


@pytest.fixture
def app(make_app, instance_dir):
    return make_app(INSTANCE_DIR=str(instance_dir))


@pytest.fixture
def stored(app):  # the app has opened the database
    """Gives everything that is stored of the items."""

    def rows():
        with reading():
            return list(Item.select().order_by(Item.id).dicts())

    return rows


def test_seeding_brings_every_demo_item(run, client):
    assert run("seed") == {"items": len(DEMO_ITEMS)}
    assert len(client.get("/upgrader/items").json) == len(DEMO_ITEMS)


def test_seeding_again_changes_nothing(run, stored):
    run("seed")
    before = stored()

    assert run("seed") == {"items": 0}
    assert stored() == before


def test_seeding_again_leaves_what_an_operator_has_changed(run, stored):
    run("seed")
    with writing():
        Item.update(price_cents=1, image="").where(Item.id == stored()[0]["id"]).execute()
    before = stored()

    run("seed")

    assert stored() == before


def test_seeding_again_brings_back_what_is_missing(run, stored):
    run("seed")
    with writing():
        Item.delete().where(Item.id == stored()[0]["id"]).execute()

    assert run("seed") == {"items": 1}
    assert len(stored()) == len(DEMO_ITEMS)


def test_every_demo_item_has_a_picture_that_is_served(run, client):
    run("seed")
    pictures = {item["image"] for item in client.get("/upgrader/items").json}

    answers = [client.get(picture, buffered=True) for picture in pictures]

    assert len(pictures) == len(DEMO_ITEMS)
    assert {(answer.status_code, answer.content_type) for answer in answers} == {(200, "image/webp")}


def test_seeding_again_draws_a_picture_that_is_missing(run, instance_dir):
    run("seed")
    picture = min((instance_dir / "media" / "items").glob("*.webp"))
    drawn = picture.read_bytes()
    picture.unlink()

    run("seed")

    assert picture.read_bytes() == drawn


def test_the_demo_catalogue_is_of_both_games(run, client):
    run("seed")

    assert {item["appid"] for item in client.get("/upgrader/items").json} == {730, 252490}


def test_the_demo_page_is_signed_in_as_a_player_with_coins(run, client):
    line = run("demo")

    address, token = line["page"].split("?token=")
    me = client.get("/auth/me", headers={"Authorization": f"Bearer {token}"}).json
    assert address == "http://127.0.0.1:5000/"
    assert (me["username"], me["balance"]) == (line["username"], 1000)


def test_the_demo_player_is_made_once(run):
    first, second = run("demo"), run("demo")

    assert first["username"] == second["username"]
    assert run("ledger", "audit") == {"users": 1, "transactions": 1, "entries": 2, "mismatches": 0}
