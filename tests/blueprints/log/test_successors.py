"""Where a log is found after a restore: below the last segment of its origin."""

import re

import pytest

from tests.blueprints.log.conftest import content, leaf_hash, not_found
from tests.services.log.rfc6962 import mth
from tests.support.lost_log import restore_log, resume, stored_log

HOST = "127.0.0.1:5000"
SUCCESSOR = re.compile(rf"{HOST}/log-[0-9a-f]{{8}}")


@pytest.fixture
def lost(log, logged_spin, checkpoint):
    """Loses the last bet of the log; its last checkpoint."""
    logged_spin()
    backup = stored_log()
    logged_spin()
    note = checkpoint()
    restore_log(backup)
    return note


def test_the_origin_of_the_present_log_is_found_at_one_address(client, log, lost):
    assert client.get("/log/current").json == {"origin": f"{HOST}/log"}

    resume(log)

    answer = client.get("/log/current")
    assert SUCCESSOR.fullmatch(answer.json["origin"])
    assert answer.headers["Cache-Control"] == "public, max-age=1"


def test_a_successor_has_all_paths_below_its_own_name(client, checkpoint, entries_of, log, lost):
    resume(log)

    origin = client.get("/log/current").json["origin"]
    prefix = origin.removeprefix(HOST)
    note = checkpoint(prefix)
    entries = entries_of(f"000.p/{note.size}", prefix)
    assert (note.origin, note.root) == (origin, mth([leaf_hash(entry) for entry in entries]))
    assert content(entries[2])["forkOf"] == f"{HOST}/log"
    assert client.get(f"{prefix}/tile/0/000.p/{note.size}").status_code == 200
    assert client.get(f"{prefix}/revealed/0").status_code == 200
    assert client.get(f"{prefix}/key").text.startswith(f"{origin}+")


def test_an_ended_log_keeps_its_last_checkpoint_and_nothing_else(client, log, lost):
    resume(log)

    assert client.get("/log/checkpoint").text.startswith(lost.text)
    for path in ("tile/0/000.p/1", "tile/entries/000.p/1", "key", "revealed/0"):
        assert not_found(client.get(f"/log/{path}")), path


def test_other_names_are_not_found(client):
    for name in ("log-2", "log-1a2b3c4d"):
        assert not_found(client.get(f"/{name}/checkpoint"))
    for path in ("/log-/checkpoint", "/logs/checkpoint", "/log-2/current", "/log-2/me", "/log-2/receipts/1"):
        answer = client.get(path)
        assert (answer.status_code, answer.json) == (404, {"error": "Not found"}), path
