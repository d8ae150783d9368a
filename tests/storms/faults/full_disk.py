"""A full file system, such as the small ones of ``tests.storms.faults``."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def filled(directory: Path) -> Iterator[None]:
    """Fill the file system of this directory to the last byte during the block."""
    ballast = directory / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1024 * 1024, 4096, 1):
            try:
                while file.write(b"\1" * size) == size:
                    pass
            except OSError:
                continue
    try:
        yield
    finally:
        ballast.unlink()
