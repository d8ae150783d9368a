"""Re-encrypts the secrets in the database after SECRET_KEY has changed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import peewee
from cryptography.fernet import InvalidToken

from models.audit_trail import AuditKey
from models.bets import Bet
from models.db.connection import reading, writing
from models.prizes import Prize
from models.two_factor import RecoveryCode, TwoFactor
from models.users import AnnouncedSeed
from services.accounts.two_factor.authentication import TwoFactorAuthentication
from services.audit_trail.events import What
from services.audit_trail.keys import AuditKeys
from services.audit_trail.recording import record
from services.fairness.server_seeds import ServerSeeds
from services.prizes.shipping import Shipping
from services.shared.clock import Millis

BATCH = 200


@dataclass
class RotationResult:
    """How many values were re-encrypted, and a line for each that no key decrypts (ids, never contents)."""

    announced_seeds: int = 0
    bets: int = 0
    two_factor_secrets: int = 0
    recovery_codes: int = 0
    shipping_addresses: int = 0
    audit_keys: int = 0
    unreadable: list[str] = field(default_factory=list)


def rotate(
    *,
    seeds: ServerSeeds,
    two_factor: TwoFactorAuthentication,
    shipping: Shipping,
    audit_keys: AuditKeys,
    now: Millis,
) -> RotationResult:
    """Re-encrypt with the current key what was encrypted with a previous one, batch by batch.

    Players may play meanwhile if the running servers have the current key: a row that a server changes after
    it was read here has that key already, and the guarded update leaves it alone.
    """
    unreadable: list[str] = []
    # Those of SECRET_KEY_PREVIOUS are no longer known when that is emptied.
    audit_keys.store()
    result = RotationResult(
        announced_seeds=_rotate_column(
            AnnouncedSeed.user, AnnouncedSeed.sealed_server_seed, renew=seeds.renew, unreadable=unreadable
        ),
        bets=_rotate_column(Bet.id, Bet.sealed_server_seed, renew=seeds.renew, unreadable=unreadable),
        two_factor_secrets=_rotate_column(
            TwoFactor.user, TwoFactor.sealed_secret, renew=two_factor.renew, unreadable=unreadable
        ),
        recovery_codes=_rotate_column(
            RecoveryCode.id, RecoveryCode.sealed_code, renew=two_factor.renew, unreadable=unreadable
        ),
        shipping_addresses=_rotate_column(
            Prize.id, Prize.sealed_address, renew=shipping.renew, unreadable=unreadable
        ),
        audit_keys=_rotate_column(
            AuditKey.key_id, AuditKey.sealed_key, renew=audit_keys.renew, unreadable=unreadable
        ),
        unreadable=unreadable,
    )
    with writing():
        record(What.SECRETS_RESEALED, now=now, user_id=None, after={"unreadable": len(unreadable)})
    return result


def _rotate_column(
    key: peewee.Field, sealed: peewee.Field, *, renew: Callable[[str], str], unreadable: list[str]
) -> int:
    """Re-encrypt the values of one column; returns how many changed."""
    table = key.model
    count = 0
    for batch in _batches(key, sealed):
        # Outside the transaction, which should be short.
        changes = []
        for number, old in batch:
            try:
                changes.append((number, old, renew(old)))
            except InvalidToken:
                unreadable.append(f"{table._meta.table_name} {number}: no key opens it")  # noqa: SLF001  # peewee's documented place of a table's name
        with writing():
            for number, old, new in changes:
                if new != old:
                    update = table.update({sealed: new}).where(key == number, sealed == old)
                    count += update.execute()
    return count


def _batches(key: peewee.Field, sealed: peewee.Field) -> Iterator[list[tuple[Any, str]]]:
    """All keys and values of the column, in the order of the keys."""
    query = key.model.select(key, sealed).where(sealed.is_null(False)).order_by(key).limit(BATCH).tuples()
    batch: list[tuple[Any, str]] = [(0, "")]
    while batch:
        with reading():
            batch = list(query.where(key > batch[-1][0]))
        yield batch
