"""Where avatars are kept: files with random names, which nobody can guess and nothing ever overwrites."""

import logging
import re
import secrets
from pathlib import Path

from services.errors import Unavailable

log = logging.getLogger("platform.avatars")

NAME = re.compile(r"[0-9a-f]{32}\.webp", re.ASCII)
PATH = "/media/avatars/"


class AvatarFiles:
    """The directory of all avatars. The path of one is what the world finds it under."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def add(self, picture: bytes) -> str:
        """Keep a picture; its path. It appears whole or not at all. Raises Unavailable without room."""
        name = f"{secrets.token_hex(16)}.webp"
        try:
            self._write(name, picture)
        except OSError:
            log.exception("avatar not kept", extra={"event": "avatar"})
            raise Unavailable from None
        return PATH + name

    def _write(self, name: str, picture: bytes) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        unfinished = self._directory / f"{name}.part"
        try:
            unfinished.write_bytes(picture)
            unfinished.replace(self._directory / name)
        finally:
            unfinished.unlink(missing_ok=True)

    def remove(self, path: str) -> None:
        """Forget a picture. Anything but one of ours (an address elsewhere, nothing) is left alone."""
        name = path.removeprefix(PATH)
        if path.startswith(PATH) and NAME.fullmatch(name):
            (self._directory / name).unlink(missing_ok=True)
