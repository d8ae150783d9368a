"""The demo's import files and pictures."""

from PIL import Image

from services.demo.seed import DATA
from services.shared import decimal_json

ITEMS = decimal_json.loads((DATA / "items.json").read_bytes())
IRL_CASES = decimal_json.loads((DATA / "irl_cases.json").read_bytes())
CASES = decimal_json.loads((DATA / "cases.json").read_bytes())
PICTURES = {f"/media/items/{path.name}": path for path in (DATA / "pictures/items").iterdir()}
CASE_PICTURES = {f"/media/cases/{path.name}": path for path in (DATA / "pictures/cases").iterdir()}


def test_every_demo_item_has_exactly_one_picture():
    images = {item["image"] for item in ITEMS}
    prize_images = {item["image"] for case in IRL_CASES for item in case["items"]}

    assert len(images) == len(ITEMS)
    assert images.isdisjoint(prize_images)
    assert images | prize_images == PICTURES.keys()


def test_every_demo_case_has_exactly_one_picture():
    images = [case["image"] for case in (*CASES, *IRL_CASES)]

    assert sorted(images) == sorted(CASE_PICTURES)


def test_demo_pictures_are_small_webp_files_of_360_pixels_with_a_transparent_ground():
    kinds = set()
    paths = (*PICTURES.values(), *CASE_PICTURES.values())
    for path in paths:
        with Image.open(path) as picture:
            kinds.add((picture.format, picture.size, picture.mode, picture.getpixel((0, 0))[3]))

    assert kinds == {("WEBP", (360, 360), "RGBA", 0)}
    assert max(path.stat().st_size for path in paths) < 12_000
