"""What the walk through a file finds."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Layout:
    """Size in pixels, number of frames, and where in the file the image ends."""

    width: int
    height: int
    frames: int
    end: int
