"""verify/monitor.py: an honest log passes, and each kind of contradiction or problem is one line."""

import json
import shutil
import subprocess
import sys
import threading
from base64 import b64encode
from contextlib import nullcontext

import pytest

from tests.harness.servers import ROOT
from tests.support.golden_log import golden_files
from tests.support.public_log import (
    BEGAN_MS,
    ORIGIN,
    PROOF_DELAY_SECONDS,
    SNAPSHOT,
    Key,
    Player,
    PublicLog,
    serving,
)
from tests.support.raw_server import dribbling, raw_server
from verify import monitor

LONG_AFTER = BEGAN_MS / 1000 + 1_000_000
NOTES = json.loads(golden_files()["notes.json"])
BUNDLE = "/log/tile/entries/000.p/{}"


@pytest.fixture
def log():
    return PublicLog()


@pytest.fixture
def site():
    with serving() as site:
        yield site


@pytest.fixture
def watch(site, tmp_path, capsys):
    """Runs the monitor once on what a log, or several, serve. Gives its exit status and its lines."""

    def watch(*logs, options=(), now=LONG_AFTER, state="state", pause=lambda _: None):
        for log in logs:
            site.files.update(log.files())
        arguments = [site.url, "--state", str(tmp_path / state), "--once", *options]
        status = monitor.main(arguments, now=lambda: now, pause=pause)
        captured = capsys.readouterr()
        return status, (captured.out + captured.err).splitlines()

    return watch


def contradictions(lines):
    return [line.removeprefix("contradiction: ") for line in lines if line.startswith("contradiction")]


def problems(lines):
    return [line.removeprefix("problem: ") for line in lines if line.startswith("problem")]


def not_checked(lines):
    assert contradictions(lines) + problems(lines) == []
    return [line.removeprefix("not checked: ") for line in lines if line.startswith("not checked")]


def play(log, bets=3):
    """Bets of two players in all games."""
    alice, bob = log.new_player("alice"), log.new_player("bob")
    for _ in range(bets):
        log.spin(alice)
        log.open(bob)
        log.open(alice, "irl")
    return alice, bob


def replace(log, index, **changed):
    """Replace fields of an entry, as somebody would who holds the key."""
    entry = json.loads(log.entries[index]) | changed
    log.entries[index] = json.dumps(entry, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


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


@pytest.fixture
def successor(log):
    """A function that restores a part of the log into one with another name, and settles a bet there."""

    def successor(kept, **changed):
        following = PublicLog(f"{ORIGIN}-2")
        following.entries = log.entries[:kept]
        following.bets = {index: bet for index, bet in log.bets.items() if index < kept}
        following.bets = {
            index: bet | {"log": {"origin": following.origin, "index": index}}
            for index, bet in following.bets.items()
        }
        signed = {"forkOf": ORIGIN, "kept": kept, "root": log.root, "size": len(log.entries)}
        following.append(**signed | changed)
        following.spin(following.new_player("carol"))
        return following

    return successor


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
    log.append(v=2, battle="ab" * 32, reason="late")
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
