"""Why an avatar is refused: one class for each reason."""

from services.errors import PlatformError

MAX_FILE_BYTES = 2 * 1024 * 1024
MAX_SIDE = 4096
MAX_FRAMES = 64
MAX_TOTAL_PIXELS = 2 * MAX_SIDE * MAX_SIDE
"""Pixels x frames: what decoding costs, whatever the file weighs."""


class EmptyFile(PlatformError):
    """Nothing is in the file."""

    text = "The file is empty"


class FileTooLarge(PlatformError):
    """More bytes than an avatar may have."""

    text = f"The file must be at most {MAX_FILE_BYTES} bytes"


class WrongType(PlatformError):
    """The bytes are no image, or one of another format."""

    text = "The file must be a JPEG, PNG, WEBP or GIF image"


class DamagedImage(PlatformError):
    """It begins like an image but is not a whole one."""

    text = "The image is damaged"


class DataAfterImage(PlatformError):
    """Something else follows the image's end."""

    text = "The file has data after the image's end"


class ImageTooLarge(PlatformError):
    """More pixels than an avatar may have."""

    text = f"The image must be at most {MAX_SIDE} x {MAX_SIDE} pixels"


class TooManyFrames(PlatformError):
    """More frames than an avatar may have."""

    text = f"The image must have at most {MAX_FRAMES} frames"


class AnimationTooLarge(PlatformError):
    """Large frames, and many of them."""

    text = f"The animation must have at most {MAX_TOTAL_PIXELS} pixels in all its frames together"


class UploadUnderWay(PlatformError):
    """The player has sent a picture that is not done with yet."""

    status = 429
    text = "Another upload of yours is under way"
    retry_after_seconds = 5
