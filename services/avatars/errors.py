"""The limits of an uploaded image, and an error for each reason to refuse one."""

from services.shared.errors import PlatformError

MAX_FILE_BYTES = 2 * 1024 * 1024
MAX_SIDE = 4096
MAX_FRAMES = 64
MAX_TOTAL_PIXELS = 2 * MAX_SIDE * MAX_SIDE
"""Width x height x frames."""


class EmptyFile(PlatformError):
    """The file has no bytes."""

    text = "The file is empty"


class FileTooLarge(PlatformError):
    """The file has more than ``MAX_FILE_BYTES``."""

    text = f"The file must be at most {MAX_FILE_BYTES} bytes"


class WrongType(PlatformError):
    """The bytes do not begin a readable image of one of the four formats."""

    text = "The file must be a JPEG, PNG, WEBP or GIF image"


class DamagedImage(PlatformError):
    """Decoding failed, or took too long."""

    text = "The image is damaged"


class ImageTooLarge(PlatformError):
    """A side is longer than ``MAX_SIDE``."""

    text = f"The image must be at most {MAX_SIDE} x {MAX_SIDE} pixels"


class TooManyFrames(PlatformError):
    """The animation has more than ``MAX_FRAMES``."""

    text = f"The image must have at most {MAX_FRAMES} frames"


class AnimationTooLarge(PlatformError):
    """The frames together have more than ``MAX_TOTAL_PIXELS``."""

    text = f"The animation must have at most {MAX_TOTAL_PIXELS} pixels in all its frames together"


class UploadUnderWay(PlatformError):
    """The player has another upload under way."""

    status = 429
    text = "Too many requests"
    retry_after_seconds = 1
