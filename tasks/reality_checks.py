"""Sends ``limits:reality-check``: how long a player has played without a pause, and what it has cost."""

import peewee
from flask import Flask

from server.realtime.realtime import Realtime
from server.realtime.repeated_task import RepeatedTask
from services.container import Services
from services.limits import play_statistics
from services.shared.background import pause
from services.shared.clock import Millis
from sockets.schemas import RealityCheckSchema

REALITY_CHECK = "limits:reality-check"

PLAYERS_AT_ONCE = 1_000
"""Players in one query."""

_schema = RealityCheckSchema()


class RealityChecks:
    """Sends each player the checks that have become due since the last round."""

    def __init__(self, realtime: Realtime, services: Services, *, every: Millis) -> None:
        self._realtime = realtime
        self._services = services
        self._every = every
        self._last_round_at = services.clock()

    def send_due(self) -> None:
        """Look at the play sessions of all connected players once."""
        connections, now = self._realtime.connections, self._services.clock()
        for user_ids in peewee.chunked(connections.players(), PLAYERS_AT_ONCE):
            played = play_statistics.running_play_sessions(list(user_ids), longer_than=self._every, now=now)
            for user_id, play_session in played.items():
                due_before = (self._last_round_at - play_session.since) // self._every
                if (now - play_session.since) // self._every > due_before:
                    for sid in connections.sids_of(user_id):
                        self._realtime.send(sid, [(REALITY_CHECK, _schema.dump(play_session))])
            pause()
        self._last_round_at = now


def task(app: Flask, *, every_seconds: float) -> RepeatedTask | None:
    """Send reality checks from this server, if REALITY_CHECK_MINUTES is set."""
    services: Services = app.extensions["services"]
    if not (every := services.settings.reality_check_ms):
        return None
    checks = RealityChecks(app.extensions["realtime"], services, every=Millis(every))
    return RepeatedTask(
        checks.send_due, every_seconds=every_seconds, on_failure="reality checks were not sent"
    )
