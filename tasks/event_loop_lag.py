"""Measures how late the event loop is."""

import math
import time

from flask import Flask
from prometheus_client import Histogram

from server.realtime.repeated_task import RepeatedTask

BUCKETS_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


def task(app: Flask, *, every_seconds: float) -> RepeatedTask:
    """Measure how much later than after this time a task is called again."""
    lag = Histogram(
        "event_loop_lag_seconds",
        "How late a sleeping task is woken",
        buckets=BUCKETS_SECONDS,
        registry=app.extensions["metrics"].registry,
    )
    due = math.inf

    def observe() -> None:
        nonlocal due
        now = time.perf_counter()
        lag.observe(max(now - due, 0))
        due = now + every_seconds

    return RepeatedTask(observe, every_seconds=every_seconds, on_failure="event loop lag not measured")
