"""Browsers in which players have logged in, told apart by a random cookie. Only staff see who shares one."""

import hashlib
import re
import secrets

from models.db.connection import writing
from models.logins import LoginDevice
from services.shared.clock import Millis

DEVICE = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)
"""The cookie: 128 random bits in base64url."""


def known_or_new(cookie: str | None) -> str:
    """The device that a browser has brought as its cookie, or a new one."""
    return cookie if cookie and DEVICE.fullmatch(cookie) else secrets.token_urlsafe(16)


def note(device: str, *, user_id: int, now: Millis) -> None:
    """Store that this player has logged in with the device, by the hash of the cookie."""
    key = hashlib.sha256(device.encode()).hexdigest()
    with writing():
        LoginDevice.insert(user=user_id, key=key, seen_at_ms=now).on_conflict(
            conflict_target=[LoginDevice.user, LoginDevice.key], update={LoginDevice.seen_at_ms: now}
        ).execute()
