"""Snapshots that one process has shown and another one is asked for."""

import hashlib

import pytest
import requests

from bench.harness.players import import_case
from tests.support.apps import import_item

pytestmark = pytest.mark.redis

PRICES = (10, 11)


@pytest.mark.thorough
@pytest.mark.usefixtures("gunicorn_app")
def test_a_snapshot_shown_by_one_process_is_found_elsewhere(urls):
    here, there = urls
    for price in PRICES:
        import_item("Gun of a snapshot", price=price)
        import_case("Snapshot Case", {"Gun of a snapshot": 100})
        # Another address each time, so that the response is not a cached one.
        hash_ = requests.get(f"{here}/api/cases/snapshot-case?{price}", timeout=10).json()["snapshot"]

        found = requests.get(f"{there}/snapshots/{hash_}", timeout=10)

        assert hashlib.sha256(found.content).hexdigest() == hash_
