"""The keys of the audit trail, one for each SECRET_KEY that was ever used."""

import hmac
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum

from cryptography.fernet import InvalidToken

from models.audit_trail import AuditKey, stored_rows
from models.db.connection import reading, writing
from services.audit_trail.canonical import Row, event_text
from services.shared.encryption import Encrypter, derive_key

PURPOSE = "audit trail"


class Purpose(StrEnum):
    """The content that a MAC is made for. The MAC of an event is never valid for a setting."""

    KEY_ID = "key id"
    EVENT = "event"
    SETTING = "setting"


class AuditKeys:
    """Signs with the key of the current SECRET_KEY, and checks with those of earlier ones too.

    A key is derived from its SECRET_KEY, and has an id that reveals nothing. ``audit_keys`` keeps each key,
    encrypted, so that old events can be checked after SECRET_KEY_PREVIOUS was emptied.
    """

    def __init__(self, *, secret_key: str, previous_keys: Sequence[str], encrypter: Encrypter) -> None:
        self.encrypter = encrypter
        derived = [derive_key(secret, PURPOSE) for secret in (secret_key, *previous_keys)]
        self._known = {_id_of(key): key for key in derived}
        self.current_id = _id_of(derived[0])
        self.unreadable: set[str] = set()
        """The ids of keys in the database that no SECRET_KEY decrypts."""
        self.stored: set[str] = set()
        """The ids of all keys in the database."""

    def sign(self, purpose: Purpose, content: str) -> str:
        """The MAC of the content with the current key."""
        return _mac(self._known[self.current_id], purpose, content)

    def has(self, key_id: str) -> bool:
        """Whether the key with this id is known."""
        return key_id in self._known

    def is_valid(self, purpose: Purpose, content: str, *, key_id: str, mac: str) -> bool:
        """Whether this is the MAC of the content. Raises KeyError for an unknown key."""
        expected = _mac(self._known[key_id], purpose, content)
        return hmac.compare_digest(expected.encode(), str(mac).encode())

    def is_genuine(self, event: Row) -> bool:
        """Whether a process with a known key has written this event."""
        return self.has(event["key_id"]) and self.is_valid(
            Purpose.EVENT, event_text(event), key_id=event["key_id"], mac=event["mac"]
        )

    def store(self) -> None:
        """Store the known keys in the database."""
        rows = [
            {"key_id": key_id, "encrypted_key": self.encrypter.encrypt(key.hex())}
            for key_id, key in self._known.items()
        ]
        with writing():
            AuditKey.insert_many(rows).on_conflict_ignore().execute()

    def load(self) -> None:
        """Read the keys that are stored in the database."""
        with reading():
            encrypted_keys = {row["key_id"]: row["encrypted_key"] for row in stored_rows(AuditKey.select())}
        for key_id, token in encrypted_keys.items():
            with suppress(InvalidToken, ValueError):
                key = bytes.fromhex(self.encrypter.decrypt(str(token)))
                # A row with the id of another key would make one key pass for the other.
                if _id_of(key) == key_id:
                    self._known[key_id] = key
        self.stored = set(encrypted_keys)
        self.unreadable = encrypted_keys.keys() - self._known.keys()


def _id_of(key: bytes) -> str:
    return _mac(key, Purpose.KEY_ID, "")[:16]


def _mac(key: bytes, purpose: Purpose, content: str) -> str:
    return hmac.digest(key, f"{purpose}\n{content}".encode(), "sha256").hex()
