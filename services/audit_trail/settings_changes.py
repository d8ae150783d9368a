"""Recording which settings have changed since the last start of a server."""

import json
from dataclasses import fields
from typing import Any

from models.audit_trail import KnownSetting
from models.db.connection import database, writing
from services.audit_trail.canonical import to_text
from services.audit_trail.events import AuditEventType
from services.audit_trail.keys import AuditKeys, Purpose
from services.audit_trail.recording import CHANGED, record
from services.shared.clock import Millis
from settings import OF_ONE_PROCESS, VERSION, Settings


def record_changes(keys: AuditKeys, settings: Settings, *, now: Millis) -> None:
    """Record the settings that differ from those of the last start, and the version of the product.

    The first start records all. Settings that may differ between processes are left out.
    """
    keys.load()
    values = {each.name: getattr(settings, each.name) for each in fields(settings)} | {"version": VERSION}
    current = {name: value for name, value in values.items() if name not in OF_ONE_PROCESS}
    secret = {each.name for each in fields(settings) if not each.repr}
    with writing():
        # When two processes start at once, the second finds what the first has recorded.
        database.obj.lock_tables(KnownSetting)
        stored = {known.name: json.loads(known.value) for known in KnownSetting.select()}
        differing = {
            name: value
            for name, value in current.items()
            if name not in stored or not _is_same(keys, name, value, stored[name])
        }
        changed = differing.keys() | (stored.keys() - current.keys())
        if not changed:
            return
        KnownSetting.delete().execute()
        rows = (
            {"name": name, "value": to_text(_digest(keys, name, value) if name in secret else value)}
            for name, value in current.items()
        )
        KnownSetting.insert_many(rows).execute()
        record(
            AuditEventType.SETTINGS_CHANGED,
            now=now,
            user_id=None,
            before={
                name: CHANGED if _is_digest(stored[name]) else stored[name]
                for name in changed & stored.keys()
            },
            after={name: CHANGED if name in secret else current[name] for name in differing},
        )


def _is_same(keys: AuditKeys, name: str, value: Any, stored: Any) -> bool:
    if not _is_digest(stored):
        return to_text(value) == to_text(stored)
    key_id, mac = stored["keyId"], stored["mac"]
    return keys.has(key_id) and keys.is_valid(Purpose.SETTING, to_text([name, value]), key_id=key_id, mac=mac)


def _digest(keys: AuditKeys, name: str, value: Any) -> dict[str, str]:
    """The stored digest of a secret value: it shows a change, and reveals nothing without SECRET_KEY."""
    return {"keyId": keys.current_id, "mac": keys.sign(Purpose.SETTING, to_text([name, value]))}


def _is_digest(stored: Any) -> bool:
    # No setting is an object.
    return isinstance(stored, dict)
