"""Sets and stores players' avatars."""

import contextlib
import logging
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from models.db.connection import writing
from models.users import User
from services.accounts import users
from services.accounts.avatars.render import render
from services.shared.background import WorkerPool
from services.shared.errors import TooManyRequests, Unavailable
from services.shared.locks import PlayerLocks
from services.shared.signals import Tag, invalidate_after_commit

log = logging.getLogger("platform.avatars")

PATH = "/media/avatars/"


class UploadInProgress(TooManyRequests):
    """Another upload of the player has not ended."""

    retry_after_seconds = 1


@dataclass(frozen=True, kw_only=True)
class Avatars:
    """Renders uploads in the worker pool, and stores them under random names in ``directory``."""

    directory: Path
    worker_pool: WorkerPool
    uploads: PlayerLocks = field(default_factory=lambda: PlayerLocks(UploadInProgress))
    """Held by a view from before it reads a body until the avatar is changed."""

    def change(self, *, user_id: int, data: bytes) -> str:
        """Make an avatar of an image file's bytes; return its path. The file of the old one is removed.

        Raises the errors of services/accounts/avatars/render.py, Unavailable and UserNotFound. When the
        transaction fails, the new file stays: the commit may have happened although its answer was lost.
        """
        path = self._store(self.worker_pool.run(render, data))
        with writing():
            replaced: str = users.lock(user_id).avatar
            User.update(avatar=path).where(User.id == user_id).execute()
            invalidate_after_commit(Tag.PLAYERS)
        # The old avatar may be at another address.
        if replaced.startswith(PATH):
            # The change has succeeded, even if the old file can't be removed.
            with contextlib.suppress(OSError):
                (self.directory / Path(replaced).name).unlink()
        return path

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
