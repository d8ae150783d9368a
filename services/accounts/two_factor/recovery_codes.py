"""Recovery codes: for a player who has lost the authenticator. Each works once."""

import base64
import hmac
import re
import secrets

from models.db.connection import reading
from models.logins import RecoveryCode
from services.accounts.notifications import notify
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import Millis
from services.shared.encryption import Encrypter

COUNT = 10
PATTERN = re.compile(r"[A-Za-z2-7]{12}", re.ASCII)


def normalized(text: str) -> str | None:
    """A recovery code as it is stored: in lowercase, without dashes. None if it can't be one."""
    text = text.replace("-", "")
    return text.lower() if PATTERN.fullmatch(text) else None


def draw() -> list[str]:
    """New codes, as players see them: ``abcd-efgh-2345``, 60 random bits each."""
    drawn = (base64.b32encode(secrets.token_bytes(10)).decode().lower() for _ in range(COUNT))
    return [f"{text[:4]}-{text[4:8]}-{text[8:12]}" for text in drawn]


def use(code: str, *, user_id: int, encrypter: Encrypter, now: Millis) -> bool:
    """Delete a code of the player, whose row is locked, and notify the player. Returns whether it was there.

    When a code is used several times at once, in any process, one use deletes the row. Raises InvalidToken.
    """
    rows = list(RecoveryCode.select().where(RecoveryCode.user == user_id))
    for row in rows:
        if hmac.compare_digest(encrypter.decrypt(row.encrypted_code), code):
            if not RecoveryCode.delete().where(RecoveryCode.id == row.id).execute():
                return False
            left = len(rows) - 1
            record(AuditEventType.RECOVERY_CODE_USED, now=now, user_id=user_id, after={"codesLeft": left})
            notify(
                user_id=user_id,
                title="Recovery code used",
                message=f"A recovery code of your account was used. Codes left: {left}.",
                now=now,
            )
            return True
    return False


@reading()
def count(user_id: int) -> int:
    """How many codes the player has left."""
    return int(RecoveryCode.select().where(RecoveryCode.user == user_id).count())
