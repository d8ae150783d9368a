"""Makes spectators of sockets whose sessions were ended by another process, or by a command."""

import peewee

from models.session_numbers import find_raised
from server.realtime.server import Realtime
from services.shared.background import pause

ROUND_SECONDS = 0.8
"""Less than the second within which the sockets become spectators, because a round takes time too."""

PLAYERS_AT_ONCE = 1_000
"""Players in one query."""


def watch_sessions(running: Realtime) -> None:
    """Compare the session numbers of the connected players with the database, in one task."""

    def end_here() -> None:
        for some in peewee.chunked(running.connections.sessions().items(), PLAYERS_AT_ONCE):
            for user_id, number in find_raised(dict(some)):
                running.end_sessions(user_id, before=number)
            pause()

    running.repeat(end_here, every_seconds=ROUND_SECONDS, on_failure="sessions not compared")
