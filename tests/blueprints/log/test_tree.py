"""/log/checkpoint and /log/tile: the tree as https://c2sp.org/tlog-tiles describes it, and no further."""

import pytest

from models.db.connection import reading
from models.log import LogCheckpoint
from tests.blueprints.log.conftest import ORIGIN, content, leaf_hash, not_found
from tests.services.log.rfc6962 import mth
from tests.support.lost_log import let_confirm, replace_log, restore_log, resume, stored_log
from tests.support.openings import Openings, chest

IMMUTABLE = "public, max-age=31536000, immutable"
OCTETS = "application/octet-stream"


def test_an_empty_log_has_size_0_and_no_tiles(client, checkpoint):
    note = checkpoint()

    assert (note.origin, note.size, note.root) == (ORIGIN, 0, mth([]))
    assert not_found(client.get("/log/tile/0/000"))
    assert not_found(client.get("/log/tile/entries/000"))


def test_a_checkpoint_is_a_note_to_be_kept_for_a_second(client, logged_spin):
    logged_spin()

    answer = client.get("/log/checkpoint")

    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Cache-Control"] == "public, max-age=1"


@pytest.mark.both_databases("models/log.py")
@pytest.mark.guarantee("The public log")
def test_checkpoint_tile_and_entries_agree(checkpoint, entries_of, hashes_of, logged_spin, new_player):
    bob = new_player("bob")
    for by in (None, bob, None):
        logged_spin(by)

    note = checkpoint()

    entries = entries_of(f"000.p/{note.size}")
    leaves = [leaf_hash(entry) for entry in entries]
    assert note.size == 5
    assert hashes_of(f"0/000.p/{note.size}") == leaves
    assert mth(leaves) == note.root


@pytest.mark.security("The public log")
def test_the_entry_of_a_spin_has_its_terms_and_no_outcome(client, entries_of, logged_spin, player):
    bet = logged_spin()

    announced, settled = map(content, entries_of("000.p/2"))

    pseudonym = client.get("/log/me", headers=player.headers).json["player"]
    assert announced["commitment"] == bet.server_seed_commitment
    assert (announced["player"], announced["reason"], announced["nonce"]) == (pseudonym, "new", 1)
    following = client.get("/upgrader/commitment", headers=player.headers).json["serverSeedCommitment"]
    assert settled == {
        "at": bet.created_at_ms,
        "clientSeed": bet.client_seed,
        "commitment": bet.server_seed_commitment,
        "game": "upgrader",
        "next": following,
        "nonce": 1,
        "player": pseudonym,
        "terms": {
            "algorithm": "upgrader-1",
            "edge": "0.05",
            "item": bet.item,
            "price": 1000,
            "threshold": bet.threshold,
            "wager": 100,
        },
        "v": 1,
    }


def test_the_entry_of_an_opening_names_its_snapshot(app, entries_of, log, player):
    chest_content = chest("chest", price=5)
    Openings(app).bet(player, chest_content)
    log.append_now()

    opened = content(entries_of("000.p/2")[1])

    assert opened["game"] == "case"
    assert opened["terms"] == {"algorithm": "case-1", "snapshot": chest_content.hash, "wager": 500}


def test_a_bet_is_published_with_the_next_checkpoint(client, checkpoint, logged_spin, spin):
    logged_spin()
    size = checkpoint().size
    spin()

    assert not_found(client.get(f"/log/tile/entries/000.p/{size + 1}"))
    assert not_found(client.get(f"/log/tile/0/000.p/{size + 1}"))


@pytest.mark.security("The public log")
def test_nothing_is_published_that_only_the_database_has(client, checkpoint, log, logged_spin, spin):
    """Another machine has appended it; this one does not know that checkpoint yet."""
    logged_spin()
    size, known = checkpoint().size, log.file()
    spin()
    log.append_now()

    log.file = lambda: known

    assert checkpoint().size == size
    for path in ("tile/0/000", "tile/entries/000"):
        assert client.get(f"/log/{path}.p/{size}").status_code == 200
        assert not_found(client.get(f"/log/{path}.p/{size + 1}"))


@pytest.fixture
def other_client(app, make_app, clock, tmp_path, log):
    """A client of another machine on the same database, which has the same checkpoint by now."""
    log.watch()
    other = make_app(clock=clock, INSTANCE_DIR=str(tmp_path / "other"))
    other_log = other.extensions["services"].log
    let_confirm(other_log, log)
    other_log.watch()
    return other.test_client()


@pytest.mark.parametrize("path", ["tile/0/000.p/3", "tile/entries/000.p/3", "revealed/0"])
def test_what_another_machine_has_signed_is_found_at_once(client, other_client, logged_spin, path):
    for _ in range(2):
        logged_spin()

    answer, own = other_client.get(f"/log/{path}"), client.get(f"/log/{path}")

    assert (answer.status_code, answer.data) == (200, own.data)
    assert other_client.get("/log/checkpoint").data == client.get("/log/checkpoint").data


def test_a_successor_of_another_machine_is_found_at_once(client, other_client, logged_spin, log):
    logged_spin()
    backup = stored_log()
    logged_spin()
    other_client.application.extensions["services"].log.watch()
    restore_log(backup)
    resume(log)
    origin = client.get("/log/current").json["origin"]

    answer = other_client.get(f"/{origin.rpartition('/')[2]}/checkpoint")

    assert (answer.status_code, answer.text.partition("\n")[0]) == (200, origin)
    assert origin != ORIGIN


@pytest.mark.parametrize("path", ["tile/0/000", "tile/entries/000", "tile/entries/000.p/7", "revealed/0"])
def test_what_was_made_once_is_answered_without_the_database(client, add_waiting, log, queries, path):
    add_waiting(300)
    log.append_now()
    first = client.get(f"/log/{path}")
    queries.clear()

    again = client.get(f"/log/{path}")

    assert (again.status_code, again.data, queries) == (200, first.data, [])


@pytest.mark.guarantee("The public log")
def test_300_entries_make_a_full_tile(client, checkpoint, entries_of, hashes_of, log, add_waiting, spin):
    add_waiting(300)
    spin()
    log.append_now()

    note = checkpoint()

    leaves = [leaf_hash(entry) for entry in entries_of("000") + entries_of("001.p/46")]
    assert note.size == len(leaves) == 302
    assert hashes_of("0/000") + hashes_of("0/001.p/46") == leaves
    assert hashes_of("1/000.p/1") == [mth(leaves[:256])]
    assert note.root == mth(leaves)
    for path in ("0/000", "entries/000"):
        answer = client.get(f"/log/tile/{path}")
        assert (answer.headers["Content-Type"], answer.headers["Cache-Control"]) == (OCTETS, IMMUTABLE)
    for path in ("0/001", "0/001.p/47", "entries/001", "0/002.p/1", "1/000", "1/000.p/2", "2/000.p/1"):
        assert not_found(client.get(f"/log/tile/{path}")), path


MALFORMED = [
    *("0/0", "0/00", "0/0000", "0/x000", "0/x000/000", "0/000/000", "00/000", "64/000", "-1/000", "x/000"),
    *("0/000.p/0", "0/000.p/01", "0/000.p/256", "0/000.p/", "0/000.p", "0/000.P/1", "0/000.p/1/"),
    *("0/000.p/\u0661", "\u0660/000.p/1", "0//000.p/1", "0/000.p/1%0A", "0/000.p/+1", "0/000.p/1%20"),
    *("entries/0.p/1", "entries/000.p/0", "entries/0/000.p/1", "entries/", "entries"),
    "0/" + "x999/" * 400 + "999",
]


def test_malformed_paths_are_not_found(client, logged_spin):
    logged_spin()
    assert client.get("/log/tile/0/000.p/1").status_code == 200

    assert [path for path in MALFORMED if not not_found(client.get(f"/log/tile/{path}"))] == []


@pytest.mark.security("The public log")
def test_tiles_of_a_database_without_the_checkpoint_are_not_published(client, logged_spin):
    logged_spin()
    replace_log()

    answer = client.get("/log/tile/0/000.p/2")

    assert (answer.status_code, answer.headers["Cache-Control"]) == (503, "no-store")


@pytest.mark.settings(RATELIMIT_ENABLED="1", CORS_ORIGINS="https://play.example.com")
def test_anybody_may_read_the_log_from_any_page_as_often_as_he_likes(client, logged_spin):
    logged_spin()
    paths = ["/log/checkpoint", "/log/tile/0/000.p/2", "/log/key", "/log/tile/0/none"]

    answers = [
        client.get(path, headers={"Origin": origin})
        for path in paths * 50
        for origin in ("https://anywhere.example.net", "https://play.example.com")
    ]

    assert {answer.status_code for answer in answers} == {200, 404}
    assert {answer.headers["Access-Control-Allow-Origin"] for answer in answers} == {"*"}


def test_a_checkpoint_that_other_machines_still_keep_outlives_an_idle_day(log, logged_spin, clock):
    logged_spin()
    kept_by_others = log.checkpoint()
    clock.advance(days=1, seconds=1)

    logged_spin()

    with reading():
        assert LogCheckpoint.select().where(LogCheckpoint.size == kept_by_others.size).exists()
