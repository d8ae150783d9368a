"""Golden files of the public log, which the programs and the page share: proofs, a receipt, battles, a key.

    python -m tests.support.golden_log

writes them into verify/log/. They come from the naive log of ``public_log``, not from the product's code.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator
from typing import Any

from tests.harness.servers import ROOT
from tests.support.cosigners import Cosigner
from tests.support.public_battles import PublicBattles, Quicknet
from tests.support.public_log import BEGAN_MS, CASE, ORIGIN, Key, Player, PublicLog, canonical, root

FOLDER = ROOT / "verify" / "log"

ONE, TWO = Cosigner("witness.example/w1"), Cosigner("witness.example/w2")
COSIGNED_SECONDS = BEGAN_MS // 1_000 + 8


def golden_files() -> dict[str, str]:
    """The text of each file, by its name."""
    log = PublicLog()
    alice, bob = log.new_player("alice"), log.new_player("bob")
    spin, opening = log.spin(alice), log.open(bob)
    for player in (alice, bob, alice):
        log.spin(player)
    key = log.keys[0]
    texts = {
        "spin.tlog-proof": proof(log, spin),
        "spin.receipt": receipt(log, spin),
        "opening.tlog-proof": proof(log, opening),
        "key": f"{key.verifier()}\n",
    }
    bets = {name: values(log, index) for name, index in (("spin", spin), ("opening", opening))}
    return texts | {
        "bets.json": _json(bets),
        "altered.json": _json(list(_altered(log, spin, texts))),
        "notes.json": _json(list(_note_endings())),
        "cosigned.tlog-proof": cosigned(
            texts["spin.tlog-proof"], COSIGNED_SECONDS, Cosigner("other"), ONE, TWO
        ),
        "witnesses": f"{ONE.key}\n{TWO.key}\n",
        "cosignatures.json": _json(list(_cosignatures(texts["spin.tlog-proof"]))),
        **battle_files(),
    }


def battle_files() -> dict[str, str]:
    """A settled battle and a void one, as the page saves them, and what a changed one must not pass."""
    network = Quicknet()
    log = PublicLog()
    log.began_ms = network.time_ms(network.number) - 9_000
    battles = PublicBattles(log, network)
    log.new_player("alice")
    lock = battles.lock(Player("alice"), None, Player("bob"), Player("carol"), teams="2v2", count=3)
    void = battles.lock(Player("bob"), None, crazy=True)
    proofs = {each: proof(log, each) for each in (lock, void)}
    end = battles.settle(lock)
    late = battles.void(void)
    battle = battles.shown(lock, 1, end)
    known = {name: battle[name] for name in ("serverSeedCommitment", "mode", "crazy", "terminal", "teams")}
    known |= {
        "cases": [each["snapshot"] for each in battle["cases"]],
        "seat": 0,
        "clientSeed": "my-lucky-seed",
    }
    arrived_at = network.time_ms(network.number) - 4_000
    receipt = {"battle": battle["id"], "proof": proofs[lock], "known": known, "arrivedAt": arrived_at}
    shared = {"snapshots": [canonical(CASE)]}
    seconds = network.time_ms(network.number) // 1_000
    by_both = cosigned(cosigned(proofs[lock], seconds - 4, ONE), seconds + 1, TWO)
    return {
        "battle.json": _json({"battle": battle, "proof": proofs[lock], **shared, "receipt": receipt}),
        "cosigned-battle.json": _json({"battle": battle, "proof": by_both, **shared}),
        "void-battle.json": _json(
            {
                "battle": battles.shown(void, 2, late),
                "proof": proofs[void],
                **shared,
                "signature": network.signature,
            }
        ),
        "altered-battles.json": _json(list(_altered_battles(battle, proofs, network))),
    }


def _altered_battles(
    battle: dict[str, Any], proofs: dict[int, str], network: Quicknet
) -> Iterator[dict[str, Any]]:
    """What is changed in the settled battle, in its file or in its receipt, with the reason."""
    seats, drawn = battle["seats"], battle["drawn"]
    other_item = [[drawn[0][0] | {"item": "Never"}, *drawn[0][1:]], *drawn[1:]]
    other_ticket = [[drawn[0][0] | {"ticket": "1"}, *drawn[0][1:]], *drawn[1:]]
    for why, changed in (
        ("another server seed", {"serverSeed": "00" * 32}),
        ("another commitment", {"serverSeedCommitment": "00" * 32}),
        ("another battle", {"id": f"{7:022}"}),
        ("another mode", {"mode": "jackpot"}),
        ("crazy", {"crazy": True}),
        ("fewer cases", {"cases": battle["cases"][:2]}),
        ("another client seed", {"seats": [seats[0] | {"clientSeed": "another"}, *seats[1:]]}),
        ("a bot that was a player", {"seats": [seats[0] | {"bot": True}, *seats[1:]]}),
        ("another time of the lock", {"lockedAt": battle["lockedAt"] - 1}),
        ("another round", {"round": battle["round"] + 1}),
        ("another entry", {"entry": battle["entry"] + 1}),
        ("another signature", {"signature": battle["signature"][:-1] + "c"}),
        ("another randomness", {"randomness": "00" * 32}),
        ("another item", {"drawn": other_item}),
        ("another ticket", {"drawn": other_ticket}),
        ("another value", {"values": [value + 1 for value in battle["values"]]}),
        ("no tie", {"tie": None}),
        ("other winners", {"winners": [1 - battle["winners"][0]]}),
        ("other payouts", {"payouts": battle["payouts"][::-1]}),
    ):
        yield {"why": why, "battle": changed}
    yield {"why": "the proof of another lock", "file": {"proof": proofs[max(proofs)]}}
    yield {"why": "a receipt after the round", "receipt": {"arrivedAt": network.time_ms(network.number)}}
    yield {"why": "a receipt of another battle", "receipt": {"battle": f"{2:022}"}}
    known = {"serverSeedCommitment": battle["serverSeedCommitment"], "seat": 0, "clientSeed": "another"}
    yield {"why": "a receipt with another client seed", "receipt": {"known": known}}


def proof(log: PublicLog, index: int) -> str:
    """The proof file of an entry."""
    path = "".join(f"{b64encode(each).decode()}\n" for each in _path(index, log.entries))
    extra = b64encode(log.entries[index]).decode()
    return f"c2sp.org/tlog-proof@v1\nextra {extra}\nindex {index}\n{path}\n{log.checkpoint()}"


def cosigned(file: str, seconds: int, *cosigners: Cosigner) -> str:
    """A proof file whose checkpoint they have cosigned."""
    checkpoint = file.partition("\n\n")[2]
    return file + "".join(each.line(checkpoint, seconds) for each in cosigners)


def _cosignatures(file: str) -> Iterator[dict[str, Any]]:
    """Lines to add to a proof, and whether the first witness has cosigned it then. Null if it has not."""
    checkpoint = file.partition("\n\n")[2]
    line = ONE.line(checkpoint, COSIGNED_SECONDS)
    raw = b64decode(line.split(" ")[2])

    def own(signature: bytes) -> str:
        return f"\u2014 {ONE.name} {b64encode(signature).decode()}\n"

    for why, lines, passed in (
        ("a cosignature", line, True),
        ("two of them", line + ONE.line(checkpoint, COSIGNED_SECONDS + 5), True),
        ("none", "", None),
        ("one of another witness", TWO.line(checkpoint, COSIGNED_SECONDS), None),
        ("another name", line.replace("/w1 ", "/w9 "), None),
        ("another key id", own(bytes(4) + raw[4:]), None),
        ("another size", ONE.line(checkpoint.replace("\n7\n", "\n8\n"), COSIGNED_SECONDS), False),
        ("another time", own(raw[:11] + bytes([raw[11] ^ 1]) + raw[12:]), False),
        ("a damaged signature", own(raw[:40] + bytes([raw[40] ^ 1]) + raw[41:]), False),
        ("a right and a damaged one", line + own(raw[:-1] + b"\0"), False),
        ("no time", ONE.line(checkpoint, 0), False),
        ("a time in 300,000 years", ONE.line(checkpoint, 2**53), False),
        ("a time after all times", ONE.line(checkpoint, 2**64 - 1), False),
        ("a signature without a time", own(raw[:4] + raw[12:]), False),
        ("a time without a signature", own(raw[:12]), False),
        ("a key id and a byte", own(raw[:5]), False),
    ):
        yield {"why": why, "lines": lines, "passed": passed}


def receipt(log: PublicLog, index: int, key: Key | None = None) -> str:
    """The receipt of an entry."""
    text = f"{log.origin}/receipt\n{log.entries[index].decode()}\n"
    return f"{text}\n{(key or log.keys[0]).line(log.origin, text)}"


def values(log: PublicLog, index: int) -> dict[str, Any]:
    """What a player knows of a bet, under the names of /verify, all as text; and the next commitment."""
    bet = log.bets[index]
    seeds = {name: bet["pf"][name] for name in ("serverSeedCommitment", "serverSeed", "clientSeed")}
    terms = {"betAmount": f"{bet['betAmount']:.2f}"}
    if bet["game"] == "upgrader":
        terms |= {"price": bet["price"].removeprefix("$"), "houseEdge": str(bet["houseEdge"])}
    else:
        terms["snapshot"] = bet["snapshot"]
    following = json.loads(log.entries[index])["next"]
    return {
        "algorithm": bet["algorithm"],
        **seeds,
        "nonce": str(bet["pf"]["nonce"]),
        **terms,
        "next": following,
    }


def _altered(log: PublicLog, spin: int, texts: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Files and keys that must fail, with the reason; with ``bet``, against the spin with these values."""
    good, promise = texts["spin.tlog-proof"], texts["spin.receipt"]
    lines = good.split("\n")
    other = PublicLog()
    other.entries = [*log.entries[:spin], log.entries[spin].replace(b'"nonce":1', b'"nonce":2')]
    other.bets = log.bets
    stranger = Key("stranger")
    signature = good.rindex("\n", 0, -1) + 1
    damaged = bytearray(b64decode(good[signature:].split(" ")[2]))
    damaged[40] ^= 1
    spaced = b64encode(log.entries[spin].replace(b",", b", ", 1)).decode()
    yield {"why": "an entry with another nonce", "file": good.replace(lines[1], _extra(other, spin))}
    yield {"why": "the entry of another bet", "file": good.replace(lines[1], _extra(log, spin + 1))}
    yield {"why": "another index", "file": good.replace("index 2\n", "index 3\n")}
    yield {"why": "an index past the end", "file": good.replace("index 2\n", "index 7\n")}
    yield {"why": "an index with a zero before it", "file": good.replace("index 2\n", "index 02\n")}
    yield {"why": "a hash too few", "file": good.replace(f"{lines[5]}\n\n", "\n")}
    yield {"why": "a hash too many", "file": good.replace(f"{lines[5]}\n", f"{lines[5]}\n{lines[5]}\n")}
    yield {"why": "hashes in another order", "file": "\n".join([*lines[:3], lines[4], lines[3], *lines[5:]])}
    yield {"why": "a shorter hash", "file": good.replace(lines[3], b64encode(bytes(31)).decode())}
    yield {"why": "another size, not signed", "file": good.replace(f"{ORIGIN}\n7\n", f"{ORIGIN}\n8\n")}
    yield {"why": "another history, signed", "file": proof(other, spin), "bet": {}}
    yield {"why": "a damaged signature", "file": good[:signature] + _line(damaged)}
    yield {"why": "no signature", "file": good[:signature]}
    yield {"why": "a proof signed by a stranger", "file": good[:signature] + _signed(stranger, good)}
    yield {"why": "a proof without its entry", "file": good.replace(f"{lines[1]}\n", "")}
    yield {"why": "an entry that is not canonical", "file": good.replace(lines[1], f"extra {spaced}")}
    yield {"why": "a proof of another format", "file": good.replace("@v1", "@v2")}
    yield {"why": "a checkpoint alone", "file": log.checkpoint()}
    yield {"why": "a receipt of another entry", "file": receipt(log, spin + 1), "bet": {}}
    yield {"why": "a receipt with another wager", "file": promise.replace('"wager":250', '"wager":251')}
    yield {"why": "a receipt signed by a stranger", "file": receipt(log, spin, stranger)}
    yield {"why": "a receipt with another line", "file": promise.replace("}\n", "}\n{}\n", 1)}
    yield {"why": "a key of another log", "file": good, "key": f"{stranger.verifier('other.example/log')}\n"}
    yield {"why": "another key of the log", "file": good, "key": f"{stranger.verifier()}\n"}
    yield {"why": "a damaged key", "file": good, "key": texts["key"].replace("+", "+0", 1)}
    for name, value in (
        ("serverSeedCommitment", "ab" * 32),
        ("clientSeed", "another-seed"),
        ("nonce", "2"),
        ("next", "cd" * 32),
        ("betAmount", "2.51"),
        ("price", "10.01"),
        ("houseEdge", "0.04"),
    ):
        yield {"why": f"a bet with another {name}", "file": good, "bet": {name: value}}
        yield {"why": f"a receipt for another {name}", "file": promise, "bet": {name: value}}


def _note_endings() -> Iterator[dict[str, Any]]:
    """Lines to add to a signed note, ``times`` times, and whether it is a note then."""
    other = f"\u2014 other.example/log {b64encode(bytes(68)).decode()}\n"
    long = f"\u2014 other.example/log {b64encode(bytes(2_001)).decode()}\n"
    for why, line, times, is_note in (
        ("a signature of another key", other, 1, True),
        ("100 signatures", other, 99, True),
        ("101 signatures", other, 100, False),
        ("a name with other letters", other.replace("other", "\xe4\ufeff"), 1, True),
        ("a key id and one byte", f"\u2014 other.example/log {b64encode(bytes(5)).decode()}\n", 1, True),
        ("a key id alone", f"\u2014 other.example/log {b64encode(bytes(4)).decode()}\n", 1, False),
        ("less than a key id", f"\u2014 other.example/log {b64encode(bytes(3)).decode()}\n", 1, False),
        ("no signature after the name", "\u2014 other.example/log \n", 1, False),
        ("no name", f"\u2014  {b64encode(bytes(68)).decode()}\n", 1, False),
        ("two blanks", other.replace("log ", "log  "), 1, False),
        ("a blank at the end", other.replace("\n", " \n"), 1, False),
        ("a name with a plus sign", other.replace("other", "o+ther"), 1, False),
        ("a name with a no-break space", other.replace("other", "o\xa0ther"), 1, False),
        ("a name with a next-line character", other.replace("other", "o\x85ther"), 1, False),
        ("a name with a control character", other.replace("other", "o\x01ther"), 1, False),
        ("base64 without padding", other.replace("=", ""), 1, False),
        ("base64 that has another form", other.replace("AA=", "AB="), 1, False),
        ("base64 for addresses", other.replace("AAAA", "AA-_", 1), 1, False),
        ("a hyphen as the dash", other.replace("\u2014", "-"), 1, False),
        ("another line end", other.replace("\n", "\r\n"), 1, False),
        ("no line end", other[:-1], 1, False),
        ("an empty line", "\n", 1, False),
        ("less than 262,144 bytes", long, 95, True),
        ("more than 262,144 bytes", long, 99, False),
        ("more bytes than characters", long.replace("other", "\xe4" * 650), 75, False),
    ):
        yield {"why": why, "line": line, "times": times, "isNote": is_note}


def _extra(log: PublicLog, index: int) -> str:
    return f"extra {b64encode(log.entries[index]).decode()}"


def _line(signature: bytes | bytearray) -> str:
    return f"\u2014 {ORIGIN} {b64encode(signature).decode()}\n"


def _signed(key: Key, file: str) -> str:
    checkpoint = file.partition("\n\n")[2]
    return key.line(ORIGIN, checkpoint.partition("\n\n")[0] + "\n")


def _path(index: int, entries: list[bytes]) -> list[bytes]:
    """PATH(m, D[n]) of RFC 6962, section 2.1.1."""
    if len(entries) == 1:
        return []
    left = 1
    while left * 2 < len(entries):
        left *= 2
    if index < left:
        return [*_path(index, entries[:left]), root(tuple(entries[left:]))]
    return [*_path(index - left, entries[left:]), root(tuple(entries[:left]))]


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in golden_files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
