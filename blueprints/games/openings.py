"""The events ``case:open`` and ``irl:open``."""

from typing import Any

from flask import Flask

from blueprints.games.bet_events import BetEvent, common_fields, install_bet_event
from server.metrics import Metrics
from server.realtime.server import Realtime
from services.container import Services
from services.games.errors import InvalidRequest
from services.games.play import WON, PlayedBet
from services.openings.opening import OpeningRequest, Openings
from services.shared.money import number_from_cents


def install_openings(app: Flask, running: Realtime) -> None:
    """Handle openings of cases on this server."""
    services: Services = app.extensions["services"]
    _install(app, running, services.case_openings)
    _install(app, running, services.irl_openings)


def _install(app: Flask, running: Realtime, openings: Openings) -> None:
    services: Services = app.extensions["services"]
    metrics: Metrics = app.extensions["metrics"]
    game = openings.game
    event = f"{game}:open"

    def play(user_id: int, payload: object) -> PlayedBet:
        return openings.play(user_id=user_id, request=read_opening(event, payload), clock=services.clock)

    def count(outcome: str) -> None:
        metrics.openings.labels(game, outcome).inc()

    install_bet_event(app, running, BetEvent(name=event, play=play, answer=opening_answer, count=count))


def read_opening(event: str, payload: object) -> OpeningRequest:
    """Check the types of a payload; the service checks its values. Raises InvalidRequest."""
    given, common = common_fields(payload)
    case = given.get("case")
    if not isinstance(case, str):
        raise InvalidRequest
    return OpeningRequest(event=event, case=case, snapshot=given.get("snapshot"), **common)


def opening_answer(played: PlayedBet) -> dict[str, Any]:
    """The answer to a settled opening: the item with its value, and its id if it is kept as a prize."""
    bet = played.bet
    result = {
        "success": bet.status == WON,
        "amount": number_from_cents(bet.payout_cents),
        "item": bet.item,
    }
    if played.prize_id is not None:
        result["prizeId"] = str(played.prize_id)
    return {"status": True, "result": result}
