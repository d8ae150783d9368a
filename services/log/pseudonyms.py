"""The names of players in the log, which hide their platform ids."""

import hmac
from functools import cached_property

from cachetools import LRUCache

from models.db.connection import reading
from models.log import BETS, Log
from models.users import User

REMEMBERED = 100_000


class Pseudonyms:
    """Names players by an HMAC of their platform ids.

    Its key is drawn with the database and kept in it. So it survives a change of SECRET_KEY.
    """

    def __init__(self) -> None:
        self._known: LRUCache[str, str] = LRUCache(maxsize=REMEMBERED)
        self._of_users: LRUCache[int, str] = LRUCache(maxsize=REMEMBERED)

    def of(self, platform_id: str) -> str:
        """The pseudonym: 32 hexadecimal digits."""
        pseudonym = self._known.get(platform_id)
        if pseudonym is None:
            digest = hmac.digest(self._key, platform_id.encode(), "sha256")
            pseudonym = self._known[platform_id] = digest.hex()[:32]
        return pseudonym

    def of_user(self, user_id: int) -> str:
        """The pseudonym of the player with this internal id."""
        pseudonym = self._of_users.get(user_id)
        if pseudonym is None:
            with reading():
                platform_id = User.select(User.platform_id).where(User.id == user_id).scalar()
            pseudonym = self._of_users[user_id] = self.of(platform_id)
        return pseudonym

    def forget(self) -> None:
        """Forget what was read from the database, which was replaced."""
        self._known.clear()
        self._of_users.clear()
        self.__dict__.pop("_key", None)

    @cached_property
    def _key(self) -> bytes:
        with reading():
            key: str = Log.select(Log.player_key).where(Log.name == BETS).scalar()
        return bytes.fromhex(key)
