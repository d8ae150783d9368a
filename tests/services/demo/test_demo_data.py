"""The demo's import files and pictures."""

from PIL import Image

from services.demo.seed import DATA
from services.items import names
from services.shared import decimal_json

ITEMS = decimal_json.loads((DATA / "items.json").read_bytes())
IRL_CASES = decimal_json.loads((DATA / "irl_cases.json").read_bytes())
PICTURES = {f"/media/items/{path.name}": path for path in (DATA / "pictures").iterdir()}


def test_every_demo_item_has_exactly_one_picture():
    images = {item["image"] for item in ITEMS}
    prize_images = {item["image"] for case in IRL_CASES for item in case["items"]}

    assert len(images) == len(ITEMS)
    assert images.isdisjoint(prize_images)
    assert images | prize_images == PICTURES.keys()


def test_demo_pictures_are_small_webp_files_of_360_pixels():
    kinds = set()
    for path in PICTURES.values():
        with Image.open(path) as picture:
            kinds.add((picture.format, picture.size))

    assert kinds == {("WEBP", (360, 360))}
    assert max(path.stat().st_size for path in PICTURES.values()) < 12_000


def test_every_demo_weapon_has_a_skin_and_known_wear():
    parsed = [names.parse(item["marketHashName"]) for item in ITEMS if item["appid"] == 730]

    assert [name for name in parsed if not (name.gun_name and name.skin_name)] == []
    assert {name.wear for name in parsed} <= set(names.WEARS)
