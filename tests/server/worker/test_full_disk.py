"""A full disk: what cannot be stored is refused, and nothing is stored in part."""

import resource
from contextlib import contextmanager

import pytest

from tests.harness.process_stats import children
from tests.harness.servers import gunicorn
from tests.storms.faults.routes import Outcome
from tests.storms.faults.storm import FaultStorm
from tests.support.markers import sqlite_only

pytestmark = pytest.mark.process


@contextmanager
def no_room_for(pid):
    """During the block, a process and its children can write to no file."""
    before = {each: resource.prlimit(each, resource.RLIMIT_FSIZE) for each in (pid, *children(pid))}
    for each, (_, hard) in before.items():
        resource.prlimit(each, resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        for each, limits in before.items():
            resource.prlimit(each, resource.RLIMIT_FSIZE, limits)


@pytest.fixture
def production(app, env, warm_start, tmp_path):
    with warm_start.server_process(gunicorn(), env, tmp_path) as server:
        yield server


@sqlite_only
@pytest.mark.thorough
@pytest.mark.guarantee("Faults around the server")
@pytest.mark.security("Faults around the server")
def test_a_full_disk_loses_nothing_and_the_server_recovers(app, production):
    storm = FaultStorm(app, production.url)
    storm.begin()

    result = storm.run("full disk", no_room_for(production.process.pid), seconds=3)
    problems = storm.end()

    assert result.wrong + problems == []
    assert result.refused["upgrader:spin"] > 3
    assert result.outcomes[Outcome.SUCCESS] > 10
