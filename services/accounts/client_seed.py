"""The stored client seed of a player, for bets that do not send one."""

import re
import secrets

from models.db.connection import writing
from models.users import User
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import CHANGED, record
from services.shared.clock import Millis
from services.shared.errors import Refusal

CLIENT_SEED = re.compile(r"[A-Za-z0-9_-]{4,64}", re.ASCII)


class InvalidClientSeed(Refusal):
    """The seed is missing or malformed."""

    text = "Client seed must be 4 to 64 letters, digits, dashes and underscores"


def draw() -> str:
    """A first client seed for a new account: 16 hex characters."""
    return secrets.token_hex(8)


def is_client_seed(text: object) -> bool:
    """Whether this is 4 to 64 ASCII letters, digits, dashes and underscores."""
    return isinstance(text, str) and CLIENT_SEED.fullmatch(text) is not None


def change(*, user_id: int, seed: object, now: Millis) -> None:
    """Set the seed for the next bets. Raises InvalidClientSeed."""
    if not is_client_seed(seed):
        raise InvalidClientSeed
    with writing():
        User.update(client_seed=seed).where(User.id == user_id).execute()
        record(AuditEventType.CLIENT_SEED_CHANGED, now=now, user_id=user_id, after={"clientSeed": CHANGED})
