"""Recording which settings have changed since the last start of a server."""

import hmac
import json
from dataclasses import fields
from typing import Any

from models.audit_trail import KnownSetting
from models.db.connection import database, writing
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import CHANGED, record, to_text
from services.shared.clock import Millis
from services.shared.encryption import derive_key
from settings import OF_ONE_PROCESS, VERSION, Settings


def record_changes(settings: Settings, *, now: Millis) -> None:
    """Record the settings that differ from those of the last start, and the version of the product.

    The first start records all. Settings that may differ between processes are left out. Of a secret value, a
    keyed digest is stored: it shows a change, and reveals nothing without SECRET_KEY.
    """
    secret = {each.name for each in fields(settings) if not each.repr}
    values = {each.name: getattr(settings, each.name) for each in fields(settings)} | {"version": VERSION}
    current = {name: value for name, value in values.items() if name not in OF_ONE_PROCESS}
    with writing():
        # When two processes start at once, the second finds what the first has recorded.
        database.obj.lock_tables(KnownSetting)
        stored = {known.name: json.loads(known.value) for known in KnownSetting.select()}
        differing = {
            name: value
            for name, value in current.items()
            if name not in stored or not _is_same(settings, name, value, stored[name])
        }
        changed = differing.keys() | (stored.keys() - current.keys())
        if not changed:
            return
        KnownSetting.delete().execute()
        rows = (
            {"name": name, "value": to_text(_digests(settings, name, value)[0] if name in secret else value)}
            for name, value in current.items()
        )
        KnownSetting.insert_many(rows).execute()
        record(
            AuditEventType.SETTINGS_CHANGED,
            now=now,
            user_id=None,
            before={
                # No setting is an object, so an object is a digest.
                name: CHANGED if isinstance(stored[name], dict) else stored[name]
                for name in changed & stored.keys()
            },
            after={name: CHANGED if name in secret else current[name] for name in differing},
        )


def _is_same(settings: Settings, name: str, value: Any, stored: Any) -> bool:
    if isinstance(stored, dict):
        return stored in _digests(settings, name, value)
    return to_text(value) == to_text(stored)


def _digests(settings: Settings, name: str, value: Any) -> list[dict[str, str]]:
    """The digests of a secret value with the current SECRET_KEY, and with the previous ones."""
    text = to_text([name, value]).encode()
    keys = [derive_key(key, "settings") for key in (settings.secret_key, *settings.previous_secret_keys)]
    return [{"mac": hmac.digest(key, text, "sha256").hex()} for key in keys]
