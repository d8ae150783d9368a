"""What a socket gets when it connects."""

from flask import Flask

from blueprints.games.live_feed import LiveFeed
from blueprints.games.player_state import PlayerState
from blueprints.games.proof_delivery import ProofDelivery
from models.db.connection import reading
from server.realtime.server import Realtime
from server.repeated_lines import log


def send_state_on_connect(app: Flask, running: Realtime) -> None:
    """Send each new socket its player's commitment, balance and proofs, then the newest live bets."""
    player_state: PlayerState = app.extensions["player_state"]
    live_feed: LiveFeed = app.extensions["live_feed"]
    proofs: ProofDelivery = app.extensions["proofs"]

    def send_state(sid: str) -> None:
        if running.connections.get(sid) is None:
            return
        try:
            # One database connection for all of it: after a restart all clients reconnect at once.
            with reading():
                user_id = running.connections.player_of(sid)
                if user_id is not None:
                    player_state.send_all(user_id, sid=sid)
                    proofs.send_missed(user_id, sid=sid)
                live_feed.send_newest(sid)
        except Exception:  # noqa: BLE001  # the socket stays connected; all of this is also served over HTTP
            log.exception("sending the state on connect failed")

    running.on_joined = lambda sid: running.in_background(send_state, sid)
