"""What a socket gets when it connects."""

from flask import Flask

from blueprints.games import messages
from blueprints.games.proof_delivery import proofs
from models.db.connection import reading
from server.current_services import get_services
from server.realtime.server import Realtime, realtime
from server.redaction import safe_exception_summary
from server.repeated_lines import log
from services.accounts.balances import balances_of
from services.fairness.server_seeds import Commitment
from services.games import live_bets


def send_state_on_connect(app: Flask, running: Realtime) -> None:
    """Send each new socket its player's state, and announce commitments that are drawn anew."""

    def joined(sid: str) -> None:
        running.in_background(_send_state, sid)

    def announce(user_id: int, commitment: Commitment) -> None:
        running.send_to_player(user_id, [messages.commitment_event(commitment)])

    running.handshakes.on_joined.append(joined)
    app.extensions["services"].seeds.on_redraw = announce


def _send_state(sid: str) -> None:
    """Send a new socket its player's commitment, balance and proofs, then the newest live bets."""
    if realtime().connections.get(sid) is None:
        return
    try:
        # One database connection for all of it: after a restart all clients reconnect at once.
        with reading():
            user_id = realtime().connections.player_of(sid)
            if user_id is not None:
                _send_player_state(user_id, sid)
            newest = live_bets.newest(now=get_services().clock())
            realtime().send([sid], [messages.live_bets_event(newest)])
    except Exception as failure:  # noqa: BLE001  # the socket stays connected; all of this is also served over HTTP
        log.error("sending the state on connect failed", extra={"failure": safe_exception_summary(failure)})


def _send_player_state(user_id: int, sid: str) -> None:
    commitment = messages.commitment_event(get_services().seeds.announced(user_id=user_id))
    realtime().send([sid], [commitment, messages.balance_event(balances_of(user_id))])
    proofs().send_missed(user_id, sid=sid)
