"""What a socket gets when it connects."""

from flask import Flask

from blueprints.games.live_feed import live_feed
from blueprints.games.player_state import player_state
from blueprints.games.proof_delivery import EXTENSION, ProofDelivery
from models.db.connection import reading
from server.realtime.server import Realtime, realtime
from server.redaction import safe_exception_summary
from server.repeated_lines import log


def send_state_on_connect(app: Flask, running: Realtime) -> None:
    """Send each new socket its player's state and the newest live bets."""
    proofs: ProofDelivery = app.extensions[EXTENSION]
    running.on_joined = lambda sid: running.in_background(_send_state, proofs, sid)


def _send_state(proofs: ProofDelivery, sid: str) -> None:
    """Send a new socket its player's commitment, balance and proofs, then the newest live bets."""
    if realtime().connections.get(sid) is None:
        return
    try:
        # One database connection for all of it: after a restart all clients reconnect at once.
        with reading():
            user_id = realtime().connections.player_of(sid)
            if user_id is not None:
                player_state().send_all(user_id, sid=sid)
                proofs.send_missed(user_id, sid=sid)
            live_feed().send_newest(sid)
    except Exception as failure:  # noqa: BLE001  # the socket stays connected; all of this is also served over HTTP
        log.error("sending the state on connect failed", extra={"failure": safe_exception_summary(failure)})
