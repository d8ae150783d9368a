"""Players' avatars: rendering an uploaded image, and storing it.

An avatar is a WebP, 256 x 256, upright, animated if the upload was. Only pixels are copied, so metadata (EXIF
with its GPS position, profiles, comments) and anything that follows the image in the file are dropped.
"""

import contextlib
import logging
import secrets
import time
import warnings
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

from PIL import (
    ExifTags,
    GifImagePlugin,
    Image,
    ImageOps,
    JpegImagePlugin,
    MpoImagePlugin,
    PngImagePlugin,
    UnidentifiedImageError,
    WebPImagePlugin,
)

from models.db.connection import writing
from models.users import User
from services.accounts import users
from services.shared.background import WorkerPool
from services.shared.errors import Refusal, TooManyRequests, Unavailable
from services.shared.locks import PlayerLocks
from services.shared.signals import Tag, invalidate_after_commit

log = logging.getLogger("platform.avatars")

PATH = "/media/avatars/"

MAX_FILE_BYTES = 2 * 1024 * 1024
MAX_SIDE = 4096
MAX_FRAMES = 300
MAX_TOTAL_PIXELS = 2 * MAX_SIDE * MAX_SIDE
"""Width x height x frames."""

AVATAR_SIDE = 256
"""Pixels."""

_FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
_PLUGINS = (GifImagePlugin, JpegImagePlugin, MpoImagePlugin, PngImagePlugin, WebPImagePlugin)
"""Imported here, because Pillow would otherwise import them in the worker thread."""

_MAX_DECODE_SECONDS = 5.0
_READ_BYTES = 1024
_QUALITY = 82
_MIN_FRAME_MS, _DEFAULT_FRAME_MS, _MAX_FRAME_MS = 20, 100, 60_000

# Pillow allocates some buffers before a size can be checked here. It raises at twice this number.
Image.MAX_IMAGE_PIXELS = MAX_SIDE * MAX_SIDE
# An uploaded file could otherwise fill the log with Pillow's warnings.
warnings.filterwarnings("ignore", module=r"PIL\.")


class DamagedImage(Refusal):
    """Decoding failed, or took too long."""

    text = "The image is damaged"


class ImageTooLarge(Refusal):
    text = f"The image must be at most {MAX_SIDE} x {MAX_SIDE} pixels"


class _TimedFile(BytesIO):
    """Raises DamagedImage when it is read after its thread has used ``_MAX_DECODE_SECONDS`` of CPU time.

    Pillow parses and decodes in small reads. Some files make it work for minutes within all limits of size,
    such as a progressive JPEG with thousands of scans.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._deadline = time.thread_time() + _MAX_DECODE_SECONDS

    def read(self, size: int | None = -1, /) -> bytes:
        if time.thread_time() > self._deadline:
            raise DamagedImage
        return super().read(size)


def render(data: bytes) -> bytes:
    """The avatar as WebP. Raises Refusal, and nothing else."""
    if not data:
        raise Refusal("The file is empty")
    if len(data) > MAX_FILE_BYTES:
        raise Refusal(f"The file must be at most {MAX_FILE_BYTES} bytes")
    try:
        with Image.open(_TimedFile(data), formats=_FORMATS) as image:
            # The deadline is checked at each read of this size: at most some thirty scans of a JPEG.
            image.decodermaxblock = _READ_BYTES
            return _webp(*_frames(image))
    except Refusal:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise ImageTooLarge from None
    except UnidentifiedImageError:
        raise Refusal("The file must be a JPEG, PNG, WEBP or GIF image") from None
    except Exception:  # noqa: BLE001  # decoders fail in many ways
        raise DamagedImage from None


def _frames(image: Image.Image) -> tuple[list[Image.Image], list[int]]:
    """Every frame of the avatar, and for how many milliseconds each is shown."""
    # An MPO is a JPEG with more images: previews and depth maps, not frames.
    count = 1 if image.format in {"JPEG", "MPO"} else getattr(image, "n_frames", 1)
    # An APNG can begin with a picture for programs that can't animate.
    first = 1 if image.info.get("default_image") else 0
    _check_size(image, count - first)
    # A no-op except for JPEG, which can be decoded at a half, a quarter or an eighth of its size.
    image.draft(None, (2 * AVATAR_SIDE, 2 * AVATAR_SIDE))
    pictures, durations = [], []
    for number in range(first, count):
        image.seek(number)
        # A frame of a GIF can enlarge the canvas.
        _check_size(image, count - first)
        pictures.append(ImageOps.fit(_in_colour(image), (AVATAR_SIDE, AVATAR_SIDE), Image.Resampling.LANCZOS))
        durations.append(_duration(image))
    orientation = _orientation(image)
    for picture in pictures:
        # Of the metadata, keep this value only, and only until the picture is upright.
        picture.info.clear()
        picture.getexif()[ExifTags.Base.Orientation] = orientation
        ImageOps.exif_transpose(picture, in_place=True)
    return pictures, durations


def _check_size(image: Image.Image, frames: int) -> None:
    if max(image.size) > MAX_SIDE:
        raise ImageTooLarge
    if frames > MAX_FRAMES:
        raise Refusal(f"The image must have at most {MAX_FRAMES} frames")
    if image.width * image.height * frames > MAX_TOTAL_PIXELS:
        raise Refusal(f"The animation must have at most {MAX_TOTAL_PIXELS} pixels in all its frames together")


def _orientation(image: Image.Image) -> object:
    try:
        return image.getexif().get(ExifTags.Base.Orientation)
    except Exception:  # noqa: BLE001  # unreadable metadata is no reason to refuse the picture
        return None


def _duration(image: Image.Image) -> int:
    duration = int(image.info.get("duration", 0))
    # Browsers replace durations that are too short to show.
    return min(duration, _MAX_FRAME_MS) if duration >= _MIN_FRAME_MS else _DEFAULT_FRAME_MS


def _in_colour(image: Image.Image) -> Image.Image:
    image.load()
    if image.mode.startswith("I"):
        # 16 bits per pixel: Pillow's convert() clips at 255 instead of scaling.
        image = image.point(lambda value: value / 257).convert("L")
    return image.convert("RGBA" if image.has_transparency_data else "RGB")


def _webp(pictures: list[Image.Image], durations: list[int]) -> bytes:
    file = BytesIO()
    first, *others = pictures
    if others:
        options = {"save_all": True, "append_images": others, "duration": durations, "loop": 0, "method": 2}
    else:
        options = {"method": 4}
    first.save(file, "WEBP", quality=_QUALITY, **options)
    return file.getvalue()


@dataclass(frozen=True, kw_only=True)
class Avatars:
    """Renders uploads in the worker pool, and stores them under random names in ``directory``."""

    directory: Path
    worker_pool: WorkerPool
    uploads: PlayerLocks = field(
        default_factory=lambda: PlayerLocks(lambda: TooManyRequests(retry_after_seconds=1))
    )
    """Held by a view from before it reads a body until the avatar is changed."""

    def change(self, *, user_id: int, data: bytes) -> str:
        """Make an avatar of an image file's bytes; return its path. The file of the old one is removed.

        Raises the errors of ``render``, Unavailable and UserNotFound. When the
        transaction fails, the new file stays: the commit may have happened although its answer was lost.
        """
        path = self._store(self.worker_pool.run(render, data))
        with writing():
            replaced: str = users.lock(user_id).avatar
            User.update(avatar=path).where(User.id == user_id).execute()
            invalidate_after_commit(Tag.PLAYERS)
        # The change has succeeded, even if the old file can't be removed.
        with contextlib.suppress(OSError):
            self.remove(replaced)
        return path

    def remove(self, avatar: str) -> None:
        """Remove the file of an avatar, if it was uploaded. Raises OSError."""
        # Others are at another address.
        if avatar.startswith(PATH):
            (self.directory / Path(avatar).name).unlink(missing_ok=True)

    def _store(self, picture: bytes) -> str:
        """Write a new file, which appears complete or not at all; returns its path. Raises Unavailable."""
        name = f"{secrets.token_hex(16)}.webp"
        unfinished = self.directory / f"{name}.part"
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            unfinished.write_bytes(picture)
            unfinished.replace(self.directory / name)
        except OSError:
            log.exception("avatar not stored", extra={"event": "avatar"})
            with contextlib.suppress(OSError):
                unfinished.unlink(missing_ok=True)
            raise Unavailable from None
        return PATH + name
