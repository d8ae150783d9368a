"""Somebody who may write to the database, but has no signing key, changes settled bets.

Either ``flask log verify`` says so, or nothing more is signed: no log is ever signed with two histories.
"""

import json
import struct
from contextlib import suppress

import pytest

from models.bets import Bet
from models.db.connection import writing
from models.ledger import LedgerTransaction
from models.log import Log, LogBundle, LogCheckpoint, LogEntry, LogTile, WaitingBet, WaitingEntry, let_wait
from services.log import bundles, sequencer
from services.log.tree import leaf_hash
from services.shared.errors import Unavailable
from tests.support.lost_log import is_paused, replace_log, restore_log, stored_log
from tests.support.signed_trees import leaf_hashes

pytestmark = [pytest.mark.security("The public log"), pytest.mark.usefixtures("signed")]


@pytest.fixture
def bets(signed, logged_spin):
    """Six bets, each signed in a checkpoint of its own: entries 1 to 6."""
    return [logged_spin() for _ in range(6)]


@pytest.fixture
def verified(app):
    """What ``flask log verify`` finds."""

    def verify():
        result = app.test_cli_runner().invoke(args=["log", "verify"])
        assert result.exit_code in (0, 1), result.output
        return [line for line in result.stderr.splitlines() if not line.startswith("Error:")]

    return verify


@pytest.fixture
def refuses(log, signed):
    """Lets the server do what it does all the time; whether it has signed nothing."""

    def refuses():
        before = len(signed.trees)
        for step in (log.append_now, log.watch, log.append_now):
            with suppress(Unavailable):
                step()
        return len(signed.trees) == before

    return refuses


def write_tree(leaves):
    """Write these leaf hashes, and forget all checkpoints but the newest, as if they had been signed."""
    LogTile.update(hashes=b"".join(leaves)).where(LogTile.level == 0).execute()
    for row in list(LogCheckpoint.select().where(LogCheckpoint.size > 0)):
        root = sequencer.root_at(row.size)
        LogCheckpoint.update(root=root.hex()).where(LogCheckpoint.size == row.size).execute()


def write_references(references):
    packed = struct.pack(f">{len(references)}q", *references)
    LogBundle.update(references=packed).execute()


def remove(bet):
    Bet.delete().where(Bet.id == bet.id).execute()


def hash_of(log, bet):
    return leaf_hash(bundles.contents([bet.id], log.pseudonyms)[bet.id])


def test_a_changed_bet_with_its_leaf_stops_the_log(log, bets, spin, refuses):
    leaves = leaf_hashes(7)
    spin()
    with writing():
        Bet.update(client_seed="another-seed").where(Bet.id == bets[2].id).execute()
        leaves[3] = hash_of(log, bets[2])
        write_tree(leaves)

    assert refuses()


def test_an_added_entry_stops_the_log(bets, spin, refuses):
    """The size grows by an entry that was never signed, such as one that announces a key."""
    spin()
    with writing():
        entry = LogEntry.create(text='{"at":1,"nextKey":"mine","v":1}')
        write_tree([*leaf_hashes(7), leaf_hash(entry.text.encode())])
        write_references([*bundles.references(0), -entry.id])
        Log.update(size=8).execute()

    assert refuses()


def test_an_added_bet_is_found(bets, verified):
    with writing():
        row = Bet.select().where(Bet.id == bets[0].id).dicts().get()
        transaction = LedgerTransaction.create(kind="spin", created_at_ms=0)
        row |= {"id": 1_000, "nonce": 99, "server_seed_commitment": "f" * 64}
        row |= {"ledger_transaction": transaction.id}
        Bet.insert(row).execute()

    assert verified() == ["bet 1000 is not in the log"]


def test_a_dropped_bet_with_its_leaf_stops_the_log(bets, spin, refuses):
    spin()
    with writing():
        remove(bets[2])
        leaves, references = leaf_hashes(7), bundles.references(0)
        del leaves[3], references[3]
        write_tree(leaves)
        write_references(references)
        Log.update(size=6).execute()

    assert refuses()


def test_a_bet_dropped_with_an_earlier_checkpoint_stops_the_log(log, bets, logged_spin, spin, refuses):
    early = stored_log()
    last = logged_spin()
    spin()
    with writing():
        remove(last)
    restore_log(early)

    assert refuses()


def test_an_earlier_checkpoint_is_not_kept_if_the_rows_of_later_ones_stay(log, bets, logged_spin, refuses):
    early, last = stored_log(), logged_spin()
    known = log.checkpoint()
    with writing():
        remove(last)
        note = early[Log][0]["checkpoint"]
        Log.update(size=7, checkpoint=note).execute()
        LogTile.update(hashes=early[LogTile][0]["hashes"]).execute()
        LogBundle.update(references=early[LogBundle][0]["references"]).execute()

    assert refuses()
    assert log.checkpoint().size >= known.size


def test_a_bet_that_is_dropped_with_its_place_in_the_queue_is_found_by_the_audit(bets, spin, log, app):
    """The log can't know of it. Its player's receipt and next nonce do."""
    bet = spin()
    with writing():
        WaitingBet.delete().execute()
        remove(bet)
    log.append_now()

    result = app.test_cli_runner().invoke(args=["fairness", "audit"])

    assert result.exit_code == 1
    assert [line for line in result.stderr.splitlines() if "nonce" in line]


def test_reordered_bets_with_their_leaves_stop_the_log(bets, spin, refuses):
    spin()
    with writing():
        references, leaves = bundles.references(0), leaf_hashes(7)
        for values in (references, leaves):
            values[2], values[3] = values[3], values[2]
        write_references(references)
        write_tree(leaves)

    assert refuses()


def test_a_lost_tile_stops_the_log(bets, spin, log, signed):
    spin()
    before = len(signed.trees)
    with writing():
        LogTile.delete().execute()

    log.watch()

    assert is_paused()
    with pytest.raises(Unavailable):
        log.append_now()
    assert len(signed.trees) == before


HEX = "ab" * 16
OF_BATTLE = f'"at":1,"battle":"{HEX * 2}"'
LOCK = (
    f'{{{OF_BATTLE},"beacon":{{"chain":"{HEX * 2}","round":7}},"cases":["{HEX * 2}"],'
    f'"commitment":"{HEX * 2}","crazy":false,"mode":"normal","playersOnly":false,'
    f'"seats":[{{"clientSeed":"my-seed","player":"{HEX}","team":0}},'
    '{"clientSeed":"bot-1","player":"bot","team":1}],"terminal":true,"v":2}'
)
END = f'{{{OF_BATTLE},"lock":3,"seed":"{HEX * 2}","signature":"{HEX * 3}","v":2}}'
VOID = f'{{{OF_BATTLE},"lock":3,"reason":"late","seed":"{HEX * 2}","v":2}}'
COMMITMENT = f'{{"at":1,"commitment":"{HEX * 2}","nonce":1,"player":"{HEX}","reason":"new","v":1}}'


@pytest.mark.parametrize(
    "text",
    [
        '{"at":1,"nextKey":"mine","v":1}',
        '{"at":1,"reason":"mine","redraw":9,"v":1}',
        '{"at":1,"forkOf":"mine","kept":1,"root":"mine","size":1,"v":1}',
        "no entry",
        COMMITMENT.replace(",", ", "),
        COMMITMENT.replace('"new"', '"redrawn"'),
        COMMITMENT.replace('"new"', '"new","redraw":1'),
        COMMITMENT.replace('"nonce":1', '"nonce":{}'),
        COMMITMENT.replace(HEX, HEX * 2_000),
        LOCK.replace('"v":2', '"v":1'),
        LOCK.replace('"v":2', '"v":true'),
        LOCK.replace('"v":2', '"nextKey":"mine","v":2'),
        LOCK.replace('"round":7', '"round":7.0'),
        LOCK.replace('"round":7', '"round":-7'),
        LOCK.replace('"round":7', '"round":' + "7" * 5_000),
        LOCK.replace("normal", "mine"),
        LOCK.replace('"crazy":false', '"crazy":0'),
        LOCK.replace('"bot"', '"boT"'),
        LOCK.replace('"team":1', '"team":[1]'),
        LOCK.replace('["', '["mine","'),
        LOCK.replace('["' + HEX * 2 + '"]', json.dumps([HEX * 2] * 1_000).replace(" ", "")),
        LOCK.replace("my-seed", "m\\u0079-seed"),
        LOCK.replace('{"at"', '{"at":1,"at"'),
        "[" * 100_000,
        END.replace('"lock":3', '"lock":true'),
        END.replace(HEX * 3, HEX * 4),
        VOID.replace("late", "mine"),
        VOID.replace('"lock":3,', ""),
        VOID + "\n",
    ],
    ids=lambda text: text[:20],
)
def test_an_entry_that_the_server_would_not_write_is_not_logged(log, bets, text):
    size = log.checkpoint().size
    with writing():
        for waiting in (text, COMMITMENT):
            entry = LogEntry.create(text=waiting)
            WaitingEntry.insert(entry=entry.id).execute()

    log.append_now()

    assert log.checkpoint().size == size + 1


@pytest.mark.parametrize("text", [LOCK, END, VOID], ids=["lock", "end", "void"])
def test_entries_of_battles_are_logged(log, bets, text):
    size = log.checkpoint().size
    with writing():
        let_wait(text)

    log.append_now()

    assert log.checkpoint().size == size + 1


@pytest.mark.parametrize("path", ["0/000", "0/000.p/7", "entries/000", "1/000.p/1"])
def test_a_changed_full_tile_is_not_published(log, bets, add_waiting, client, path):
    """A cache would keep it for ever. The root of the tree is made from the level above."""
    add_waiting(300)
    log.append_now()
    with writing():
        is_level = LogTile.level == int(path[0] == "1")
        hashes = LogTile.get(is_level, LogTile.number == 0).hashes
        LogTile.update(hashes=bytes(32) + bytes(hashes)[32:]).where(is_level, LogTile.number == 0).execute()

    answer = client.get(f"/log/tile/{path}")

    assert (answer.status_code, answer.headers["Cache-Control"]) == (503, "no-store")


def test_a_log_that_another_has_signed_is_not_continued(bets, log, refuses):
    replace_log()

    assert refuses()
