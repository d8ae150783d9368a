"""Decides about locks, ends battles when beacons arrive, and cancels those that must not begin any more."""

from flask import Flask

from server.realtime.repeated_task import RepeatedTask
from services.container import Services
from services.demo.battles import DemoBattles

CONTENTS_EVERY_SECONDS = 600.0
DEMO_EVERY_SECONDS = 5.0


def tasks(app: Flask) -> list[RepeatedTask]:
    """They do nothing while there are no battles."""
    services: Services = app.extensions["services"]
    upkeep, beacons = services.battle_upkeep, services.beacons
    ending = RepeatedTask(upkeep.end_due, every_seconds=0.25, on_failure="battles not ended")
    beacons.on_arrival.append(lambda _: ending.woken.set())

    def decided(battle_id: int, _is_in_time: bool) -> None:  # noqa: FBT001  # a hook
        upkeep.lock_decided(battle_id)
        ending.woken.set()

    def decide_locks() -> None:
        if beacons.is_wanted():
            services.log.decide_locks()

    services.log.locks.on_decided.append(decided)
    found = [
        RepeatedTask(decide_locks, every_seconds=0.25, on_failure="locks not decided"),
        ending,
        RepeatedTask(upkeep.cancel_due, every_seconds=1.0, on_failure="battles not cancelled"),
        RepeatedTask(
            upkeep.forget_contents,
            every_seconds=CONTENTS_EVERY_SECONDS,
            on_failure="contents of battles not deleted",
        ),
    ]
    if beacons.is_demo:
        demo = DemoBattles(services)
        found.append(
            RepeatedTask(demo.keep, every_seconds=DEMO_EVERY_SECONDS, on_failure="demo battles not created")
        )
    return found
