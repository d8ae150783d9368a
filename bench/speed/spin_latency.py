"""Times of spins through nginx while others download the whole catalogue as fast as they can.

nginx, with the configuration of deploy/, and the platform share the server's core. Debian's wrk downloads.
"""

import os
import shutil
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.speed.compare import Comparison, take_turns
from bench.speed.http_load import CONNECTIONS, WARMUP_SECONDS, Load
from bench.speed.items import GZIP
from bench.speed.machine import priorities_among_all, running_on
from bench.speed.players import connected_players, make_players, play
from bench.speed.ready import fetch
from bench.speed.result import Row
from bench.speed.stage import ITEMS, Stage
from tests.harness.line_process import LineProcess
from tests.harness.proxies import nginx
from tests.harness.servers import RunningServer

CROWD = 20
EVERY_SECONDS = 0.25
"""How often each player spins. All spins together leave the server time for other requests."""

SECONDS = 5.0
QUICK_SECONDS = 1.5
NICE = 7
"""The niceness with a fifth of the usual share, like ``CPUWeight=20`` of deploy/README.md."""


def measure(stage: Stage) -> Iterator[Row]:
    """The 99th percentile from sending a spin to its acknowledgement, on PostgreSQL."""
    with stage.new_postgres(items=ITEMS) as url:
        players = make_players(stage, url, CROWD)
        with (
            stage.platform(url, TRUSTED_PROXIES="1") as platform,
            _in_front_of(stage, platform) as proxied,
            connected_players(stage, proxied, players) as connected,
        ):
            # The first request builds the catalogue.
            fetch(proxied, GZIP)
            yield _row(stage, proxied, connected)


@contextmanager
def _in_front_of(stage: Stage, platform: RunningServer) -> Iterator[RunningServer]:
    """The platform at nginx's address, with the configuration of deploy/; nginx is on the server's core."""
    with (
        priorities_among_all(),
        TemporaryDirectory(dir=stage.directory) as place,
        running_on(stage.cores.server),
        nginx(upstream_ports=[platform.port], instance_dir=stage.directory, directory=Path(place)) as (
            url,
            process,
        ),
    ):
        os.setpriority(os.PRIO_PGRP, process.pid, NICE)
        yield replace(platform, url=url)


def _row(stage: Stage, proxied: RunningServer, connected: LineProcess) -> Row:
    seconds = QUICK_SECONDS if stage.quick else SECONDS

    def alone() -> Load:
        return play(
            connected, seconds=seconds, warmup_seconds=2 * WARMUP_SECONDS, every_seconds=EVERY_SECONDS
        )

    def beside() -> Load:
        with running_on(stage.cores.load), _downloads(proxied):
            return alone()

    loads = take_turns(beside, alone, rounds=stage.rounds)
    compared = Comparison.of("p99", *loads)
    own, other = (statistics.median(load.p50 for load in side) for side in loads)
    return Row(
        work="spin, 99th percentile, while /upgrader/items is asked at full speed, through nginx",
        against="the same without",
        goal=1.5,
        at_most=True,
        measured=compared.ratio,
        detail=(
            f"{compared.text('ms')}, {CONNECTIONS} connections; "
            f"medians {own:.3g} to {other:.3g} ms; "
            f"{CROWD} players with {1 / EVERY_SECONDS:.0f} spins a second each, PostgreSQL"
        ),
    )


@contextmanager
def _downloads(proxied: RunningServer) -> Iterator[None]:
    """Download the catalogue as fast as it is answered during the block, when nothing else has work.

    They stand for other machines, so the load tool and PostgreSQL, on the same core, must not wait for them.
    """
    wrk = shutil.which("wrk")
    assert wrk, "wrk is not installed (Debian package wrk)"
    options = [
        "--threads=1",
        f"--connections={CONNECTIONS}",
        "--duration=120s",
        "--header=Accept-Encoding: gzip",
    ]
    command = ["chrt", "--idle", "0", wrk, *options, proxied.url + GZIP.path]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            yield
            assert process.poll() is None, "wrk ended early"
        finally:
            process.terminate()
