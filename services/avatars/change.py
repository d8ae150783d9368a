"""Giving a player a new avatar."""

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from models.database import UNAVAILABLE, reading, writing
from models.users import User
from services.avatars.errors import UploadUnderWay
from services.avatars.files import AvatarFiles
from services.avatars.render import render
from services.background import WorkerPool
from services.cache_invalidation import Tag, invalidate_after_commit
from services.errors import PlayerGone


class Avatars:
    """Renders an upload in the worker pool, stores the file, then sets it as the avatar."""

    def __init__(self, *, directory: Path, worker_pool: WorkerPool) -> None:
        self._files = AvatarFiles(directory)
        self._worker_pool = worker_pool
        self._guard = threading.Lock()
        self._uploading: set[int] = set()

    @contextlib.contextmanager
    def upload_of(self, user_id: int) -> Iterator[None]:
        """The one upload that a player may have under way. Raises UploadUnderWay for another."""
        with self._guard:
            if user_id in self._uploading:
                raise UploadUnderWay
            self._uploading.add(user_id)
        try:
            yield
        finally:
            with self._guard:
                self._uploading.remove(user_id)

    def change(self, *, user_id: int, data: bytes) -> str:
        """The path of the player's new avatar, made of an image file's bytes. The old one is removed.

        Raises one of the refusals in services/avatars/errors.py, TooBusy and PlayerGone. Of several changes
        at once the last one stays, and each removes what it replaced.
        """
        path = self._files.add(self._worker_pool.run(render, data))
        try:
            replaced = _point_at(path, user_id=user_id)
        except BaseException:
            if not _may_be_in_use(path, user_id=user_id):
                self._files.remove(path)
            raise
        # It is changed already; a file that can't be removed is no reason to tell otherwise.
        with contextlib.suppress(OSError):
            self._files.remove(replaced)
        return path


def _point_at(path: str, *, user_id: int) -> str:
    """Give the player this avatar; what it took the place of.

    One guarded update: two changes at once never replace the same one, so no file is forgotten.
    """
    while True:
        with writing():
            user = User.select(User.avatar).where(User.id == user_id).get_or_none()
            if user is None:
                raise PlayerGone
            replaced: str = user.avatar
            update = User.update(avatar=path).where(User.id == user_id, User.avatar == replaced)
            if update.execute():
                invalidate_after_commit(Tag.PLAYERS)
                break
    return replaced


@reading()
def _current(user_id: int) -> str | None:
    user = User.select(User.avatar).where(User.id == user_id).get_or_none()
    return user.avatar if user else None


def _may_be_in_use(path: str, *, user_id: int) -> bool:
    """After a failure: a commit whose answer was lost may have happened all the same."""
    try:
        return _current(user_id) == path
    except UNAVAILABLE:
        return True
