"""The event ``upgrader:spin``."""

from decimal import Decimal
from typing import Any

from flask import Flask

from blueprints.games.bet_events import BetEvent, common_fields, install_bet_event
from server.metrics import Metrics
from server.realtime.server import Realtime
from services.container import Services
from services.games.errors import InvalidRequest
from services.games.play import WON, PlayedBet
from services.shared.money import number_from_cents
from services.upgrader.spin import SpinRequest

SPIN = "upgrader:spin"


def install_upgrader(app: Flask, running: Realtime) -> None:
    """Handle spins on this server, and look for the catalogue of other processes."""
    services: Services = app.extensions["services"]
    metrics: Metrics = app.extensions["metrics"]
    running.every_two_seconds.append(services.catalogue.look)

    def play(user_id: int, payload: object) -> PlayedBet:
        return services.upgrader.play(user_id=user_id, request=read_spin(payload), clock=services.clock)

    def count(outcome: str) -> None:
        metrics.spins.labels(outcome).inc()

    install_bet_event(app, running, BetEvent(name=SPIN, play=play, answer=spin_answer, count=count))


def read_spin(payload: object) -> SpinRequest:
    """Check the types of a payload; the service checks its values. Raises InvalidRequest."""
    given, common = common_fields(payload)
    amount, item = given.get("amount"), given.get("item")
    # A boolean or a text as amount is refused by the service, as an invalid amount.
    if not isinstance(amount, bool | str | int | float | Decimal) or not isinstance(item, str):
        raise InvalidRequest
    return SpinRequest(amount=amount, item=item, **common)


def spin_answer(played: PlayedBet) -> dict[str, Any]:
    """The answer to a settled spin: the item with its value if it was won, or with 0."""
    bet = played.bet
    return {
        "status": True,
        "result": {
            "success": bet.status == WON,
            "amount": number_from_cents(bet.payout_cents),
            "item": bet.item,
        },
    }
