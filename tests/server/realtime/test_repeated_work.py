"""Work that a server repeats in the background."""

import threading

from server.realtime import repeated_task
from server.realtime.repeated_task import RepeatedTask


def test_work_woken_in_a_failed_round_runs_at_once(app, monkeypatch):
    monkeypatch.setattr(repeated_task, "RETRY_SECONDS", 0.05)
    realtime = app.extensions["realtime"]
    begun = threading.Semaphore(0)

    def fail():
        begun.release()
        task.woken.set()
        raise ValueError

    task = RepeatedTask(fail, every_seconds=3_600, on_failure="failed")
    realtime.tasks.append(task)
    realtime.start()

    try:
        assert begun.acquire(timeout=10)
        assert begun.acquire(timeout=10)
    finally:
        realtime.close()
