"""The demo's import files and pictures."""

from PIL import Image

from services.demo.seed import DATA
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
