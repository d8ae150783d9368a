"""verify/monitor.py: an honest log passes, and each kind of contradiction or problem is one line."""

import json
import re
import shutil
import subprocess
import sys
import threading
from base64 import b64encode
from contextlib import nullcontext

import pytest

from tests.harness.servers import ROOT
from tests.support.golden_log import golden_files
from tests.support.monitoring import LONG_AFTER, contradictions, not_checked, play, problems, replace
from tests.support.public_battles import DAY_MS, Network, PublicBattles, Quicknet
from tests.support.public_log import (
    BEGAN_MS,
    ORIGIN,
    PROOF_DELAY_SECONDS,
    SNAPSHOT,
    Key,
    Player,
    PublicLog,
)
from tests.support.raw_server import dribbling, raw_server
from verify import monitor

NOTES = json.loads(golden_files()["notes.json"])
BUNDLE = "/log/tile/entries/000.p/{}"


# An honest log


def test_an_honest_log_passes(log, watch):
    play(log)

    status, lines = watch(log)

    assert (status, contradictions(lines)) == (0, [])
    assert f"{ORIGIN}: 11 entries, 0 bets wait for their proof" in lines


def test_a_log_of_several_tiles_passes_whatever_its_sizes(log, watch):
    alice, bob = play(log, bets=80)
    for _ in range(3):
        assert watch(log)[0] == 0
        play_more = [log.spin(alice) for _ in range(150)]
        log.open(bob)

    status, lines = watch(log)

    assert (status, len(play_more), contradictions(lines)) == (0, 150, [])


@pytest.mark.thorough
def test_a_log_of_three_levels_of_tiles_passes_as_it_grows(log, watch):
    while len(log.entries) < 65_535:
        log.new_player(str(len(log.entries)))
    watch(log)
    for name in range(258):
        log.new_player(f"later {name}")

    status, lines = watch(log)

    assert (status, contradictions(lines)) == (0, [])
    assert f"{ORIGIN}: 65793 entries, 0 bets wait for their proof" in lines


def test_wagers_payouts_and_returns_are_summed_by_game(log, watch):
    alice = log.new_player()
    for _ in range(20):
        log.spin(alice, wager=500, price=1_000)
    log.open(alice, wager=0)
    spins, free = list(log.bets.values())[:20], list(log.bets.values())[20]
    paid = sum(bet["payout"] for bet in spins)

    _, lines = watch(log)

    assert (
        f"upgrader: 20 bets, wagered 100, paid {paid:g},"
        f" return to player {paid:.2f}% (theoretical 95.00%)" in lines
    )
    assert f"case: 0 bets, wagered 0, paid 0; 1 free bets, paid {free['payout']:g}" in lines


def test_the_theoretical_return_of_an_opening_is_that_of_its_snapshot(log, watch):
    log.open(log.new_player())

    _, lines = watch(log)

    # (0.05 x 15.00 + 0.95 x 0.60) / 1.40
    assert any(line.endswith("(theoretical 94.29%)") for line in lines)


def test_a_bet_waits_until_its_proof_is_due(log, watch):
    index = log.spin(log.new_player())
    bet = log.bets.pop(index)
    settled = BEGAN_MS / 1000 + index
    early = watch(log, now=settled + PROOF_DELAY_SECONDS + 59)
    log.bets[index] = bet

    status, lines = watch(log, now=settled + PROOF_DELAY_SECONDS + 90)

    assert (early[0], status, contradictions(lines)) == (0, 0, [])
    assert any(line.startswith("upgrader: 1 bets") for line in lines)


def test_redraws_in_an_epoch_pass(log, watch):
    alice, bob = play(log)
    log.append(redraw=1, reason="restore")
    log.redraw(alice, 1)
    log.redraw(bob, 1)
    log.spin(alice)

    status, lines = watch(log)

    assert (status, contradictions(lines)) == (0, [])
    assert "report: entry 11: epoch 1 of redraws begins: restore" in lines


def test_an_announced_key_is_reported_and_followed(log, watch):
    alice, _ = play(log)
    first, second = log.keys[0], Key("second")
    log.keys = [first, second]
    log.append(nextKey=second.verifier())
    announced = watch(log)
    log.keys = [second]
    log.spin(alice)

    status, lines = watch(log)

    assert (announced[0], status, contradictions(lines)) == (0, 0, [])
    assert f"report: entry 11: a key is announced: {second.verifier()}" in announced[1]
    assert f"report: {ORIGIN} uses the announced key from size 13 on" in lines


# Successors


@pytest.mark.parametrize("kept", [11, 9, 0])
def test_a_successor_is_reported_and_followed(log, successor, watch, kept):
    play(log)
    watch(log)

    status, lines = watch(successor(kept))

    assert (status, contradictions(lines)) == (0, [])
    assert f"report: {ORIGIN} has a successor: {ORIGIN}-2" in lines
    assert f"report: entry {kept}: continues {ORIGIN}, with {kept} of its 11 entries" in lines


def test_a_monitor_that_begins_with_a_successor_follows_it(log, successor, watch):
    play(log)

    status, lines = watch(log, successor(9))

    assert (status, contradictions(lines)) == (0, [])


def test_a_successor_whose_predecessor_was_lost_too_passes(log, successor, watch):
    play(log)
    watch(log)
    third = successor(8, forkOf=f"{ORIGIN}-2", size=9)
    third.origin = f"{ORIGIN}-3"
    for index, bet in third.bets.items():
        bet["log"] = {"origin": third.origin, "index": index}

    status, lines = watch(third)

    assert (status, contradictions(lines)) == (0, [])


@pytest.mark.parametrize("index", [2, 9])
def test_restored_entries_that_differ_are_reported(log, successor, watch, index):
    play(log)
    watch(log)
    root = log.root
    replace(log, index, clientSeed="another")

    status, lines = watch(successor(10, root=root))

    assert status == 1
    assert "entry 10: the restored entries are not those that were seen" in contradictions(lines)


@pytest.mark.security("The public log")
def test_a_successor_that_keeps_back_a_checkpoint_is_reported(log, successor, watch):
    play(log)
    watch(log)

    status, lines = watch(successor(9, size=10))

    assert status == 1
    assert contradictions(lines) == [
        "entry 9: says that the last checkpoint had size 10, but one of size 11 was seen"
    ]


def test_a_successor_that_does_not_say_so_is_reported(log, watch):
    play(log)
    watch(log)
    following = PublicLog(f"{ORIGIN}-2")
    following.new_player("carol")

    status, lines = watch(following)

    assert status == 1
    assert contradictions(lines) == [f"{ORIGIN}-2 has no entry that says that it continues {ORIGIN}"]


# History


def change_a_byte(body):
    return body[:40] + bytes([body[40] ^ 1]) + body[41:]


TILE = "/log/tile/0/000.p/11"
# What a file is replaced with, and what can't be checked then.
CHANGED = {
    "entry": (
        BUNDLE.format(11),
        lambda body: body.replace(b"my-lucky-seed", b"my-LUCKY-seed", 1),
        "entry 2 is not the one in the tree",
    ),
    "signature": (
        "/log/checkpoint",
        lambda body: body.replace(b"\n11\n", b"\n10\n"),
        f"a checkpoint of {ORIGIN} has a wrong signature",
    ),
    "tile": (TILE, change_a_byte, "the tiles of size 11 do not have the root of the checkpoint"),
    "no tile": (TILE, lambda _: None, "{site}/log/tile/0/000 with 11 hashes or entries is missing"),
    "large tile": (TILE, lambda _: bytes(8_193), f"{{site}}{TILE} has more than 8192 bytes"),
    "snapshot": (
        f"/snapshots/{SNAPSHOT}",
        lambda body: body + b" ",
        f"{{site}}/snapshots/{SNAPSHOT} does not have the content with this hash",
    ),
}


@pytest.mark.guarantee("A changed history")
@pytest.mark.parametrize(("path", "change", "line"), CHANGED.values(), ids=CHANGED)
def test_a_changed_file_is_not_taken_for_the_signed_one(log, site, watch, path, change, line):
    play(log)
    site.files.update(log.files())
    body = change(site.files.pop(path))
    if body is not None:
        site.files[path] = body

    status, lines = watch()

    assert (status, set(not_checked(lines))) == (2, {line.format(site=site.address)})


@pytest.mark.guarantee("A changed history")
def test_a_dropped_entry_is_reported(log, watch):
    play(log)
    watch(log)
    del log.entries[4]
    log.append(redraw=1, reason="restore")

    status, lines = watch(log)

    assert status == 1
    assert contradictions(lines) == ["the tree of size 11 does not continue that of size 11"]


@pytest.mark.guarantee("A changed history")
def test_a_forked_history_is_reported_and_both_checkpoints_are_kept(log, watch, tmp_path):
    alice, _ = play(log)
    first = log.checkpoint()
    watch(log)
    replace(log, 3, clientSeed="another")
    log.spin(alice)

    status, lines = watch(log)

    assert (status, contradictions(lines)) == (1, ["the tree of size 12 does not continue that of size 11"])
    assert json.loads((tmp_path / "state").read_text())["evidence"] == [first, log.checkpoint()]


def test_a_contradiction_stays(log, watch):
    play(log)
    watch(log)
    replace(log, 3, clientSeed="another")
    watch(log)

    status, lines = watch(log)

    assert status == 1
    assert lines[0] == "contradiction, found before: the tree of size 11 does not continue that of size 11"


@pytest.mark.security("The public log")
def test_a_truncated_log_is_reported(log, watch):
    play(log)
    watch(log)
    del log.entries[9:]

    status, lines = watch(log)

    assert (status, contradictions(lines)) == (1, ["the log went back from size 11 to 9"])


def test_a_checkpoint_that_is_a_second_old_passes(log, site, watch):
    alice, _ = play(log)
    old = log.files()["/log/checkpoint"]
    log.spin(alice)
    watch(log)
    new = site.files["/log/checkpoint"]
    site.files["/log/checkpoint"] = old

    status, lines = watch(pause=lambda _: site.files.update({"/log/checkpoint": new}))

    assert (status, contradictions(lines)) == (0, [])


UNKNOWN = f"a checkpoint of {ORIGIN} is not signed by a known key: give --key"


def test_a_checkpoint_of_another_key_proves_nothing(log, watch):
    play(log)
    watch(log)
    log.keys = [Key("another")]

    status, lines = watch(log)

    assert (status, not_checked(lines)) == (2, [UNKNOWN])


def test_a_given_key_is_used_instead_of_the_one_that_is_shown(log, watch):
    play(log)

    status, lines = watch(log, options=["--key", Key("another").verifier()])

    assert (status, not_checked(lines)) == (2, [UNKNOWN])


def test_a_key_is_pinned_only_when_a_checkpoint_is_signed_with_it(log, site, watch):
    play(log)
    site.files.update(log.files())
    site.files["/log/key"] = f"{Key('another').verifier()}\n".encode()
    before = watch()

    status, lines = watch(log)

    assert (before[0], status, contradictions(lines)) == (2, 0, [])


def test_what_a_key_has_signed_and_is_no_checkpoint_is_reported(log, site, watch):
    site.files.update(log.files())
    text = f"{ORIGIN}\n01\n{log.root}\n"
    site.files["/log/checkpoint"] = f"{text}\n{log.keys[0].line(ORIGIN, text)}".encode()

    status, lines = watch()

    assert (status, contradictions(lines)) == (1, [f"a checkpoint of {ORIGIN} is malformed"])


@pytest.mark.parametrize("ending", NOTES, ids=lambda ending: ending["why"])
def test_the_monitor_takes_the_golden_notes_and_no_others(log, ending):
    note = (log.checkpoint() + ending["line"] * ending["times"]).encode()
    keys = [monitor.parse_key(key.verifier())[1] for key in log.keys]

    with nullcontext() if ending["isNote"] else pytest.raises(monitor.NotChecked):
        assert monitor.open_checkpoint(note, ORIGIN, keys).size == 0


def test_another_root_of_the_same_size_needs_no_tiles(log, site, watch):
    play(log)
    watch(log)
    replace(log, 2, clientSeed="another")
    site.files = {path: body for path, body in log.files().items() if "/tile/" not in path}

    status, lines = watch()

    assert status == 1
    assert contradictions(lines) == ["the tree of size 11 does not continue that of size 11"]


def test_a_changed_full_tile_is_a_missing_tile(log, site, watch):
    alice = log.new_player()
    for _ in range(300):
        log.spin(alice)
    site.files.update(log.files())
    site.files["/log/tile/0/000"] = bytes(32) + site.files["/log/tile/0/000"][32:]

    status, lines = watch()

    assert status == 2
    assert not_checked(lines) == ["tile 0/0 does not have the root that the tile above says"]


# Players


def repeat_a_nonce(log, alice, _):
    alice.nonce -= 1
    log.spin(alice)


def skip_a_nonce(log, alice, _):
    alice.nonce += 1
    log.spin(alice)


def bet_on_another_commitment(log, alice, _):
    alice.drawn = 1
    log.spin(alice)


def bet_on_a_commitment_from_before_a_redraw(log, alice, _):
    log.append(redraw=1, reason="restore")
    log.redraw(alice, 1)
    alice.drawn = 0
    log.spin(alice)


def bet_without_a_commitment(log, alice, _):
    alice.id = "ab" * 16
    log.spin(alice)


def redraw_twice_in_an_epoch(log, alice, _):
    log.append(redraw=1, reason="restore")
    log.redraw(alice, 1)
    log.redraw(alice, 1)


OTHER_COMMITMENT = "bets on a commitment that is not the one announced for nonce 7"
CONTRADICTIONS = {
    repeat_a_nonce: "entry 11: player {0} has nonce 6 again, the next is 7",
    skip_a_nonce: "entry 11: player {0} has nonce 8, but 7 is missing",
    bet_on_another_commitment: f"entry 11: player {{0}} {OTHER_COMMITMENT}",
    bet_on_a_commitment_from_before_a_redraw: f"entry 13: player {{0}} {OTHER_COMMITMENT}",
    bet_without_a_commitment: "entry 11: player {0} bets without an announced commitment",
    lambda log, alice, bob: log.spin(alice, next=bob.commitment): (
        "entry 11: player {0} gets a commitment that player {1} has already"
    ),
    lambda log, alice, _: log.redraw(alice, 1): (
        "entry 11: a commitment of player {0} is redrawn outside of an epoch of redraws"
    ),
    redraw_twice_in_an_epoch: "entry 13: a commitment of player {0} is redrawn a second time in epoch 1",
}


@pytest.mark.guarantee("A changed history")
@pytest.mark.parametrize(("go_wrong", "line"), CONTRADICTIONS.items(), ids=CONTRADICTIONS.values())
def test_each_contradiction_in_a_players_entries_is_a_line(log, watch, go_wrong, line):
    alice, bob = play(log)
    go_wrong(log, alice, bob)

    status, lines = watch(log)

    assert (status, contradictions(lines)) == (1, [line.format(alice.id, bob.id)])


def test_a_seed_that_waits_for_its_reveal_and_is_announced_again_is_reported(log, watch):
    alice, _ = play(log)
    index = log.spin(alice)
    commitment = log.bets.pop(index)["pf"]["serverSeedCommitment"]
    early = BEGAN_MS / 1000 + len(log.entries)
    watch(log, now=early)
    log.commit(Player("carol"), commitment=commitment)

    status, lines = watch(log, now=early)

    carol = Player("carol").id
    line = f"entry 12: player {carol} gets a commitment that player {alice.id} has already"
    assert (status, contradictions(lines)) == (1, [line])


# Terms and outcomes


@pytest.mark.parametrize(
    "raw",
    [b"", b"\xff", b"[]", b"{}", b"[" * 5_000, b'{"at":1.5,"nextKey":"a","v":1}', b'{"v":NaN}', b"\x1b[2J"],
)
def test_an_entry_without_a_known_form_is_one_line(log, watch, raw):
    play(log)
    log.entries.append(raw)

    status, lines = watch(log)

    assert (status, len(contradictions(lines))) == (1, 1)


def test_a_wrong_threshold_is_reported(log, watch):
    alice, _ = play(log)
    index = log.spin(alice)
    terms = json.loads(log.entries[index])["terms"]
    replace(log, index, terms=terms | {"threshold": 2_000_000})
    del log.bets[index]

    status, lines = watch(log)

    assert status == 1
    assert contradictions(lines)[0] == "entry 11: the threshold is 2000000, not 2375000"


@pytest.mark.parametrize(
    ("index", "name", "value"),
    [
        (2, "payout", 123.45),
        (2, "roll", 1),
        (2, "status", "draw"),
        (3, "item", "Never"),
        (3, "ticket", "1"),
        (4, "payout", 15.01),
    ],
)
def test_a_wrong_outcome_in_a_revealed_bet_is_reported(log, watch, index, name, value):
    play(log)
    right = log.bets[index][name]
    log.bets[index][name] = value

    status, lines = watch(log)

    assert (status, contradictions(lines), len(problems(lines))) == (1, [], 1)
    assert problems(lines)[0].startswith(f"entry {index}: in the revealed bet {name} is '{value}', not")
    assert right != value


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [("betAmount", 3, "2.5"), ("price", "$10.01", "$10.00"), ("houseEdge", 0.04, "0.05")],
)
def test_terms_that_differ_from_the_entry_are_reported(log, watch, name, value, shown):
    play(log)
    log.bets[2][name] = value

    status, lines = watch(log)

    line = f"entry 2: in the revealed bet {name} is '{value}', not '{shown}'"
    assert (status, problems(lines)) == (1, [line])


def test_a_problem_is_asked_again(log, watch):
    play(log)
    right = log.bets[2]["roll"]
    log.bets[2]["roll"] = 1
    before = [watch(log)[0], watch(log)[0]]
    log.bets[2]["roll"] = right

    status, lines = watch(log)

    assert (before, status) == ([1, 1], 0)
    assert "report: entry 2 fits the log now" in lines
    assert f"{ORIGIN}: 11 entries, 0 bets wait for their proof" in lines


@pytest.mark.guarantee("A changed history")
def test_another_server_seed_is_reported(log, watch):
    play(log)
    log.bets[2]["pf"]["serverSeed"] = "ab" * 32

    status, lines = watch(log)

    line = "entry 2: the server seed is not the one that was committed to"
    assert (status, problems(lines)) == (1, [line])


@pytest.mark.guarantee("A changed history")
def test_a_bet_that_is_not_revealed_in_time_is_reported(log, watch):
    index = log.spin(log.new_player())
    del log.bets[index]
    due = BEGAN_MS + (index + PROOF_DELAY_SECONDS) * 1_000

    status, lines = watch(log, now=due / 1000 + 61)

    line = f"entry {index}: the bet was due at {due} and is not revealed"
    assert (status, problems(lines)) == (1, [line])


NO_ENTRY = "the live bet 77: has no entry in the log"


@pytest.mark.parametrize(
    ("place", "problem"),
    [(None, NO_ENTRY), (500, NO_ENTRY), (3, f"the live bet 77: is not in entry 3 of {ORIGIN}")],
    ids=["no entry", "an entry that is not there yet", "the entry of another bet"],
)
def test_a_live_bet_that_is_not_in_its_entry_is_a_problem(log, site, watch, place, problem):
    play(log)
    bet = {**log.bets[2], "id": "77", "log": {"origin": ORIGIN, "index": place}}
    if place is None:
        del bet["log"]
    log.live.append("77")
    site.files["/bets/77"] = json.dumps(bet).encode()

    status, lines = watch(log)

    assert (status, problems(lines)) == (1, [problem])


# Comparison with others


@pytest.mark.parametrize("shown", [0, 2])
def test_a_checkpoint_of_the_same_history_passes(log, site, watch, tmp_path, shown):
    alice, _ = play(log)
    seen = tmp_path / "seen"
    stages = [(log.files(), log.checkpoint())]
    for _ in range(2):
        log.spin(alice)
        stages.append((log.files(), log.checkpoint()))
    seen.write_text(stages[2 - shown][1], encoding="utf-8")
    site.files = stages[2][0] | stages[shown][0]

    status, lines = watch(options=["--compare", str(seen)])

    assert (status, contradictions(lines)) == (0, [])
    assert f"report: {seen} of size {13 - shown} is of the same history" in lines


@pytest.mark.guarantee("A changed history")
def test_another_history_is_reported(log, watch, tmp_path):
    play(log)
    seen = tmp_path / "seen"
    other = PublicLog()
    play(other, bets=2)
    replace(other, 2, clientSeed="another")
    seen.write_text(other.checkpoint(), encoding="utf-8")

    status, lines = watch(log, options=["--compare", str(seen)])

    line = f"two histories: {seen} of size 8 does not fit size 11"
    assert (status, contradictions(lines)) == (1, [line])


@pytest.fixture
def rotated(log):
    """A log that went on with another key. The key and a checkpoint from before."""
    alice, _ = play(log)
    first, second, before = log.keys[0], Key("second"), log.checkpoint()
    log.append(nextKey=second.verifier())
    log.keys = [second]
    log.spin(alice)
    return first, before


def test_a_monitor_that_begins_after_a_rotation_passes(log, rotated, watch):
    assert [watch(log)[0], watch(log)[0]] == [0, 0]


def test_a_rotation_that_nobody_watched_needs_the_key(log, watch):
    alice, _ = play(log)
    watch(log)
    log.keys = [Key("second")]
    log.spin(alice)
    unknown, still = watch(log), watch(log)

    status, lines = watch(log, options=["--key", log.keys[0].verifier()])

    assert (unknown[0], not_checked(unknown[1]), still[0]) == (2, [UNKNOWN], 2)
    assert (status, contradictions(lines)) == (0, [])


def test_an_earlier_key_verifies_old_checkpoints_and_is_never_the_current_one(log, rotated, watch, tmp_path):
    first, before = rotated
    seen = tmp_path / "seen"
    seen.write_text(before, encoding="utf-8")
    compare = ["--compare", str(seen)]
    without = watch(log, options=compare)

    status, lines = watch(log, options=[*compare, "--earlier-key", first.verifier()])
    again = watch(log, options=compare)

    assert (without[0], not_checked(without[1])) == (2, [UNKNOWN])
    assert (status, again[0], contradictions(lines)) == (0, 0, [])
    assert f"report: {seen} of size 11 is of the same history" in lines


def test_an_announcement_names_the_earlier_key(log, watch, tmp_path):
    alice, _ = play(log)
    first, second, third = log.keys[0], Key("second"), Key("third")
    seen = tmp_path / "seen"
    seen.write_text(log.checkpoint(), encoding="utf-8")
    log.append(key=first.verifier(), nextKey=second.verifier())
    log.append(key=second.verifier(), nextKey=third.verifier())
    log.keys = [third]
    log.spin(alice)
    watch(log)

    status, lines = watch(log, options=["--compare", str(seen)])

    assert (status, contradictions(lines)) == (0, [])
    assert json.loads((tmp_path / "state").read_text())["next_key"] is None


def test_only_the_announcement_of_the_present_key_is_followed(log, watch):
    alice, _ = play(log)
    log.append(key=Key("stranger").verifier(), nextKey=Key("second").verifier())
    watch(log)
    log.keys = [Key("second")]
    log.spin(alice)

    status, lines = watch(log)

    assert (status, not_checked(lines)) == (2, [UNKNOWN])


def test_a_key_with_a_later_type_of_signatures_is_not_checked(log, watch):
    typed = b64encode(b"\x06" + bytes(1_312)).decode()
    log.append(nextKey=f"{ORIGIN}+01234567+{typed}")

    status, lines = watch(log)

    assert (status, not_checked(lines)) == (2, ["entry 0 is of a later format: use a newer monitor.py"])


def test_the_audit_trail_of_the_operator_never_has_fewer_events(log, watch):
    alice, _ = play(log)
    log.append(v=2, audit="ab" * 32, events=7)
    log.append(v=2, audit="cd" * 32, events=9)
    log.spin(alice)
    assert contradictions(watch(log)[1]) == []

    log.append(v=2, audit="ef" * 32, events=8)
    status, lines = watch(log)

    assert (status, contradictions(lines)) == (1, ["entry 14: the audit trail has 8 events after 9"])


def test_entries_of_a_later_format_are_not_checked(log, watch):
    alice, _ = play(log)
    log.append(v=3, battle="ab" * 32, reason="late")
    log.append(v=3)
    log.spin(alice)

    status, lines = watch(log)
    again, _ = watch(log)

    later = "entry 11 is of a later format, and 1 others are: use a newer monitor.py"
    assert (status, again, not_checked(lines)) == (2, 2, [later])
    assert f"{ORIGIN}: 14 entries, 0 bets wait for their proof" in lines


def test_what_an_entry_of_a_later_format_may_explain_is_no_contradiction(log, watch):
    alice, _ = play(log)
    log.append(v=2)
    alice.nonce += 1
    log.spin(alice)

    status, lines = watch(log)

    gap = f"entry 12: player {alice.id} has nonce 8, but 7 is missing, after an entry of a later format"
    assert (status, not_checked(lines)[0]) == (2, gap)


def test_a_state_of_an_earlier_version_is_read_anew(log, watch, tmp_path):
    play(log)
    watch(log)
    state = json.loads((tmp_path / "state").read_text())
    state |= {"contradictions": ["https://play.example.com/log/tile/0/000 with 11 hashes is missing"]}
    names = ("origin", "keys", "next_key", "checkpoint", "size", "edge", "position", "contradictions")
    (tmp_path / "state").write_text(json.dumps({name: state[name] for name in names}))

    status, lines = watch(log)

    assert (status, contradictions(lines)) == (0, [])
    assert json.loads((tmp_path / "state").read_text())["players"] == state["players"]


def test_a_checkpoint_is_asked_for_over_half_a_minute_before_it_went_back(log, watch):
    play(log)
    watch(log)
    del log.entries[9:]
    pauses = []

    status, _ = watch(log, pause=pauses.append)

    assert (status, sum(pauses) > 30) == (1, True)


def test_a_signed_checkpoint_that_the_log_does_not_reach_is_reported(log, watch, tmp_path):
    play(log)
    seen = tmp_path / "seen"
    longer = PublicLog()
    play(longer)
    longer.spin(longer.new_player("carol"))
    seen.write_text(longer.checkpoint(), encoding="utf-8")

    status, lines = watch(log, options=["--compare", str(seen)])

    assert (status, contradictions(lines)) == (1, ["size 13 is signed, but the log has 11"])


def test_a_name_of_an_earlier_log_is_not_followed(log, successor, site, watch):
    play(log)
    watch(log)
    watch(successor(9))
    site.files["/log/current"] = json.dumps({"origin": ORIGIN}).encode()

    status, lines = watch()

    assert (status, not_checked(lines)) == (2, [f"{ORIGIN} is no successor of {ORIGIN}-2"])


# Failures, and hostile answers


def maintenance(answer):
    answer(200, b"<!doctype html><title>Maintenance</title>")


def cut(answer):
    answer(200, b"half", length=1_000)


FAULTS = {
    "404": lambda answer: answer(404, b""),
    "502": lambda answer: answer(502, b"bad gateway"),
    "maintenance page": maintenance,
    "JSON error": lambda answer: answer(200, b'{"error":"Maintenance"}'),
    "cut off": cut,
    "empty": lambda answer: answer(200, b""),
    "redirect": lambda answer: answer(302, b""),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_no_fault_of_a_proxy_is_a_contradiction(log, site, watch, fault):
    play(log, bets=1)
    site.files.update(log.files())
    for place, path in enumerate(log.files()):
        state = f"state {place}"
        site.faults = {path: fault}
        status, lines = watch(state=state)
        site.faults = {}

        assert not_checked(lines) or status == 0, path
        assert (status in (0, 2), watch(state=state)[0]) == (True, 0), path


def test_no_fault_of_a_proxy_later_is_a_contradiction(log, site, watch):
    alice, _ = play(log)
    watch(log)
    log.spin(alice)
    site.files.update(log.files())
    for path in log.files():
        for fault in FAULTS.values():
            site.faults = {path: fault}
            assert watch()[0] in (0, 2), path
    site.faults = {}

    assert watch()[0] == 0


def test_a_proxy_that_swaps_answers_leaves_nothing_behind(log, site, watch):
    play(log, bets=1)
    paths = list(log.files())
    for place, path in enumerate(paths):
        state = f"state {place}"
        site.files = {**log.files(), path: log.files()[paths[place - 1]]}
        _, lines = watch(state=state)

        assert contradictions(lines) == [], path
        assert watch(log, state=state)[0] == 0, path


def test_a_slow_proxy_is_no_contradiction(log, site, watch, monkeypatch):
    monkeypatch.setattr(monitor, "REQUEST_SECONDS", 0.05)
    play(log)
    site.files.update(log.files())
    released = threading.Event()
    site.faults = {"/log/tile/0/000.p/11": lambda _: released.wait(10)}

    status, lines = watch()
    released.set()

    assert (status, len(not_checked(lines))) == (2, 1)


@pytest.mark.parametrize("saved", [b"<!doctype html>", b"", "{}\r\n"])
def test_a_saved_file_that_is_no_checkpoint_proves_nothing(log, watch, tmp_path, saved):
    play(log)
    seen = tmp_path / "seen"
    seen.write_bytes(saved if isinstance(saved, bytes) else log.checkpoint().replace("\n", "\r\n").encode())

    status, lines = watch(log, options=["--compare", str(seen)])

    assert (status, not_checked(lines)) == (2, ["a checkpoint is not a signed note"])


def test_a_server_that_is_away_is_no_contradiction(log, site, watch):
    play(log)
    site.failing["/log/checkpoint"] = 503

    status, lines = watch(log)

    assert (status, not_checked(lines)) == (2, [f"{site.url}/checkpoint: status 503"])


def test_bets_that_can_not_be_read_are_named_and_wait(log, site, watch):
    play(log)
    site.failing["/log/revealed/0"] = 502

    status, lines = watch(log)

    assert status == 2
    assert f"not checked: {site.url}/revealed/0: status 502" in lines
    assert f"{ORIGIN}: 11 entries, 9 bets wait for their proof" in lines


@pytest.mark.parametrize(
    "body", [b"", b"\xff", b"[]", b"{}", b"null", b"7", b"[" * 100_000, b'{"a":' * 9_000, b"9" * 9_000]
)
def test_hostile_documents_are_lines_and_no_tracebacks(log, site, watch, body):
    play(log)
    paths = log.files()
    for place, path in enumerate(paths):
        site.files = {**paths, path: body}
        _, lines = watch(state=f"state {place}")
        assert contradictions(lines) == [], path


def test_compressed_answers_are_read(log, site, watch):
    play(log)
    site.is_compressed = True

    status, lines = watch(log)

    assert (status, contradictions(lines)) == (0, [])


def test_a_small_answer_that_unpacks_to_a_large_one_is_not_read(log, site, watch):
    play(log)
    site.is_compressed = True
    site.files.update(log.files())
    site.files["/log/checkpoint"] = bytes(10_000_000)

    status, lines = watch()

    assert (status, not_checked(lines)) == (2, [f"{site.url}/checkpoint has more than 262144 bytes"])


def test_a_server_that_sends_a_byte_at_a_time_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(monitor, "REQUEST_SECONDS", 0.1)
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
    with raw_server(dribbling(head, b"x")) as address:
        arguments = [f"{address}/log", "--state", str(tmp_path / "state"), "--once"]

        status = monitor.main(arguments, pause=lambda _: None)

    assert status == 2


def test_what_a_server_says_does_not_reach_the_terminal_as_control_characters(log, watch):
    log.append(redraw=1, reason="\x1b[2J")

    _, lines = watch(log)

    assert "report: entry 0: epoch 1 of redraws begins: ?[2J" in lines


# Battles


@pytest.fixture
def relay(site, battles):
    """A function that serves rounds, of which the last is the newest. It gives the options that name it."""

    def relay(*rounds):
        site.files.update(battles.network.files(*rounds))
        return ["--beacons", site.address]

    return relay


def seconds(ms):
    return ms / 1000


def test_honest_battles_pass(log, battles, watch):
    alice, bob = play(log)
    for players, terms in (
        ([alice, bob], {}),
        ([alice, None], {"crazy": True}),
        ([alice, None, bob, None], {"teams": "2v2", "count": 3}),
        ([None, alice, None, None], {"teams": "1v1v1v1", "count": 1, "terminal": True}),
    ):
        battles.settle(battles.lock(*players, **terms))
        log.spin(alice)
    paid = sum(
        cents
        for battle, seats in zip(log.battles.values(), ([0, 1], [0], [0, 2], [1]), strict=True)
        for cents in [battle["payouts"][seat] for seat in seats]
    )

    status, lines = watch(log)

    assert (status, contradictions(lines) + problems(lines)) == (0, [])
    assert "battles: 4 locked, 0 wait for their end, 0 void" in lines
    assert (
        f"battle: 6 bets, wagered 18.2, paid {paid:g}, return to player {paid * 100 / 18.2:.2f}%"
        " (theoretical 94.29%)" in lines
    )


def test_battles_that_a_round_of_the_public_network_decides_need_no_description(log, watch):
    network = Quicknet()
    battles = PublicBattles(log, network)
    del log.documents["/battles/rules"]
    log.began_ms = network.time_ms(network.number) - 7_000

    battles.settle(battles.lock())
    status, lines = watch(log)

    assert (status, contradictions(lines)) == (0, [])
    assert "battles: 1 locked, 0 wait for their end, 0 void" in lines


def test_a_battle_waits_for_its_end(log, battles, watch):
    lock = battles.lock()
    waiting = watch(log, now=seconds(battles.published_ms(lock) + 100))
    battles.settle(lock)

    status, lines = watch(log)

    round_ = battles.entry(lock)["beacon"]["round"]
    assert f"waiting: the battle of entry {lock}, for round {round_}" in waiting[1]
    assert (waiting[0], status, contradictions(lines)) == (0, 0, [])


def test_another_network_than_the_public_one_is_reported(log, battles, watch):
    battles.settle(battles.lock())

    _, lines = watch(log)

    name = battles.network.hash
    assert f"report: battles are decided by the network {name}: whoever runs it is trusted" in lines


def test_battles_of_a_network_that_nobody_describes_are_not_checked(log, battles, watch):
    battles.settle(battles.lock())
    log.documents["/battles/rules"] = {"beacon": Network("another").info()}

    status, lines = watch(log)

    line = f"the network {battles.network.hash}, which decides battles, is not described"
    assert (status, set(not_checked(lines))) == (2, {line})


MALFORMED_LOCKS = {
    "another key": ({"vip": True}, "has no known form"),
    "no cases": ({"cases": []}, "has no known form"),
    "a round of 0": ({"beacon": {"chain": "ab" * 32, "round": 0}}, "has no known form"),
    "version 1": ({"v": 1}, "has no known form"),
    "a mode": ({"mode": "boxing"}, "has no known form"),
    "a shared crazy battle": (
        {"mode": "shared", "crazy": True},
        "there is no battle with this mode and these seats",
    ),
}


@pytest.mark.parametrize(("changed", "line"), MALFORMED_LOCKS.values(), ids=MALFORMED_LOCKS)
def test_a_malformed_lock_is_reported(log, battles, watch, changed, line):
    lock = battles.lock(**changed)

    status, lines = watch(log)

    assert (status, contradictions(lines)) == (1, [f"entry {lock}: {line}"])


def test_teams_that_do_not_exist_are_reported(log, battles, watch):
    lock = battles.lock()
    seats = battles.entry(lock)["seats"]
    replace(log, lock, seats=[seats[0], seats[1] | {"team": 0}])
    battles.settle(lock)

    _, lines = watch(log)

    assert contradictions(lines) == [f"entry {lock}: there is no battle with this mode and these seats"]


def test_a_player_with_two_seats_is_reported(log, battles, watch):
    alice = Player("alice")
    lock = battles.lock(alice, alice)

    assert contradictions(watch(log)[1]) == [f"entry {lock}: a player has two seats"]


def test_a_bot_among_players_only_is_reported(log, battles, watch):
    lock = battles.lock(Player("alice"), None, playersOnly=True)

    line = f"entry {lock}: a bot has a seat in a battle for players only"
    assert contradictions(watch(log)[1]) == [line]


@pytest.mark.security("Battles")
def test_a_battle_that_is_locked_twice_is_reported(log, battles, watch):
    first = battles.lock()
    second = battles.lock(battle=battles.entry(first)["battle"])

    status, lines = watch(log)

    assert status == 1
    assert contradictions(lines) == [f"entry {second}: locks the battle of entry {first} again"]


@pytest.mark.security("Battles")
def test_a_battle_that_ends_twice_is_reported(log, battles, watch):
    lock = battles.lock()
    end = battles.settle(lock)
    second = battles.void(lock)

    status, lines = watch(log)

    line = f"entry {second}: ends the battle of entry {lock} again, after entry {end}"
    assert (status, contradictions(lines)) == (1, [line])


def test_an_end_without_a_lock_is_reported(log, battles, watch):
    lock = battles.lock()
    end = battles.settle(lock, lock=5)

    line = f"entry {end}: ends a battle that is not locked in entry 5"
    assert contradictions(watch(log)[1]) == [line]


@pytest.mark.parametrize("other", ["a battle", "a player"])
def test_a_commitment_that_is_used_twice_is_reported(log, battles, watch, other):
    used = log.new_player().commitment if other == "a player" else battles.entry(battles.lock())["commitment"]
    second = battles.lock(commitment=used)

    line = f"entry {second}: locks a battle with a commitment that was used before"
    assert contradictions(watch(log)[1]) == [line]


@pytest.mark.security("Battles")
def test_another_round_than_the_one_of_the_lock_is_reported(log, battles, watch):
    right = battles.network.round_after(log.now_ms)
    lock = battles.lock(beacon={"chain": battles.network.hash, "round": right + 1})
    battles.settle(lock)

    line = f"entry {lock}: the battle is decided by round {right + 1}, not {right}"
    assert contradictions(watch(log)[1]) == [line]


@pytest.mark.security("Battles")
def test_another_seed_than_the_committed_one_is_reported(log, battles, watch):
    end = battles.settle(battles.lock(), seed="00" * 32)

    status, lines = watch(log)

    line = f"entry {end}: the server seed is not the one that the lock is committed to"
    assert (status, contradictions(lines)) == (1, [line])


@pytest.mark.security("Battles")
@pytest.mark.parametrize("signed", ["another round", "no point"])
def test_another_signature_than_that_of_the_round_is_reported(log, battles, watch, signed):
    lock = battles.lock()
    round_ = battles.entry(lock)["beacon"]["round"]
    signature = "00" * 48 if signed == "no point" else battles.network.sign(round_ + 1)
    end = battles.settle(lock, signature=signature)

    line = f"entry {end}: the signature is not that of round {round_}"
    assert contradictions(watch(log)[1]) == [line]


@pytest.mark.parametrize("field", ["payouts", "drawn"])
def test_a_revealed_battle_that_does_not_fit_is_a_problem_until_it_does(log, battles, watch, field):
    end = battles.settle(battles.lock())
    right = log.battles[end]
    log.battles[end] = right | {field: right[field][::-1]}

    status, lines = watch(log)
    log.battles[end] = right
    again, later = watch(log)

    assert (status, again) == (1, 0)
    assert problems(lines)[0].startswith(f"entry {end}: in the revealed battle {field} are not ")
    assert f"report: entry {end} fits the log now" in later


def test_a_battle_that_is_not_revealed_is_a_problem_after_a_minute(log, battles, watch):
    end = battles.settle(battles.lock())
    del log.battles[end]
    ended = json.loads(log.entries[end])["at"]

    early, _ = watch(log, now=seconds(ended + 59_000))
    status, lines = watch(log, now=seconds(ended + 61_000))

    assert (early, status, problems(lines)) == (0, 1, [f"entry {end}: the battle is not revealed"])


@pytest.mark.security("Battles")
def test_a_settled_battle_whose_lock_came_after_its_round_is_reported(log, battles, watch):
    """The house has seen the round, and writes a lock with an earlier time."""
    play(log)
    at = log.now_ms
    published = battles.network.time_ms(battles.network.round_after(at))
    watch(log, now=seconds(published + 20))
    lock = battles.lock(at=at)
    battles.settle(lock)

    status, lines = watch(log)

    round_ = battles.entry(lock)["beacon"]["round"]
    line = (
        f"entry {lock}: the battle is settled, but 20 ms after round {round_} was published a checkpoint did"
        " not have its lock"
    )
    assert (status, contradictions(lines)) == (1, [line])


def test_a_settled_battle_whose_lock_was_there_at_the_time_of_its_round_passes(log, battles, watch):
    play(log)
    watch(log, now=seconds(log.now_ms))
    lock = battles.lock()
    watch(log, now=seconds(battles.published_ms(lock)))
    battles.settle(lock)

    status, lines = watch(log)

    assert (status, contradictions(lines)) == (0, [])


@pytest.mark.security("Battles")
def test_a_settled_battle_whose_lock_follows_a_later_entry_is_reported(log, battles, watch):
    at = log.now_ms
    published = battles.network.time_ms(battles.network.round_after(at))
    log.append(redraw=1, reason="restore", at=published)
    lock = battles.lock(at=at)
    battles.settle(lock)

    status, lines = watch(log)

    round_ = battles.entry(lock)["beacon"]["round"]
    line = (
        f"entry {lock}: the battle is settled, but its lock follows an entry of {published}, and round"
        f" {round_} was published at {published}"
    )
    assert (status, contradictions(lines)) == (1, [line])


@pytest.mark.security("Battles")
def test_late_of_a_lock_that_was_read_in_time_is_reported(log, battles, watch):
    lock = battles.lock()
    watch(log, now=seconds(battles.published_ms(lock) - 3_500))
    battles.pass_round(lock)
    end = battles.void(lock)

    status, lines = watch(log)

    round_ = battles.entry(lock)["beacon"]["round"]
    line = f"entry {end}: the battle is void as late, but its lock was read 3500 ms before round {round_}"
    assert (status, contradictions(lines)) == (1, [line])


def test_late_of_a_lock_that_was_read_shortly_before_its_round_passes(log, battles, watch):
    lock = battles.lock()
    watch(log, now=seconds(battles.published_ms(lock) - 2_900))
    battles.pass_round(lock)
    battles.void(lock)

    status, lines = watch(log)

    assert (status, contradictions(lines)) == (0, [])


def test_who_would_have_won_a_void_battle_is_reported_and_counted(log, battles, watch, relay):
    alice = Player("alice")
    lock = battles.lock(alice, None)
    round_ = battles.entry(lock)["beacon"]["round"]
    battles.pass_round(lock)
    end = battles.void(lock)
    payouts = battles.outcome(lock, battles.network.sign(round_))["payouts"]
    winner = (
        f"player {alice.id} in seat 0 ({payouts[0]:g})" if payouts[0] else f"a bot in seat 1 ({payouts[1]:g})"
    )

    status, lines = watch(log, options=relay(round_))

    assert status == 0
    assert f"report: entry {end}: the battle of entry {lock} is void (late), {winner} would have won" in lines
    of_players, of_bots = (1, 0) if payouts[0] else (0, 1)
    assert (
        f"void (late): 1 battles; players would have won {of_players}, bots {of_bots}; of 0 it is not known"
        in lines
    )


def test_void_battles_count_while_no_relay_shows_their_rounds(log, battles, watch):
    lock = battles.lock()
    battles.pass_round(lock)
    battles.void(lock)

    status, lines = watch(log)

    assert status == 0
    line = "void (late): 1 battles; players would have won 0, bots 0; of 1 it is not known"
    assert line in lines
    assert "battles: 1 locked, 0 wait for their end, 1 void" in lines


def test_relays_that_can_not_be_reached_are_no_contradiction(log, battles, watch):
    lock = battles.lock()
    battles.pass_round(lock)
    battles.void(lock)

    status, lines = watch(log, options=["--beacons", "http://127.0.0.1:1"])

    assert (status, contradictions(lines)) == (0, [])


def test_a_relay_that_forges_a_beacon_is_not_believed(log, battles, watch, site):
    lock = battles.lock()
    round_ = battles.entry(lock)["beacon"]["round"]
    battles.pass_round(lock)
    battles.void(lock)
    forged = {"round": round_, "signature": battles.network.sign(round_ + 1)}
    site.files[f"/{battles.network.hash}/public/{round_}"] = json.dumps(forged).encode()

    _, lines = watch(log, options=["--beacons", site.address])

    assert any(line.endswith("; of 1 it is not known") for line in lines)


def test_a_battle_without_a_beacon_for_a_day_may_be_void(log, battles, watch):
    lock = battles.lock()
    battles.pass_round(lock, DAY_MS)
    battles.void(lock, "beacon")

    status, lines = watch(log)

    assert (status, contradictions(lines)) == (0, [])


@pytest.mark.security("Battles")
def test_a_battle_that_is_void_before_a_day_without_a_beacon_is_reported(log, battles, watch):
    lock = battles.lock()
    battles.pass_round(lock, DAY_MS - 1)
    end = battles.void(lock, "beacon")

    status, lines = watch(log)

    round_ = battles.entry(lock)["beacon"]["round"]
    line = f"entry {end}: the battle is void less than a day after round {round_}"
    assert (status, contradictions(lines)) == (1, [line])


@pytest.mark.security("Battles")
def test_a_battle_that_is_void_although_a_relay_had_its_beacon_is_reported(log, battles, watch, relay):
    lock = battles.lock()
    round_ = battles.entry(lock)["beacon"]["round"]
    watch(log, now=seconds(battles.published_ms(lock) + 2_000), options=relay(round_))
    battles.pass_round(lock, DAY_MS)
    end = battles.void(lock, "beacon")

    status, lines = watch(log)

    line = f"entry {end}: the battle is void, but a relay had round {round_} before"
    assert (status, contradictions(lines)) == (1, [line])


@pytest.mark.security("Battles")
def test_a_battle_without_an_end_is_reported_a_day_and_a_minute_later(log, battles, watch):
    lock = battles.lock()
    battles.pass_round(lock, DAY_MS + 60_000)
    log.append(redraw=1, reason="restore", at=battles.published_ms(lock) + DAY_MS + 60_000)
    early, _ = watch(log)
    log.append(redraw=2, reason="restore")

    status, lines = watch(log)

    round_ = battles.entry(lock)["beacon"]["round"]
    line = f"entry {lock}: the battle has no end a day after round {round_}"
    assert (early, status, contradictions(lines)) == (0, 1, [line])


@pytest.mark.security("Battles")
def test_void_after_a_restore_that_did_not_happen_is_reported(log, battles, watch):
    lock = battles.lock()
    end = battles.void(lock, "restore")

    status, lines = watch(log)

    line = f"entry {end}: the battle is void after a restore, but none has lost its lock"
    assert (status, contradictions(lines)) == (1, [line])


def test_a_reason_that_does_not_exist_is_reported(log, battles, watch):
    end = battles.void(battles.lock(), "bad luck")

    assert contradictions(watch(log)[1]) == [f"entry {end}: a battle is void for the reason 'bad luck'"]


@pytest.fixture
def lost(log, battles, successor):
    """A log that has lost the lock of a battle, and locks it again with these changes. Log and index."""

    def lost(**changed):
        play(log)
        lock = battles.lock()
        following = successor(11, at=log.now_ms + 60_000)
        following.documents = log.documents
        again = following.append(**battles.entry(lock) | changed)
        return following, lock, again

    return lost


def ended(battles, following, lock, again, **changed):
    """End the battle of the predecessor's lock in its successor."""
    end = {"battle": battles.entry(lock)["battle"], "lock": again, "v": 2}
    return following.append(**end | {"seed": battles.seed(1)} | changed)


def test_a_lock_that_is_repeated_after_a_restore_is_no_second_one(log, battles, watch, lost):
    following, lock, again = lost()
    watch(log)
    ended(battles, following, lock, again, reason="restore")

    status, lines = watch(following)

    assert (status, contradictions(lines)) == (0, [])
    line = f"report: entry 11: the lock in entry {lock} was not kept: its seed was not in the log"
    assert line in lines


@pytest.mark.security("Battles")
def test_a_lock_that_is_changed_after_a_restore_is_reported(log, battles, watch, lost):
    following, _, again = lost(crazy=True)
    watch(log)

    status, lines = watch(following)

    line = f"entry {again}: locks a battle that the log before this one has locked in another way"
    assert (status, contradictions(lines)) == (1, [line])


@pytest.mark.security("Battles")
def test_a_lock_that_is_repeated_after_a_restore_and_settled_is_reported(log, battles, watch, lost):
    following, lock, again = lost()
    watch(log)
    signature = battles.network.sign(battles.entry(lock)["beacon"]["round"])
    end = ended(battles, following, lock, again, signature=signature)
    following.battles[end] = battles.outcome(lock, signature)

    status, lines = watch(following)

    assert status == 1
    assert f"entry {again}: the battle is settled, but its lock follows an entry" in contradictions(lines)[0]


@pytest.mark.security("Battles")
def test_a_new_battle_is_not_void_because_of_an_earlier_restore(log, battles, watch, successor):
    play(log)
    following = successor(11)
    later = PublicBattles(following, battles.network)
    end = later.void(later.lock(), "restore")

    line = f"entry {end}: the battle is void after a restore, but none has lost its lock"
    assert contradictions(watch(following)[1]) == [line]


def test_a_settled_battle_that_a_restore_loses_is_reported_with_its_winner(log, battles, watch, successor):
    play(log)
    lock = battles.lock()
    battles.settle(lock)
    following = successor(11)
    watch(log)

    _, lines = watch(following)

    begin = f"report: entry 11: the lock in entry {lock} was not kept: player "
    assert any(line.startswith(begin) for line in lines)


def test_a_kept_lock_is_ended_in_the_successor(log, battles, watch, successor):
    play(log)
    lock = battles.lock()
    watch(log, now=seconds(log.now_ms))
    following = successor(12)
    following.documents = log.documents
    signature = battles.network.sign(battles.entry(lock)["beacon"]["round"])
    end = ended(battles, following, lock, lock, signature=signature)
    following.battles[end] = battles.outcome(lock, signature)

    status, lines = watch(following)

    assert (status, contradictions(lines)) == (0, [])


@pytest.mark.security("Battles")
def test_the_checkpoint_is_read_at_the_time_of_each_round(log, battles, site, tmp_path, capsys):
    """So a lock that is written after its round is found, however short the moment is."""
    battles.settle(battles.lock())
    site.files.update(log.files())
    published = battles.network.time_ms(battles.network.round_after(log.now_ms))
    now = [seconds(published - 8_000)]

    def pause(length):
        if now[0] > seconds(published + 12_000):
            raise KeyboardInterrupt
        if now[0] > seconds(published) and len(log.entries) == 2:
            battles.settle(battles.lock(at=published - 7_000))
            site.files.update(log.files())
        now[0] += length

    status = monitor.main([site.url, "--state", str(tmp_path / "state")], now=lambda: now[0], pause=pause)

    (line,) = contradictions(capsys.readouterr().out.splitlines())
    assert status == 1
    assert re.search(
        r"settled, but \d+ ms after round \d+ was published a checkpoint did not have its lock", line
    )


def test_a_checkpoint_between_two_readings_must_fit_both(log, battles, site, tmp_path, capsys):
    battles.settle(battles.lock())
    honest = log.files()
    site.files.update(honest)
    log.append(redraw=1, reason="restore")
    forked = log.files()["/log/checkpoint"]
    log.entries.pop()
    log.append(redraw=1, reason="another")
    paused = []

    def pause(length):
        paused.append(length)
        if len(paused) == 1:
            site.files["/log/checkpoint"] = forked
        elif len(paused) == 2:
            site.files.update(log.files())
        elif len(paused) > 5:
            raise KeyboardInterrupt

    now = seconds(log.now_ms)
    monitor.main([site.url, "--state", str(tmp_path / "state")], now=lambda: now, pause=pause)

    lines = capsys.readouterr().out.splitlines()
    assert contradictions(lines)[0] == "two histories: size 3 does not fit size 3"


@pytest.mark.parametrize("off_ms", [-2_000, 10_000])
def test_a_wrong_clock_is_not_checked_and_no_contradiction(log, battles, watch, relay, off_ms):
    battles.settle(battles.lock())
    now_ms = log.now_ms
    newest = battles.network.round_after(now_ms) - 3
    options = relay(newest)
    watch(log, now=seconds(now_ms), options=options)
    published = battles.network.time_ms(newest + 1)

    status, lines = watch(log, now=seconds(battles.network.time_ms(newest) + off_ms), options=options)
    lock = battles.lock(at=published - 6_500)
    battles.settle(lock)
    _, later = watch(log)

    assert (status, not_checked(lines)) == (2, [f"the clock: the newest beacon is {off_ms} ms old"])
    assert contradictions(later) == []


def test_without_the_library_the_signatures_are_not_checked(log, battles, watch, monkeypatch):
    battles.settle(battles.lock())
    monkeypatch.setattr(monitor, "G1Point", None)

    status, lines = watch(log)

    line = "the signatures of 1 beacons: install py-arkworks-bls12381 0.5.0 or later"
    assert (status, not_checked(lines)) == (2, [line])
    assert "battles: 1 locked, 0 wait for their end, 0 void" in lines


# The program


@pytest.mark.process
def test_it_runs_as_a_file_that_stands_alone(log, site, tmp_path):
    play(log)
    site.files.update(log.files())
    copy = shutil.copy(ROOT / "verify" / "monitor.py", tmp_path)
    command = [sys.executable, "-I", copy, site.url, "--state", tmp_path / "state", "--once"]

    finished = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert (finished.returncode, finished.stderr) == (0, "")
    assert f"{ORIGIN}: 11 entries, 0 bets wait for their proof" in finished.stdout


def test_it_reads_the_log_every_ten_seconds(log, site, tmp_path, capsys):
    alice, _ = play(log)
    site.files.update(log.files())
    pauses = []

    def pause(seconds):
        pauses.append(seconds)
        if len(pauses) == 2:
            raise KeyboardInterrupt
        log.spin(alice)
        site.files.update(log.files())

    status = monitor.main([site.url, "--state", str(tmp_path / "state")], now=lambda: LONG_AFTER, pause=pause)

    assert (status, pauses) == (0, [10, 10])
    assert f"{ORIGIN}: 12 entries" in capsys.readouterr().out
