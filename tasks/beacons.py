"""The background tasks of beacons: one that looks what is wanted, and one that polls each relay."""

import math

from flask import Flask
from prometheus_client import CollectorRegistry, Counter, Gauge

from server.realtime.repeated_task import RepeatedTask
from services.beacon.beacons import Beacons, Outcome, RelayState
from services.beacon.polling import IDLE_SECONDS, RelayPolling
from services.container import Services
from services.shared.signals import Signal

STOP_SECONDS = 0.1
"""A relay may hold its answer for seconds, and what it answers after the stop is not used."""


def tasks(app: Flask) -> list[RepeatedTask]:
    """All tasks of beacons; none if battles are off."""
    services: Services = app.extensions["services"]
    beacons = services.beacons
    if not beacons.is_on:
        return []
    _add_metrics(beacons, app.extensions["metrics"].registry, services)
    looking = RepeatedTask(beacons.look_up, every_seconds=1.0, on_failure="beacons not looked up")
    beacons.on_wanted.append(looking.woken.set)
    # A battle that another process has opened may be locked here within the second.
    services.signals.on(Signal.BATTLES, lambda _: beacons.want())
    return [looking, *(_polling(relay, services) for relay in beacons.relays)]


def _polling(relay: RelayState, services: Services) -> RepeatedTask:
    beacons = services.beacons
    polling = RelayPolling(beacons, relay, clock=services.clock)

    def poll() -> None:
        task.every_seconds = polling.run()

    task = RepeatedTask(
        poll,
        every_seconds=IDLE_SECONDS,
        on_failure="relay not polled",
        at_start=beacons.start,
        interrupt=beacons.stop,
        stop_seconds=STOP_SECONDS,
    )
    beacons.on_wanted.append(task.woken.set)
    return task


def _add_metrics(beacons: Beacons, registry: CollectorRegistry, services: Services) -> None:
    answers = Counter(
        "beacon_answers", "Questions to relays by their outcome", ["relay", "outcome"], registry=registry
    )
    for relay in beacons.relays:
        for outcome in Outcome:
            answers.labels(relay.name, outcome)

    def count(relay: RelayState, outcome: Outcome) -> None:
        answers.labels(relay.name, outcome).inc()

    def delay_seconds() -> float:
        newest = beacons.newest()
        if newest is None:
            return math.nan
        return (newest.at_ms - beacons.chain.time_ms(newest.beacon.round)) / 1_000

    def newest_round() -> int:
        newest = beacons.newest()
        return newest.beacon.round if newest else 0

    beacons.on_answer.append(count)
    newest = Gauge("beacon_round", "The newest round that has arrived", registry=registry)
    newest.set_function(newest_round)
    delay = Gauge("beacon_delay_seconds", "How long after its time that round came", registry=registry)
    delay.set_function(delay_seconds)
    paused = Gauge("battles_paused", "1 while no battle can be locked", registry=registry)
    paused.set_function(lambda: beacons.is_wanted() and not beacons.is_fresh(services.clock()))
