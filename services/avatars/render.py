"""Making an avatar of an image: 256 x 256, upright, animated if it was, and nothing of the file besides.

Everything that the file carries along (EXIF with its places, profiles, comments) stays behind, because
only pixels are taken over.
"""

import warnings
from io import BytesIO

from PIL import (
    ExifTags,
    GifImagePlugin,
    Image,
    JpegImagePlugin,
    MpoImagePlugin,
    PngImagePlugin,
    WebPImagePlugin,
)

from services.avatars import containers
from services.avatars.errors import DamagedImage
from services.avatars.layout import Layout
from services.errors import PlatformError
from services.pictures import AVATAR_SIDE

_QUALITY = 82
_DRAFT_SIDE = 2 * AVATAR_SIDE

_LEAST_FRAME_MS, _USUAL_FRAME_MS, _MOST_FRAME_MS = 20, 100, 60_000
_FOREVER = 0

_PLUGINS = (GifImagePlugin, JpegImagePlugin, MpoImagePlugin, PngImagePlugin, WebPImagePlugin)
"""Loaded with this module: a decoder that is looked up in a thread would be imported there.

MPO is a JPEG with further ones behind it; Pillow takes such a JPEG for one by itself.
"""

_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""What undoes each orientation of EXIF."""

# A file chooses what the library warns of, and how often.
warnings.filterwarnings("ignore", module=r"PIL\.")
# Sizes are checked before; whatever gets past that is refused and not told of on standard error.
warnings.simplefilter("error", Image.DecompressionBombWarning)


def render(data: bytes) -> bytes:
    """The avatar as WebP. Raises one of the refusals in services/avatars/errors.py, and nothing else."""
    name, layout = containers.inspect(data)
    try:
        return _webp(*_frames(data, name, layout))
    except PlatformError:
        raise
    except Exception:  # noqa: BLE001  # decoders fail in many ways; each means that the image is no good
        raise DamagedImage from None


def _frames(data: bytes, name: str, layout: Layout) -> tuple[list[Image.Image], list[int]]:
    """Every frame as it will be stored, and for how many milliseconds each is shown."""
    pictures, durations = [], []
    with Image.open(BytesIO(data), formats=[name]) as image:
        if image.width > layout.width or image.height > layout.height:
            raise DamagedImage
        if name == "JPEG":
            # Decoded at a fraction of its size, when that is enough.
            image.draft(None, (_DRAFT_SIDE, _DRAFT_SIDE))
        # A picture for programs that can't animate is no frame of the animation.
        for number in range(1 if image.info.get("default_image") else 0, layout.frames):
            image.seek(number)
            image.load()
            pictures.append(_square(image))
            durations.append(_duration(image))
        turn = _UPRIGHT.get(_orientation(image))
    if turn is not None:
        pictures = [picture.transpose(turn) for picture in pictures]
    return pictures, durations


def _orientation(image: Image.Image) -> int:
    try:
        orientation = image.getexif().get(ExifTags.Base.Orientation, 1)
    except Exception:  # noqa: BLE001  # metadata that can't be read is no reason to refuse the picture
        return 1
    return orientation if isinstance(orientation, int) else 1


def _duration(image: Image.Image) -> int:
    duration = int(image.info.get("duration", 0))
    # Browsers slow down what is faster than they can show; so does what is stored.
    return min(duration, _MOST_FRAME_MS) if duration >= _LEAST_FRAME_MS else _USUAL_FRAME_MS


def _square(image: Image.Image) -> Image.Image:
    """The middle of a frame as a square of the stored size, in RGB or RGBA, without anything else."""
    side = min(image.size)
    left, top = (image.width - side) // 2, (image.height - side) // 2
    box = (left, top, left + side, top + side)
    # What is cut off need not be converted.
    middle = _in_colour(image.crop(box) if image.width != image.height else image)
    picture = middle.resize((AVATAR_SIDE, AVATAR_SIDE), Image.Resampling.LANCZOS, reducing_gap=3.0)
    picture.info.clear()
    return picture


def _in_colour(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I"):
        # 16 bits a pixel: Pillow would cut off what is brighter than 255 instead of scaling.
        image = image.point(lambda value: value / 257).convert("L")
    wanted = "RGBA" if image.has_transparency_data else "RGB"
    return image if image.mode == wanted else image.convert(wanted)


def _webp(pictures: list[Image.Image], durations: list[int]) -> bytes:
    file = BytesIO()
    first, *others = pictures
    if others:
        first.save(
            file,
            "WEBP",
            save_all=True,
            append_images=others,
            duration=durations,
            loop=_FOREVER,
            quality=_QUALITY,
            method=2,
        )
    else:
        first.save(file, "WEBP", quality=_QUALITY, method=4)
    return file.getvalue()
