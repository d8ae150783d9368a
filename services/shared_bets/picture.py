"""Draws and caches the picture of a shared bet, which messengers show beside its link: 1200 x 630, PNG.

Its font is the one that Pillow contains. That has few letters beyond ASCII; other characters are left out.
"""

import hashlib
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path

from cachetools import LRUCache, cachedmethod
from PIL import Image, ImageDraw, ImageFont, ImageOps, PngImagePlugin, WebPImagePlugin

from services.shared.background import WorkerPool
from services.shared.locks import BuildCondition
from services.shared_bets.shared_bet import Range
from settings import VERSION

WIDTH, HEIGHT = 1200, 630
MARGIN = 60
ITEM_SIDE = 360
TEXT_LEFT = MARGIN + ITEM_SIDE + MARGIN
TEXT_WIDTH = WIDTH - TEXT_LEFT - MARGIN
BOTTOM = MARGIN + ITEM_SIDE + 40
"""Where the wheel or the reel begins."""

WHEEL_SIDE, RIM_WIDTH = 130, 22
REEL_HEIGHT = 44
NAME_LINES = 2

PAGE, PANEL, RIM = "#0b0e15", "#141926", "#2a3347"
TEXT, QUIET, GOOD, BAD, LIT = "#f2f5fb", "#9fabc2", "#3ddc97", "#ff7b7b", "#23c483"
"""The dark theme of the built-in page (blueprints/site/static/theme.css)."""

SMOOTH = 4
"""The wheel is drawn this much larger and reduced, because Pillow draws hard edges."""

TOP = -90
"""The angle at which the wheel begins, in degrees."""

NO_CHARACTER = "\uffff"

_PLUGINS = (PngImagePlugin, WebPImagePlugin)
"""Imported here, because Pillow would otherwise import them in the worker thread."""

MAX_BYTES = 16 * 1024 * 1024
"""About 150 pictures. nginx may keep more (deploy/nginx.conf)."""


@dataclass(frozen=True)
class PictureContent:
    """What a picture shows. Equal contents give the same picture."""

    site: str
    player: str
    item: str
    item_file: Path
    """A WebP."""
    outcome: str
    is_won: bool
    details: tuple[str, ...]
    """Lines below the outcome."""
    range: Range | None
    """Of the item; None for a battle."""
    has_wheel: bool
    """Whether this range is part of a wheel; otherwise it is one of a reel."""

    @property
    def digest(self) -> str:
        """32 hexadecimal digits that change with the picture, on all machines alike."""
        shown = replace(self, item_file=Path(hashlib.sha256(self.item_file.read_bytes()).hexdigest()))
        return hashlib.sha256(f"{VERSION} {shown}".encode()).hexdigest()[:32]


def draw(content: PictureContent) -> bytes:
    """The picture as PNG."""
    image = Image.new("RGB", (WIDTH, HEIGHT), PAGE)
    pen = ImageDraw.Draw(image)
    pen.rounded_rectangle(_square(MARGIN, MARGIN, ITEM_SIDE), 28, fill=PANEL)
    # Without a readable file the place of the item is empty.
    with suppress(OSError), Image.open(content.item_file, formats=["WEBP"]) as item:
        fitted = ImageOps.fit(item.convert("RGBA"), (ITEM_SIDE, ITEM_SIDE))
        image.paste(fitted, (MARGIN, MARGIN), fitted)
    _write_bet(pen, content)
    if content.range is None:
        pen.text((MARGIN, BOTTOM + 46), content.site, QUIET, _font(34))
    elif content.has_wheel:
        wheel = _wheel(content.range)
        image.paste(wheel, (MARGIN, BOTTOM), wheel)
        pen.text((MARGIN + WHEEL_SIDE + 40, BOTTOM + 46), content.site, QUIET, _font(34))
    else:
        _draw_reel(pen, content.range)
        pen.text((MARGIN, BOTTOM + REEL_HEIGHT + 36), content.site, QUIET, _font(34))
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _write_bet(pen: ImageDraw.ImageDraw, content: PictureContent) -> None:
    down = MARGIN
    lines = [(_known(content.player), 38, QUIET)]
    lines += [(line, 52, TEXT) for line in _wrapped(_known(content.item), _font(52))]
    lines.append((content.outcome, 56, GOOD if content.is_won else BAD))
    lines += [(line, 34, QUIET) for line in content.details]
    for text, size, colour in lines:
        pen.text((TEXT_LEFT, down), _cut(text, _font(size)), colour, _font(size))
        down += round(size * 1.4)


def _wrapped(text: str, font: ImageFont.FreeTypeFont) -> list[str]:
    """The text in lines that fit, broken at blanks and at a bar. The last one may be cut off."""
    lines = [""]
    for word in text.split():
        if word == "|" and len(lines) < NAME_LINES:
            lines.append("")
            continue
        longer = f"{lines[-1]} {word}".strip()
        if font.getlength(longer) <= TEXT_WIDTH:
            lines[-1] = longer
        elif len(lines) < NAME_LINES and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
            break
    return lines


def _cut(line: str, font: ImageFont.FreeTypeFont) -> str:
    if font.getlength(line) <= TEXT_WIDTH:
        return line
    while line and font.getlength(f"{line}...") > TEXT_WIDTH:
        line = line[:-1]
    return f"{line.rstrip()}..."


def _wheel(shown: Range) -> Image.Image:
    side = WHEEL_SIDE * SMOOTH
    wheel = Image.new("RGBA", (side, side))
    pen = ImageDraw.Draw(wheel)
    box, rim = (0, 0, side - 1, side - 1), RIM_WIDTH * SMOOTH
    pen.arc(box, 0, 360, RIM, rim)
    start = _angle(shown.start)
    pen.arc(box, start, start + _angle(shown.chance) - TOP, LIT, rim)
    # The needle.
    place = _angle(shown.place)
    pen.pieslice((rim // 2, rim // 2, side - rim // 2, side - rim // 2), place - 4, place + 4, TEXT)
    return wheel.resize((WHEEL_SIDE, WHEEL_SIDE), Image.Resampling.LANCZOS)


def _angle(percent: float) -> float:
    return TOP + percent * 3.6


def _draw_reel(pen: ImageDraw.ImageDraw, shown: Range) -> None:
    def across(percent: float) -> float:
        return MARGIN + (WIDTH - 2 * MARGIN) * percent / 100

    bottom = BOTTOM + REEL_HEIGHT
    pen.rectangle((across(0), BOTTOM, across(100), bottom), RIM)
    end = shown.start + shown.chance
    pen.rectangle((across(shown.start), BOTTOM, across(end), bottom), LIT)
    place = across(shown.place)
    pen.rectangle((place - 3, BOTTOM - 12, place + 3, bottom + 12), TEXT)


def _square(left: int, top: int, side: int) -> tuple[int, int, int, int]:
    return left, top, left + side, top + side


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise TypeError("Pillow was built without FreeType")
    return font


def _known(text: str) -> str:
    return " ".join("".join(character for character in text if _is_known(character)).split())


@lru_cache(maxsize=1_000)
def _is_known(character: str) -> bool:
    """Whether the font has this character. It draws the same box for all that it lacks."""
    return character == " " or bytes(_font(38).getmask(character)) != _box()


@cache
def _box() -> bytes:
    return bytes(_font(38).getmask(NO_CHARACTER))


class Pictures:
    """Draws pictures in a native thread, one at a time: each takes some 50 ms of CPU."""

    def __init__(self, worker_pool: WorkerPool) -> None:
        self._worker_pool = worker_pool
        self._cache: LRUCache[PictureContent, bytes] = LRUCache(MAX_BYTES, getsizeof=len)
        self._guard = BuildCondition()

    @cachedmethod(lambda self: self._cache, condition=lambda self: self._guard)
    def of(self, content: PictureContent) -> bytes:
        """The picture as PNG. Raises Unavailable when too many are waited for."""
        return self._worker_pool.run(draw, content)
