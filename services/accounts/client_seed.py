"""The stored client seed of a player, for bets that do not send one."""

from models.db.connection import writing
from models.users import User
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import CHANGED, record
from services.fairness import rolls
from services.shared.clock import Millis
from services.shared.errors import Refusal


class InvalidClientSeed(Refusal):
    """The seed is missing or malformed."""

    text = "Client seed must be 4 to 64 letters, digits, dashes and underscores"


def change(*, user_id: int, seed: object, now: Millis) -> None:
    """Set the seed for the next bets. Raises InvalidClientSeed."""
    if not rolls.is_client_seed(seed):
        raise InvalidClientSeed
    with writing():
        User.update(client_seed=seed).where(User.id == user_id).execute()
        record(AuditEventType.CLIENT_SEED_CHANGED, now=now, user_id=user_id, after={"clientSeed": CHANGED})
