"""Re-encrypts the secrets in the database after SECRET_KEY has changed."""

from typing import Any

import peewee
from cryptography.fernet import InvalidToken

from models.audit_trail import AuditKey
from models.bets import Bet
from models.db.connection import reading, writing
from models.prizes import Prize
from models.two_factor import RecoveryCode, TwoFactor
from models.users import AnnouncedSeed
from services.audit_trail.events import What
from services.audit_trail.keys import AuditKeys
from services.audit_trail.recording import record
from services.shared.clock import Millis
from services.shared.encryption import Encrypter

BATCH = 200


def rotate(
    *,
    seeds: Encrypter,
    two_factor: Encrypter,
    shipping: Encrypter,
    audit_keys: AuditKeys,
    now: Millis,
) -> tuple[dict[str, int], list[str]]:
    """Re-encrypt with the current key what was encrypted with a previous one, batch by batch.

    Returns how many values of each kind were re-encrypted, and a line for each that no key decrypts (ids,
    never contents). Players may play meanwhile if the running servers have the current key: a row that a
    server changes after it was read here has that key already, and the guarded update leaves it alone.
    """
    # Those of SECRET_KEY_PREVIOUS are no longer known when that is emptied.
    audit_keys.store()
    columns: dict[str, tuple[peewee.Field, peewee.Field, Encrypter]] = {
        "announced_seeds": (AnnouncedSeed.user, AnnouncedSeed.sealed_server_seed, seeds),
        "bets": (Bet.id, Bet.sealed_server_seed, seeds),
        "two_factor_secrets": (TwoFactor.user, TwoFactor.sealed_secret, two_factor),
        "recovery_codes": (RecoveryCode.id, RecoveryCode.sealed_code, two_factor),
        "shipping_addresses": (Prize.id, Prize.sealed_address, shipping),
        "audit_keys": (AuditKey.key_id, AuditKey.sealed_key, audit_keys.encrypter),
    }
    unreadable: list[str] = []
    counts = {name: _rotate_column(*column, unreadable) for name, column in columns.items()}
    with writing():
        record(What.SECRETS_RESEALED, now=now, user_id=None, after={"unreadable": len(unreadable)})
    return counts, unreadable


def _rotate_column(
    key: peewee.Field, sealed: peewee.Field, encrypter: Encrypter, unreadable: list[str]
) -> int:
    """Re-encrypt the values of one column; returns how many changed."""
    table = key.model
    query = table.select(key, sealed).where(sealed.is_null(False)).order_by(key).limit(BATCH).tuples()
    count, last = 0, 0
    while batch := _batch(query.where(key > last)):
        # Outside the transaction, which should be short.
        changes = []
        for last, old in batch:
            try:
                changes.append((last, old, encrypter.renew(old)))
            except InvalidToken:
                unreadable.append(f"{table._meta.table_name} {last}: no key opens it")  # noqa: SLF001  # peewee's documented place of a table's name
        with writing():
            for number, old, new in changes:
                if new != old:
                    update = table.update({sealed: new}).where(key == number, sealed == old)
                    count += update.execute()
    return count


@reading()
def _batch(query: peewee.Select) -> list[Any]:
    return list(query)
