"""Tells players about changes of their logins."""

from collections.abc import Sequence
from typing import Any, cast

from flask import current_app

from server.realtime.realtime import Realtime
from services.container import Services
from services.shared.signals import Signal
from sockets.schemas import LoginsChangedSchema

LOGINS_CHANGED = "logins:changed"

PAYLOAD = LoginsChangedSchema()


class LoginChanges:
    """Sends the event ``logins:changed`` to the player's sockets, here and in other processes."""

    def __init__(self, realtime: Realtime, services: Services) -> None:
        self._realtime = realtime
        self._services = services

    def send(self, user_id: int, logins: Sequence[str]) -> None:
        """Send what the player's logins are now. Never waits."""
        self._send_here(user_id, logins)
        self._services.signals.publish(Signal.LOGINS, {"player": user_id, "logins": list(logins)})

    def forward(self, signal: Any) -> None:
        """Send what another process has changed."""
        self._send_here(signal["player"], signal["logins"])

    def _send_here(self, user_id: int, logins: Sequence[str]) -> None:
        for sid in self._realtime.connections.sids_of(user_id):
            self._realtime.send(sid, [(LOGINS_CHANGED, PAYLOAD.dump({"logins": logins}))])


def login_changes() -> LoginChanges:
    """The LoginChanges of the running app."""
    return cast("LoginChanges", current_app.extensions["login_changes"])
