"""Sets and stores players' avatars."""

import contextlib
import logging
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import peewee

from models.avatar_uploads import AvatarUpload
from models.db.connection import UNAVAILABLE, writing
from models.users import User
from services.accounts import users
from services.avatars.render import render
from services.shared.background import WorkerPool
from services.shared.cache_invalidation import Tag, invalidate_after_commit
from services.shared.clock import MINUTE_MS, Millis
from services.shared.errors import TooManyRequests, Unavailable

log = logging.getLogger("platform.avatars")

PATH = "/media/avatars/"

UPLOAD_MS = MINUTE_MS
"""Longer than a request may take. An upload that a crash ended counts as under way for so long."""


@contextlib.contextmanager
def one_upload(*, user_id: int, now: Millis) -> Iterator[None]:
    """Hold the one upload that a player may have at a time, in all processes. Raises TooManyRequests.

    Of several at once, one inserts the row; the others are refused by its primary key.
    """
    until = now + UPLOAD_MS
    this = AvatarUpload.user == user_id
    try:
        with writing():
            # A row that ends much later was written while the clock was wrong.
            is_current = AvatarUpload.until_ms.between(now + 1, until + UPLOAD_MS)
            AvatarUpload.delete().where(this, ~is_current).execute()
            AvatarUpload.insert(user=user_id, until_ms=until).execute()
    except peewee.IntegrityError:
        raise TooManyRequests(retry_after_seconds=1) from None
    try:
        yield
    finally:
        # Not a later upload's row, if this one took so long. If the database is away, the row expires.
        with contextlib.suppress(*UNAVAILABLE), writing():
            AvatarUpload.delete().where(this, AvatarUpload.until_ms == until).execute()


@dataclass(frozen=True, kw_only=True)
class Avatars:
    """Renders uploads in the worker pool, and stores them under random names in ``directory``."""

    directory: Path
    worker_pool: WorkerPool

    def change(self, *, user_id: int, data: bytes) -> str:
        """Make an avatar of an image file's bytes; return its path. The file of the old one is removed.

        Raises the errors of services/avatars/render.py, TooBusy, Unavailable and UserNotFound. When the
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
