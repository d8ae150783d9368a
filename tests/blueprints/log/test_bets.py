"""Bets in the log: their places, proofs and receipts, and /log/revealed."""

import base64

import pytest

from tests.blueprints.log.conftest import ORIGIN, content, leaf_hash, not_found
from tests.services.log.rfc6962 import path
from tests.support.openings import Openings, chest

PROOF_DELAY_MS = 6_000
IMMUTABLE = "public, max-age=31536000, immutable"

pytestmark = pytest.mark.settings(UPGRADER_PROOF_DELAY="6")


def error(answer):
    return answer.status_code, answer.json


def test_a_due_bet_shows_its_place(client, entries_of, spin, clock):
    """Also a bet that was not logged yet when somebody asked for it."""
    bet = spin()
    clock.advance(ms=PROOF_DELAY_MS)

    place = client.get(f"/bets/{bet.id}").json["log"]

    assert place["origin"] == ORIGIN
    entry = content(entries_of(f"000.p/{place['index'] + 1}")[place["index"]])
    assert entry["commitment"] == bet.server_seed_commitment
    assert entry["nonce"] == 1


@pytest.mark.security("The public log")
def test_the_proof_of_a_bet_leads_to_the_newest_checkpoint(
    client, checkpoint, entries_of, logged_spin, open_note, clock
):
    bets = [logged_spin() for _ in range(4)]
    clock.advance(ms=PROOF_DELAY_MS)
    note = checkpoint()
    entries = entries_of(f"000.p/{note.size}")

    for bet in bets:
        answer = client.get(f"/bets/{bet.id}/tlog-proof")

        head, _, signed = answer.text.partition("\n\n")
        first, extra, place, *proof = head.split("\n")
        index = int(place.removeprefix("index "))
        entry = base64.b64decode(extra.removeprefix("extra "), validate=True)
        assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert first == "c2sp.org/tlog-proof@v1"
        assert entry == entries[index]
        assert content(entry)["commitment"] == bet.server_seed_commitment
        hashes = [base64.b64decode(line, validate=True) for line in proof]
        assert hashes == path(index, [leaf_hash(each) for each in entries])
        assert open_note(signed) == note


@pytest.mark.security("Fairness")
def test_the_proof_of_a_bet_is_not_found_before_it_is_due(client, logged_spin, clock):
    bet = logged_spin()
    clock.advance(ms=PROOF_DELAY_MS - 1)

    assert error(client.get(f"/bets/{bet.id}/tlog-proof")) == (404, {"error": "Bet not found"})

    clock.advance(ms=1)
    assert client.get(f"/bets/{bet.id}/tlog-proof").status_code == 200


@pytest.mark.security("Fairness")
def test_revealed_bets_are_those_that_are_due(client, log, logged_spin, clock):
    first = logged_spin()
    second = logged_spin()
    clock.now = second.proof_due_at_ms - 1

    answer = client.get("/log/revealed/0")
    shown = [(each["index"], each["bet"]["id"]) for each in answer.json]
    clock.advance(ms=1)
    both = client.get("/log/revealed/0").json

    assert shown == [(1, str(first.id))]
    assert answer.headers["Cache-Control"] == "public, max-age=1"
    assert [each["bet"]["id"] for each in both] == [str(first.id), str(second.id)]


def test_a_revealed_bet_is_the_object_of_its_own_page_without_the_user(
    app, client, log, logged_spin, player, clock
):
    bets = [logged_spin(), Openings(app).bet(player, chest("chest")), Openings(app).bet(player, chest("box"))]
    log.append_now()
    clock.advance(ms=PROOF_DELAY_MS)

    revealed = client.get("/log/revealed/0").json

    pages = [client.get(f"/bets/{bet.id}").json for bet in bets]
    assert [page.pop("user") for page in pages] == ["alice"] * 3
    assert [each["bet"] for each in revealed] == pages
    assert [each["index"] for each in revealed] == [each["bet"]["log"]["index"] for each in revealed]


def test_revealed_bets_of_a_full_bundle_never_change_when_all_are_due(
    client, log, logged_spin, add_waiting, clock
):
    bet = logged_spin()
    add_waiting(300)
    log.append_now()

    before = client.get("/log/revealed/0")
    clock.now = bet.proof_due_at_ms
    after = client.get("/log/revealed/0")

    assert (before.json, before.headers["Cache-Control"]) == ([], "public, max-age=1")
    assert ([each["bet"]["id"] for each in after.json], after.headers["Cache-Control"]) == (
        [str(bet.id)],
        IMMUTABLE,
    )
    # The last bundle is not full.
    assert client.get("/log/revealed/1").headers["Cache-Control"] == "public, max-age=1"
    assert not_found(client.get("/log/revealed/2"))


def test_a_number_of_a_bundle_has_one_form(client, logged_spin):
    logged_spin()

    for number in ("00", "-1", "+0", "0x0", "a", "\u0660", "1", "9" * 4_000):
        assert not_found(client.get(f"/log/revealed/{number}")), number


@pytest.mark.security("Fairness")
def test_revealing_a_bundle_takes_a_constant_number_of_queries(client, logged_spin, queries, clock):
    def count():
        queries.clear()
        assert client.get("/log/revealed/0").status_code == 200
        return len(queries)

    logged_spin()
    clock.advance(ms=PROOF_DELAY_MS)
    client.get("/log/revealed/0")
    clock.advance(seconds=1)
    one = count()
    for _ in range(5):
        logged_spin()
    clock.advance(ms=PROOF_DELAY_MS)

    assert count() == one


def test_a_receipt_is_a_note_about_the_entry(client, entries_of, log, open_note, player, spin):
    spin()

    answer = client.get("/log/receipts/1", headers=player.headers)

    log.append_now()
    note = open_note(answer.text)
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    assert note.key_name == ORIGIN
    assert note.text == f"{ORIGIN}/receipt\n{entries_of('000.p/2')[1].decode()}\n"


def test_only_a_players_own_bets_have_receipts(client, player, new_player, spin):
    spin()
    stranger = new_player("mallory")
    missing = (404, {"error": "Receipt not found"})

    assert error(client.get("/log/receipts/1", headers=stranger.headers)) == missing
    for nonce in (0, 2, 2**63, 10**100):
        assert error(client.get(f"/log/receipts/{nonce}", headers=player.headers)) == missing, nonce
