"""POST /profile/avatar: the accepted formats, and how they are rendered."""

from io import BytesIO

import pytest
from PIL import Image, PngImagePlugin

from tests.services.accounts.avatars.conftest import BLUE, GREEN, RED, SIZE, WHITE, animation, encoded, grey

ORIENTATION = 0x0112
EDGE = 16


def plain(mode="RGB", colour=RED, size=SIZE):
    return Image.new(mode, size, colour)


def corners():
    """A square with another colour in each corner."""
    picture = Image.new("RGB", (128, 128))
    for box, colour in {(0, 0): RED, (64, 0): GREEN, (0, 64): BLUE, (64, 64): WHITE}.items():
        picture.paste(colour, (*box, box[0] + 64, box[1] + 64))
    return picture


def is_near(pixel, colour):
    return all(abs(had - wanted) <= 12 for had, wanted in zip(pixel, colour, strict=True))


@pytest.fixture
def stored_bytes(kept, tmp_path):
    """Returns the bytes of the one stored file."""

    def read():
        (name,) = kept()
        return (tmp_path / "instance" / "media" / "avatars" / name).read_bytes()

    return read


def middle(picture):
    return picture.convert("RGB").getpixel((128, 128))


def test_each_image_format_becomes_a_256_pixel_webp(stored):
    kinds = [("JPEG", {}), ("JPEG", {"progressive": True}), ("PNG", {}), ("GIF", {})]
    kinds += [("WEBP", {}), ("WEBP", {"lossless": True})]

    for kind, options in kinds:
        # The bytes decide the format, and not the name.
        picture = stored(encoded(plain(), kind, **options), name="page.html", declared="text/html")

        assert (picture.format, picture.size, picture.n_frames) == ("WEBP", (256, 256), 1)
        assert is_near(middle(picture), RED), (kind, options)


def test_the_middle_of_a_picture_is_kept(stored):
    wide = Image.new("RGB", (300, 100), BLUE)
    wide.paste(GREEN, (100, 0, 200, 100))

    picture = stored(encoded(wide, "PNG")).convert("RGB")

    assert all(is_near(picture.getpixel(at), GREEN) for at in [(EDGE, EDGE), (240, 240), (128, 128)])


COLOURS = [
    (plain("L", 200), "PNG", (200,) * 3),
    (plain("1", 1), "PNG", (255,) * 3),
    (plain("P", 0), "PNG", (0,) * 3),
    (plain("I;16", 40_000), "PNG", (156,) * 3),
    (plain("RGB", BLUE).convert("CMYK"), "JPEG", BLUE),
]


def test_an_image_in_every_colour_mode_is_accepted(stored):
    for picture, kind, colour in COLOURS:
        assert is_near(middle(stored(encoded(picture, kind))), colour), picture.mode


def hole(kind, mode="RGB", left=GREEN, right=GREEN, **options):
    """A file whose left half is transparent."""
    picture = plain(mode, right)
    if mode == "P":
        picture.putpalette([*RED, *GREEN])
    picture.paste(left, (0, 0, 20, 30))
    return encoded(picture, kind, **options)


TRANSPARENT = {
    "rgba": hole("PNG", "RGBA", (*GREEN, 0), (*GREEN, 255)),
    "grey": hole("PNG", "LA", (90, 0), (90, 255)),
    "webp": hole("WEBP", "RGBA", (*GREEN, 0), (*GREEN, 255)),
    "one colour": hole("PNG", left=RED, transparency=RED),
    "one grey": hole("PNG", "L", 77, 200, transparency=77),
    "a palette": hole("PNG", "P", 0, 1, transparency=0),
    "a palette of a GIF": hole("GIF", "P", 0, 1, transparency=0),
}


def test_transparency_is_kept(stored):
    for name, data in TRANSPARENT.items():
        picture = stored(data).convert("RGBA")

        assert [picture.getpixel((x, 128))[3] for x in (EDGE, 240)] == [0, 255], name


def test_an_image_of_any_shape_becomes_a_square(stored):
    for size in ((1, 1), (1, 4096), (4096, 1), (3, 7), (255, 257)):
        assert stored(encoded(plain(size=size), "PNG")).size == (256, 256), size
    assert is_near(middle(stored(encoded(plain(size=(4096, 4096)), "JPEG"))), RED)


# The colours of the upper left and the lower right corner, by EXIF orientation.
UPRIGHT = {
    1: (RED, WHITE),
    2: (GREEN, BLUE),
    3: (WHITE, RED),
    4: (BLUE, GREEN),
    5: (RED, WHITE),
    6: (BLUE, GREEN),
    7: (WHITE, RED),
    8: (GREEN, BLUE),
}


def test_a_photograph_is_made_upright(stored):
    cases = [("JPEG", orientation) for orientation in UPRIGHT] + [("PNG", 6), ("WEBP", 6)]
    for kind, orientation in cases:
        exif = Image.Exif()
        exif[ORIENTATION] = orientation

        picture = stored(encoded(corners(), kind, exif=exif)).convert("RGB")

        upper_left, lower_right = UPRIGHT[orientation]
        assert is_near(picture.getpixel((40, 40)), upper_left), (kind, orientation)
        assert is_near(picture.getpixel((216, 216)), lower_right), (kind, orientation)


@pytest.fixture
def metadata():
    """EXIF with a position, a profile, XMP and a comment; each contains the same word."""
    exif = Image.Exif()
    exif[0x010E] = "whereabouts"
    exif.get_ifd(0x8825)[1] = "N"
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", "whereabouts")
    common = {"exif": exif, "icc_profile": b"whereabouts" * 20}
    xmp = b"<x:xmpmeta>whereabouts</x:xmpmeta>"
    return {
        "JPEG": common | {"comment": b"whereabouts", "xmp": xmp},
        "PNG": common | {"pnginfo": text},
        "WEBP": common | {"xmp": xmp},
        "GIF": {"comment": b"whereabouts"},
    }


@pytest.mark.security("Avatars")
def test_metadata_is_removed(stored, metadata, stored_bytes):
    for kind, options in metadata.items():
        data = encoded(corners(), kind, **options)
        assert b"whereabouts" in data

        picture = stored(data)

        words = (b"whereabouts", b"EXIF", b"XMP ", b"ICCP")
        assert [word for word in words if word in stored_bytes()] == [], kind
        assert not picture.getexif()
        assert set(picture.info) <= {"loop", "background", "timestamp", "duration"}, kind


def test_an_animation_stays_animated(stored):
    for kind in ("GIF", "WEBP", "PNG"):
        picture = stored(animation(kind, frames=5))

        assert (picture.format, picture.size, picture.n_frames) == ("WEBP", (256, 256), 5)
        shown = []
        for number in range(5):
            picture.seek(number)
            shown.append((picture.convert("RGB").getpixel((128, 128))[0], picture.info["duration"]))
        assert [duration for _, duration in shown] == [70] * 5, kind
        assert [abs(level - grey(number)) <= 4 for number, (level, _) in enumerate(shown)] == [True] * 5


def test_300_frames_are_accepted(stored):
    assert stored(animation("GIF", frames=300, size=(4, 3))).n_frames == 300


TRAILERS = {
    "a second image": encoded(plain(colour=BLUE, size=(8, 8)), "JPEG"),
    "a part of an image": b"\xff\xd8\xff\xe1",
    "an archive": b"PK\x03\x04" + bytes(26) + b"PK\x05\x06" + bytes(18),
    "a script": b"<html><script>alert(1)</script></html>",
}


@pytest.mark.security("Avatars")
def test_bytes_after_an_image_are_removed(stored, stored_bytes):
    def rendered(files):
        return [stored(data) and stored_bytes() for data in files]

    files = [encoded(corners(), kind) for kind in ("JPEG", "PNG", "WEBP", "GIF")]
    files += [animation(kind, frames=3) for kind in ("PNG", "WEBP", "GIF")]
    alone = rendered(files)

    for name, trailer in TRAILERS.items():
        assert rendered([file + trailer for file in files]) == alone, name


def test_a_file_of_exactly_2_mib_is_accepted(stored):
    assert stored(encoded(plain(), "PNG").ljust(2_097_152, b"\0")).size == (256, 256)


def test_an_avatar_is_served_as_immutable(stored, client, player):
    stored(encoded(plain(), "PNG"))
    address = client.get("/auth/me", headers=player.headers).json["avatar"]

    answer = client.get(address.removeprefix("http://127.0.0.1:5000"), buffered=True)

    assert address.startswith("http://127.0.0.1:5000/media/avatars/")
    assert answer.headers["Content-Type"] == "image/webp"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert Image.open(BytesIO(answer.data)).format == "WEBP"
