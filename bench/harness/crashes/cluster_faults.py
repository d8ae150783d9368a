"""What may happen to several processes and to the Redis between them, during a storm."""

import time
from pathlib import Path

from bench.harness.cluster import Process
from bench.harness.crashes.storm import CrashStorm
from bench.harness.redis import RedisServer

LONGEST_DELAY_MS = 10_000
"""A connected player receives a proof so soon after it is due, whatever happens."""

AHEAD_SECONDS = 60
AHEAD = "ahead of the database's"
"""What a process logs at its start."""


def clock_ahead() -> dict[str, str]:
    """The variables that set a process's clock ahead, but not its monotonic timers."""
    # Not the command faketime: it does not pass signals on.
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    return {
        "LD_PRELOAD": str(library),
        "FAKETIME": f"+{AHEAD_SECONDS}s",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


class ClusterFaults:
    """Faults of a storm whose players reconnect to another process."""

    def __init__(self, storm: CrashStorm, redis: RedisServer) -> None:
        self._storm = storm
        self._redis = redis

    def kill_a_process(self, every_seconds: float) -> None:
        time.sleep(every_seconds)
        self._storm.kill_server()

    def pause_redis(self, seconds: float) -> None:
        """Connections stay open, and nothing is answered."""
        with self._redis.paused():
            time.sleep(seconds)

    def kill_redis(self, seconds: float) -> None:
        with self._redis.away():
            time.sleep(seconds)

    def cut_subscribers(self) -> None:
        self._redis.cut_subscribers(len(self._storm.servers.processes))

    def set_a_clock_ahead(self, seconds: float) -> None:
        """Start a process again whose machine's clock is ahead; after these seconds, with the right one."""
        process = self._storm.servers.processes[-1]
        for preload in (clock_ahead(), {}):
            process.preload = preload
            self.restart(process)
            assert process.running is not None
            assert (AHEAD in process.running.log.read_text()) == bool(preload)
            time.sleep(seconds if preload else 0)

    def restart_each(self) -> None:
        """Restart all processes one after the other, as a new release does."""
        for process in self._storm.servers.processes:
            self.restart(process)

    def restart(self, process: Process) -> None:
        code = process.stop()
        assert code == 0, f"a process that was stopped exited with {code}"
        process.start()
