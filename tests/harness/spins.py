"""Real spins with a clock of the test, settled by the service without a server."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from flask import Flask

from services.bets.settlement import BetSettler, SettledBet
from services.bets.upgrader import SpinRequest
from services.bets.writer import BetWriter
from services.container import Services
from services.shared.clock import Millis
from tests.harness.players import Player

DAY_MS = 24 * 3600 * 1000


def at(text: str) -> int:
    """A date and time of UTC, such as ``2026-03-18 12:00``, in ms."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


class Clock:
    """A time in ms that changes only when the test sets it."""

    def __init__(self, now: int) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def advance(self, *, ms: int = 0, **units: float) -> None:
        """Move by this time; ``units`` are those of ``timedelta``, such as days."""
        self.now += ms + timedelta(**units) // timedelta(milliseconds=1)


def settler(services: Services, clock: Callable[[], int]) -> BetSettler:
    """What settles bets at the times of this clock."""
    return BetSettler(
        seeds=services.seeds,
        bet_log=services.log,
        settings=services.settings,
        clock=cast("Callable[[], Millis]", clock),
    )


def writer(services: Services, clock: Callable[[], int], **settings: object) -> BetWriter:
    """What writes bets at the times of this clock, and with these settings."""
    return BetWriter(
        bet_log=services.log,
        settings=replace(services.settings, **settings),
        clock=cast("Callable[[], Millis]", clock),
    )


def play_spin(
    app: Flask,
    player: Player,
    item: str,
    *,
    clock: Callable[[], int] | None = None,
    amount: Any = 1,
    **request: Any,
) -> SettledBet:
    """Settle a spin of the player, by default of one coin and now, without a server that knows of it."""
    services = app.extensions["services"]
    spin = SpinRequest(user_id=player.id, amount=amount, item=item, **request)
    return settler(services, clock or services.clock).settle(services.upgrader, spin)
