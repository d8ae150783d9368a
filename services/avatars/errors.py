"""The limits of an uploaded image, and an error for each reason to refuse one."""

from services.shared.errors import PlatformError

MAX_FILE_BYTES = 2 * 1024 * 1024
MAX_SIDE = 4096
MAX_FRAMES = 64
MAX_TOTAL_PIXELS = 2 * MAX_SIDE * MAX_SIDE
"""Width x height x frames."""


class EmptyFile(PlatformError):
    text = "The file is empty"


class FileTooLarge(PlatformError):
    text = f"The file must be at most {MAX_FILE_BYTES} bytes"


class WrongType(PlatformError):
    """The bytes do not begin a readable image of one of the four formats."""

    text = "The file must be a JPEG, PNG, WEBP or GIF image"


class DamagedImage(PlatformError):
    """Decoding failed, or took too long."""

    text = "The image is damaged"


class ImageTooLarge(PlatformError):
    text = f"The image must be at most {MAX_SIDE} x {MAX_SIDE} pixels"


class TooManyFrames(PlatformError):
    text = f"The image must have at most {MAX_FRAMES} frames"


class AnimationTooLarge(PlatformError):
    text = f"The animation must have at most {MAX_TOTAL_PIXELS} pixels in all its frames together"


class UploadUnderWay(PlatformError):
    """The player has another upload under way."""

    status = 429
    text = "Too many requests"
    retry_after_seconds = 1
