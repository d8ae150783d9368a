"""The background tasks of exports: making them, in one process at a time, and deleting those of yesterday."""

import logging

from flask import Flask

from server.realtime.repeated_task import RepeatedTask
from services.container import Services
from services.exports import requests
from services.shared.lease import LeaseLost

log = logging.getLogger("platform.exports")


def making(app: Flask, *, every_seconds: float) -> RepeatedTask:
    """Make the exports that were asked for."""
    maker = services_of(app).export_maker

    def make() -> None:
        try:
            maker.run()
        except LeaseLost as lost:
            log.warning(str(lost))

    return RepeatedTask(
        make,
        every_seconds=every_seconds,
        on_failure="exports not made",
        interrupt=maker.stop,
        after_stop=maker.release,
    )


def deleting(app: Flask, *, every_seconds: float) -> RepeatedTask:
    """Delete the exports that are over."""
    services = services_of(app)
    return RepeatedTask(
        lambda: requests.delete_old(now=services.clock()),
        every_seconds=every_seconds,
        on_failure="old exports not deleted",
    )


def services_of(app: Flask) -> Services:
    services: Services = app.extensions["services"]
    return services
