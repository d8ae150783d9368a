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
    shared = [each for each in fields(settings) if each.name not in OF_ONE_PROCESS]
    texts = {each.name: _texts(settings, each.name, is_secret=not each.repr) for each in shared}
    texts["version"] = [to_text(VERSION)]
    with writing():
        # When two processes start at once, the second finds what the first has recorded.
        database.obj.lock_tables(KnownSetting)
        stored = {known.name: known.value for known in KnownSetting.select()}
        names = sorted(texts.keys() | stored.keys())
        changed = [name for name in names if stored.get(name) not in texts.get(name, [])]
        if not changed:
            return
        KnownSetting.delete().execute()
        KnownSetting.insert_many({"name": name, "value": known[0]} for name, known in texts.items()).execute()
        record(
            AuditEventType.SETTINGS_CHANGED,
            now=now,
            user_id=None,
            before={name: _shown(stored[name]) for name in changed if name in stored},
            after={name: _shown(texts[name][0]) for name in changed if name in texts},
        )


def _texts(settings: Settings, name: str, *, is_secret: bool) -> list[str]:
    """The text to store of a setting, and after it the others that may be stored of the same value.

    Those of a secret value are digests with the current SECRET_KEY, and with the previous ones.
    """
    value = getattr(settings, name)
    if not is_secret:
        return [to_text(value)]
    keys = [derive_key(key, "settings") for key in (settings.secret_key, *settings.previous_secret_keys)]
    named = to_text([name, value]).encode()
    return [to_text({"mac": hmac.digest(key, named, "sha256").hex()}) for key in keys]


def _shown(text: str) -> Any:
    """The value that is recorded. No setting is an object, so an object is a digest."""
    value = json.loads(text)
    return CHANGED if isinstance(value, dict) else value
