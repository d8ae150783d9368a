"""Pictures drawn by the program itself: the demo items', and the neutral ones for what has none.

The same name always gives the same bytes. Shapes are drawn three times too large and reduced, which is
what makes their edges smooth.
"""

import colorsys
import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from io import BytesIO

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from services.silhouettes import Finish, Part, Silhouette, silhouette_of

ITEM_SIDE = 360
"""Pixels; the contract's size for an item's picture."""

AVATAR_SIDE = 256
"""Pixels."""

_OVERSIZE = 3
_QUALITY = 82
_MARGIN = 0.07

Colour = tuple[int, int, int]

_RARITIES: tuple[Colour, ...] = (
    (94, 152, 217),
    (75, 105, 255),
    (136, 71, 255),
    (211, 44, 230),
    (235, 75, 75),
    (56, 189, 148),
)
_GOLD: Colour = (228, 174, 57)
_NIGHT: Colour = (11, 13, 19)
_STEEL: Colour = (139, 148, 163)
_COAL: Colour = (48, 53, 64)
_GREY: Colour = (92, 101, 117)


@dataclass(frozen=True)
class _Look:
    """How an item is coloured: its glow, the two ends of its paint, and the pattern laid over it."""

    glow: Colour
    paint: tuple[Colour, Colour]
    accent: Colour
    seed: bytes


def item_picture(market_hash_name: str) -> bytes:
    """A WebP of 360 x 360: what the name says in colours of its own, on a dark ground."""
    return _draw(silhouette_of(market_hash_name), _look_of(market_hash_name))


@cache
def neutral_item_picture() -> bytes:
    """A WebP of 360 x 360 for an item without a picture: a grey crate."""
    look = _Look(glow=_GREY, paint=(_STEEL, _GREY), accent=_STEEL, seed=bytes(64))
    return _draw(silhouette_of(""), look)


@cache
def neutral_avatar() -> bytes:
    """A WebP of 256 x 256 for a player without a picture: head and shoulders."""
    side = AVATAR_SIDE * _OVERSIZE
    mask = Image.new("L", (side, side))
    draw = ImageDraw.Draw(mask)
    draw.ellipse([side * part for part in (0.345, 0.2, 0.655, 0.53)], fill=255)
    draw.ellipse([side * part for part in (0.17, 0.6, 0.83, 1.3)], fill=255)
    picture = _ground(AVATAR_SIDE, _GREY)
    figure = _blend(AVATAR_SIDE, _STEEL, _GREY, angle=90)
    picture.paste(figure, mask=mask.reduce(_OVERSIZE))
    return _webp(picture)


def _look_of(market_hash_name: str) -> _Look:
    seed = hashlib.shake_256(market_hash_name.encode()).digest(64)
    hue = seed[0] / 256
    away = (0.08 + seed[1] / 256 * 0.16) * (1 if seed[2] % 2 else -1)
    return _Look(
        glow=_GOLD if market_hash_name.startswith("★") else _RARITIES[seed[3] % len(_RARITIES)],
        paint=(_colour(hue, 0.60, 0.72), _colour(hue + away, 0.40, 0.66)),
        accent=_colour(hue + 0.45 + seed[4] / 2560, 0.62, 0.70),
        seed=seed,
    )


def _colour(hue: float, lightness: float, saturation: float) -> Colour:
    red, green, blue = colorsys.hls_to_rgb(hue % 1, lightness, saturation)
    return round(red * 255), round(green * 255), round(blue * 255)


def _draw(silhouette: Silhouette, look: _Look) -> bytes:
    masks = _masks(silhouette)
    whole = ImageChops.lighter(ImageChops.lighter(masks[Finish.PAINT], masks[Finish.SHADE]), _solid(masks))
    picture = _ground(ITEM_SIDE, look.glow)
    _cast_shadow(picture, whole)
    paint = _painted(look)
    finishes = {
        Finish.METAL: _blend(ITEM_SIDE, _STEEL, _GREY, angle=90),
        Finish.DARK: Image.new("RGB", picture.size, _COAL),
        Finish.LIGHT: Image.new("RGB", picture.size, look.accent),
        Finish.PAINT: paint,
        Finish.SHADE: Image.blend(paint, Image.new("RGB", picture.size, _NIGHT), 0.38),
    }
    for finish, filling in finishes.items():
        picture.paste(filling, mask=masks[finish])
    _bevel(picture, masks)
    ImageDraw.Draw(picture).rectangle((0, ITEM_SIDE - 5, ITEM_SIDE, ITEM_SIDE), fill=look.glow)
    return _webp(picture)


def _masks(silhouette: Silhouette) -> dict[Finish, Image.Image]:
    """Where each finish can be seen: a part hides what was drawn before it."""
    side = ITEM_SIDE * _OVERSIZE
    finishes = list(Finish)
    # One picture whose pixels are the numbers of the finishes; nothing is 0.
    layers = Image.new("L", (side, side))
    draw = ImageDraw.Draw(layers)
    for part in silhouette.parts:
        number = 0 if part.finish is Finish.CUT else finishes.index(part.finish) + 1
        draw.polygon([_placed(point, silhouette.tilt) for point in _corners(part)], fill=number)
    return {
        finish: layers.point([255 * (value == number) for value in range(256)]).reduce(_OVERSIZE)
        for number, finish in enumerate(finishes, start=1)
    }


def _solid(masks: dict[Finish, Image.Image]) -> Image.Image:
    unpainted = ImageChops.lighter(masks[Finish.METAL], masks[Finish.DARK])
    return ImageChops.lighter(unpainted, masks[Finish.LIGHT])


def _corners(part: Part) -> list[tuple[float, float]]:
    """The part's corners; rounded ones cut twice at a quarter of each side (Chaikin)."""
    points = list(part.points)
    for _ in range(2 if part.rounded else 0):
        following = points[1:] + points[:1]
        points = [
            (x + (to_x - x) * share, y + (to_y - y) * share)
            for (x, y), (to_x, to_y) in zip(points, following, strict=True)
            for share in (0.25, 0.75)
        ]
    return points


def _placed(point: tuple[float, float], tilt: float) -> tuple[float, float]:
    """A point of the 100 x 100 square on the oversized picture, turned about its middle."""
    x, y = point[0] / 100 - 0.5, point[1] / 100 - 0.5
    cos, sin = math.cos(math.radians(tilt)), math.sin(math.radians(tilt))
    side = ITEM_SIDE * _OVERSIZE
    scale = 1 - 2 * _MARGIN
    return (0.5 + (x * cos + y * sin) * scale) * side, (0.5 + (y * cos - x * sin) * scale) * side


def _ground(side: int, glow: Colour) -> Image.Image:
    """A dark square with the glow in its middle."""
    distance = Image.radial_gradient("L").resize((side, side))
    strength = distance.point([round(150 * max(0.0, 1 - value / 190) ** 1.6) for value in range(256)])
    picture = Image.new("RGB", (side, side), _NIGHT)
    picture.paste(Image.new("RGB", (side, side), glow), mask=strength)
    return picture


def _cast_shadow(picture: Image.Image, whole: Image.Image) -> None:
    # Blurred on a small copy: a soft shadow has no detail that could be lost.
    small = whole.reduce(4).filter(ImageFilter.GaussianBlur(3))
    shadow = (
        ImageChops.offset(small, 1, 3).resize(picture.size).point([value * 3 // 4 for value in range(256)])
    )
    picture.paste(Image.new("RGB", picture.size, (0, 0, 0)), mask=shadow)


def _painted(look: _Look) -> Image.Image:
    """A square of the item's paint: two colours running into each other, and a pattern in the third."""
    paint = _blend(ITEM_SIDE, *look.paint, angle=look.seed[5] * 360 // 256)
    side = ITEM_SIDE * 2
    pattern = Image.new("L", (side, side))
    draw = ImageDraw.Draw(pattern)
    figures = (_stripes, _shards, _waves, _beads)[look.seed[6] % 4]
    for polygon in figures(look.seed[8:]):
        draw.polygon([(x * side, y * side) for x, y in polygon], fill=185)
    paint.paste(Image.new("RGB", paint.size, look.accent), mask=pattern.reduce(2))
    return paint


Polygons = Iterator[list[tuple[float, float]]]


def _stripes(seed: bytes) -> Polygons:
    lean = seed[0] / 256 - 0.5
    position = -0.6
    for byte in seed:
        width = 0.008 + byte % 16 / 500
        position += 0.06 + byte / 2560
        yield [(position, 0), (position + width, 0), (position + width + lean, 1), (position + lean, 1)]


def _shards(seed: bytes) -> Polygons:
    for x, y, turn, size in zip(*[iter(seed)] * 4, strict=False):
        angle, reach = turn / 256 * math.tau, 0.06 + size / 1700
        yield [
            (x / 256 + math.cos(angle + step) * reach, y / 256 + math.sin(angle + step) * reach)
            for step in (0, 1.9, 3.6)
        ]


def _waves(seed: bytes) -> Polygons:
    height, length, phase = 0.015 + seed[0] / 9000, 0.12 + seed[1] / 1000, seed[2] / 256 * math.tau
    steps = [step / 60 for step in range(61)]
    for row in range(14):
        level, width = row / 13, 0.008 + seed[row + 3] / 14000
        crest = [(x, level + height * math.sin(x / length * math.tau + phase + row / 2)) for x in steps]
        yield crest + [(x, y + width) for x, y in reversed(crest)]


def _beads(seed: bytes) -> Polygons:
    gap = 0.055 + seed[0] / 8000
    for row in range(int(1 / gap) + 1):
        for column in range(int(1 / gap) + 1):
            size = gap * (0.12 + seed[(row * 7 + column * 3) % len(seed)] / 800)
            x, y = (column + row % 2 / 2) * gap, row * gap
            yield [(x, y - size), (x + size, y), (x, y + size), (x - size, y)]


def _bevel(picture: Image.Image, masks: dict[Finish, Image.Image]) -> None:
    """Light on the upper edge of every part and shadow on the lower one."""
    white, black = Image.new("RGB", picture.size, (255, 255, 255)), Image.new("RGB", picture.size)
    for mask in masks.values():
        upper = ImageChops.subtract(mask, ImageChops.offset(mask, 1, 2))
        lower = ImageChops.subtract(mask, ImageChops.offset(mask, -1, -3))
        picture.paste(white, mask=upper.point([value * 2 // 5 for value in range(256)]))
        picture.paste(black, mask=lower.point([value * 2 // 5 for value in range(256)]))


def _blend(side: int, first: Colour, second: Colour, *, angle: float) -> Image.Image:
    """A square running from one colour to the other; 90 degrees is from top to bottom."""
    ramp = Image.linear_gradient("L").rotate(90 - angle, Image.Resampling.BILINEAR).resize((side, side))
    return Image.composite(Image.new("RGB", ramp.size, second), Image.new("RGB", ramp.size, first), ramp)


def _webp(picture: Image.Image) -> bytes:
    file = BytesIO()
    picture.save(file, "WEBP", quality=_QUALITY, method=3)
    return file.getvalue()
