"""The live bets of all processes: one event for each bet that is over, to everybody."""

from collections.abc import Sequence
from typing import Any

from flask import Flask

from blueprints.games import messages
from models.db.connection import reading
from server.current_services import get_services
from server.realtime.server import Realtime, realtime
from services.games import live_bets
from services.games.live_bets import LiveBet
from services.shared.signals import Signal


def install_live_feed(app: Flask, running: Realtime) -> None:
    """Send the live bets that other processes announce to the sockets of this one."""

    def forward(events: Any) -> None:
        running.in_background(running.broadcast, events)

    signals = app.extensions["services"].signals
    signals.on(Signal.LIVE_BETS, forward)
    signals.on_resumed.append(lambda: running.in_background(_send_newest_to_all))


def announce(bets: Sequence[LiveBet]) -> None:
    """Send these bets, which have just become over, to everybody, spectators included, in all processes."""
    events = messages.new_live_bet_events(bets)
    if events:
        get_services().signals.publish(Signal.LIVE_BETS, events)
        realtime().broadcast(events)


def send_newest(sid: str) -> None:
    """Send a new socket the list of the newest live bets."""
    realtime().send([sid], [_newest()])


def _send_newest_to_all() -> None:
    """Bets that other processes announced while signals were lost are in the list."""
    realtime().broadcast([_newest()])


@reading()
def _newest() -> tuple[str, Any]:
    return messages.live_bets_event(live_bets.newest(now=get_services().clock()))
