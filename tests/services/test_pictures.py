import re
import statistics
import time
from collections import Counter
from io import BytesIO

import pytest
from PIL import Image

from services import item_names, pictures
from services.demo_items import DEMO_ITEMS

NAMES = [item.market_hash_name for item in DEMO_ITEMS]


def test_an_item_picture_is_a_small_square_webp():
    data = pictures.item_picture("AK-47 | Copper Tide (Field-Tested)")

    picture = Image.open(BytesIO(data))
    assert (picture.format, picture.size) == ("WEBP", (360, 360))
    assert len(data) < 12_000


@pytest.mark.parametrize(
    ("draw", "side"), [(pictures.neutral_item_picture, 360), (pictures.neutral_avatar, 256)]
)
def test_a_neutral_picture_is_a_square_webp_of_its_size(draw, side):
    picture = Image.open(BytesIO(draw()))

    assert (picture.format, picture.size) == ("WEBP", (side, side))


def test_the_same_name_is_always_drawn_the_same():
    assert pictures.item_picture("Lantern Garage Door") == pictures.item_picture("Lantern Garage Door")


def test_two_skins_of_one_weapon_look_different():
    assert pictures.item_picture("AK-47 | Copper Tide") != pictures.item_picture("AK-47 | Orchard Thief")


def test_a_thing_that_no_outline_is_known_for_is_drawn_too():
    picture = Image.open(BytesIO(pictures.item_picture("\N{SNOWMAN} of nothing known")))

    assert picture.size == (360, 360)


def test_every_demo_item_is_drawn_differently_small_and_quickly():
    seconds = []
    drawn = set()

    for name in NAMES:
        began = time.perf_counter()
        data = pictures.item_picture(name)
        seconds.append(time.perf_counter() - began)
        drawn.add(data)
        assert len(data) < 12_000, name

    assert len(drawn) == len(DEMO_ITEMS)
    # Generous, because a test machine has other things to do as well.
    assert statistics.median(seconds) < 0.2


def test_names_and_picture_files_of_demo_items_are_unique():
    assert len(set(NAMES)) == len({item.picture for item in DEMO_ITEMS}) == len(DEMO_ITEMS)


def test_picture_files_of_demo_items_are_plain_slugs():
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", item.picture) for item in DEMO_ITEMS)


def test_each_game_has_its_share_of_demo_items():
    assert Counter(item.app_id for item in DEMO_ITEMS) == {730: 48, 252490: 32}


def test_every_demo_weapon_of_the_first_game_has_a_weapon_a_skin_and_a_known_wear():
    for item in DEMO_ITEMS:
        if item.app_id == 730:
            name = item_names.parse(item.market_hash_name)
            assert name.gun_name, item
            assert name.skin_name, item
            assert name.wear in item_names.WEARS, item


def test_prices_of_demo_items_reach_from_cents_to_thousands():
    prices = [item.price_cents for item in DEMO_ITEMS]

    assert min(prices) == 3
    assert 2_000_00 <= max(prices) <= 2_500_00
    assert sum(1_00 <= price <= 50_00 for price in prices) > len(prices) / 2
