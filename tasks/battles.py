"""Ends battles when their beacons arrive, and cancels those that must not begin any more."""

from flask import Flask

from server.realtime.repeated_task import RepeatedTask
from services.container import Services

CONTENTS_EVERY_SECONDS = 600.0


def tasks(app: Flask) -> list[RepeatedTask]:
    """They do nothing while there are no battles."""
    services: Services = app.extensions["services"]
    upkeep, beacons = services.battle_upkeep, services.beacons
    ending = RepeatedTask(upkeep.end_due, every_seconds=0.25, on_failure="battles not ended")
    beacons.on_arrival.append(lambda _: ending.woken.set())
    return [
        ending,
        RepeatedTask(upkeep.cancel_due, every_seconds=1.0, on_failure="battles not cancelled"),
        RepeatedTask(
            upkeep.forget_contents,
            every_seconds=CONTENTS_EVERY_SECONDS,
            on_failure="contents of battles not deleted",
        ),
    ]
