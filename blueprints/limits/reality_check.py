"""Sends ``limits:reality-check``: how long a player has played without a pause, and what it has cost."""

import peewee
from flask import Flask

from blueprints.games.schemas import RealityCheckSchema
from server.realtime.server import Realtime
from services.container import Services
from services.limits import play_sums
from services.limits.play_sums import PlaySession
from services.shared.background import pause
from services.shared.clock import Millis

REALITY_CHECK = "limits:reality-check"

ROUND_SECONDS = 2.0
PLAYERS_AT_ONCE = 1_000
"""Players in one query."""

Check = tuple[Millis, int]
"""When a play session began, and how many checks have been due in it."""

_schema = RealityCheckSchema()


class RealityChecks:
    """Sends each socket the checks that become due while it is connected."""

    def __init__(self, running: Realtime, services: Services, *, every: Millis) -> None:
        self._running = running
        self._services = services
        self._every = every
        self._last: dict[str, Check] = {}
        """The last check of each socket that was there in the last round."""

    def send_due(self) -> None:
        """Look at the play sessions of all connected players once."""
        last: dict[str, Check] = {}
        for user_ids in peewee.chunked(self._running.connections.players(), PLAYERS_AT_ONCE):
            now = self._services.clock()
            sessions = play_sums.running_sessions(list(user_ids), longer_than=self._every, now=now)
            for user_id in user_ids:
                for sid in self._running.connections.sids_of(user_id):
                    last[sid] = self._send(sid, sessions.get(user_id), now=now)
            pause()
        self._last = last

    def _send(self, sid: str, session: PlaySession | None, *, now: Millis) -> Check:
        """Send a socket the check of its player's session, if it has become due. Returns the last one."""
        if session is None:
            return Millis(0), 0
        before = self._last.get(sid)
        check = session.since, (now - session.since) // self._every
        if before is not None and before[0] == session.since and before[1] >= check[1]:
            return before
        # To a new socket, only the checks that become due from now on are sent.
        if before is not None:
            self._running.send(sid, [(REALITY_CHECK, _schema.dump(session))])
        return check


def install_reality_checks(app: Flask, running: Realtime) -> None:
    """Send reality checks from this server, if REALITY_CHECK_MINUTES is set."""
    services: Services = app.extensions["services"]
    if every := services.settings.reality_check_ms:
        checks = RealityChecks(running, services, every=Millis(every))
        running.repeat(
            checks.send_due, every_seconds=ROUND_SECONDS, on_failure="reality checks were not sent"
        )
