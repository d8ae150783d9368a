"""The list of players, the search, and a player's tabs."""

import re

import pytest

from models.bets import Bet
from models.db.connection import writing
from models.users import User
from services.accounts import profile
from services.staff import notes
from tests.harness.spins import play_spin
from tests.support.office import events, signed_in

TABS = (
    *("", "/ledger", "/bets", "/payments", "/requests", "/limits", "/logins", "/affiliates"),
    *("/prizes", "/rewards", "/notes", "/actions", "/events"),
)
PROOFS = ("not yet revealed", "revealed, not yet confirmed")
MARKUP = "<script>alert(1)</script>"


@pytest.fixture
def content(app):
    return signed_in(app, "content")


@pytest.fixture
def path(player):
    return f"/office/players/{player.platform_id}"


def looks():
    """What staff have looked at: who, and what."""
    return [(who, after["what"]) for _, who, after in events("personal-details.seen")]


def test_a_search_finds_players_by_any_part_of_their_names(support, new_player):
    for name in ("alice", "alicia", "bob"):
        new_player(name)

    page = support.get("/office/players?q=LIC").text

    assert "alice</a>" in page
    assert "alicia</a>" in page
    assert "bob</a>" not in page
    assert "Nobody matches" in support.get("/office/players?q=nobody").text


def test_the_list_has_pages_of_fifty_players_in_the_order_of_the_address(support, new_player):
    for number in range(51):
        new_player(f"player-{number}")

    first, second = [support.get(f"/office/players?page={number}").text for number in (1, 2)]

    assert (first.count('scope="row"'), second.count('scope="row"')) == (50, 1)
    assert 'rel="next"' in first
    assert 'rel="next"' not in second
    assert "player-0</a>" in second
    assert "player-0</a>" in support.get("/office/players?sort=registered").text


def test_the_list_shows_only_suspended_players(support, player, new_player):
    other = new_player("other")
    with writing():
        User.update(suspended_at_ms=1).where(User.id == other.id).execute()

    page = support.get("/office/players?show=suspended").text

    assert "other</a>" in page
    assert f"{player.username}</a>" not in page


@pytest.mark.both_databases("services/staff/payment_lists.py")
def test_every_tab_is_shown_of_a_player_with_data_and_of_a_new_one(sample_player, new_player, auditor):
    for player in (sample_player, new_player("newcomer")):
        for tab in TABS:
            page = auditor.get(f"/office/players/{player.platform_id}{tab}")

            assert page.status_code == 200, tab
            assert 'aria-current="page"' in page.text
            assert '<a href="/office/players" aria-current="true">Players</a>' in page.text
    assert auditor.get("/office/players/00000000000000000").status_code == 404


def test_a_tab_that_the_role_may_not_see_is_not_offered(support, path):
    assert "Audit events" not in support.get(path).text
    assert support.get(f"{path}/events").status_code == 403


def suspension_of(staff, path):
    """What the page of a player says about the last suspension, without its times."""
    page = staff.get(path).text
    shown = page.partition('<dt id="suspension">Last suspension</dt><dd>')[2].partition("</dd>")[0]
    return re.sub(r"<time.*?</time>|<br>|\s+", " ", shown).split()


def test_whoever_sees_a_player_sees_by_whom_and_why_a_suspension_began_and_ended(content, support, path):
    assert suspension_of(content, path) == []

    support.act(path, "suspend", reason="somebody else plays")
    begun = "From by staff:support-person: somebody else plays until"
    assert suspension_of(content, path) == f"{begun} somebody ends it".split()
    support.act(path, "resume", reason="it was the player")

    assert suspension_of(content, path) == f"{begun} by staff:support-person: it was the player".split()


@pytest.mark.security("Four eyes")
def test_personal_details_are_masked_until_asked_for(support, player, path):
    profile.change_details(
        user_id=player.id, username=None, details={"last_name": "Miller", "city": "Utrecht"}, now=1
    )

    masked = support.get(path).text
    assert ("Miller" in masked, looks()) == (False, [])
    shown = support.get(f"{path}?personal=shown").text

    assert "Miller" in shown
    assert "Utrecht" in shown
    assert looks() == [("staff:support-person", "details")]
    assert "Miller" not in support.get(path).text


@pytest.mark.security("Four eyes")
def test_the_address_book_of_a_player_is_masked_until_asked_for(support, client, player, path):
    address = "bc1q-address-of-a-wallet"
    body = {"method": "demo", "name": "Wallet of Miller", "address": address}
    client.post("/payments/addresses", json=body, headers=player.headers)

    masked = support.get(f"{path}/requests").text
    assert ("Miller" in masked, address in masked, "Can be used from" in masked) == (False, False, True)
    shown = support.get(f"{path}/requests?personal=shown").text

    assert ("Wallet of Miller" in shown, address in shown) == (True, True)
    assert looks() == [("staff:support-person", "requests")]


@pytest.mark.security("Four eyes")
def test_the_content_role_never_sees_personal_details(content, path):
    assert "Show personal data" not in content.get(path).text
    assert content.get(f"{path}?personal=shown").status_code == 403
    assert looks() == []


def test_addresses_of_logins_are_masked_until_asked_for(support, path):
    support.get(f"{path}/logins")
    support.get(f"{path}/logins?personal=shown")

    assert looks() == [("staff:support-person", "logins")]


def test_markup_of_players_and_staff_is_shown_as_text(support, player, path):
    notes.add_note(user_id=player.id, text=f"note {MARKUP}", by="anna", now=1)
    profile.change_details(user_id=player.id, username=None, details={"city": MARKUP}, now=1)
    with writing():
        User.update(username=MARKUP).where(User.id == player.id).execute()

    for address in ("/office/players", path, f"{path}?personal=shown", f"{path}/notes"):
        page = support.get(address).text
        assert MARKUP not in page
        assert "&lt;script&gt;" in page


def test_a_note_is_kept_and_its_form_keeps_what_was_typed(support, path):
    refused = support.post(f"{path}/notes", text="four")
    assert refused.status_code == 400
    assert ">four</textarea>" in refused.text
    assert "5 to 2000 characters" in refused.text

    support.post(f"{path}/notes", text="asked for a limit")

    assert "asked for a limit" in support.get(f"{path}/notes").text


def test_events_of_a_player_show_amounts_in_usd(app, player, auditor, clock, path):
    request = app.extensions["services"].withdrawals.request
    request(user_id=player.id, method="demo", amount=500, to="there", idempotency_key=None, now=clock())

    page = auditor.get(f"{path}/events").text

    assert '<span class="quiet">amount</span> <span class="money">' in page
    assert "amountCents" not in page


def test_a_search_for_a_txhash_leads_to_the_payments(sample_player, support):
    page = support.get("/office/players?q=0xabc").text

    assert f'<a href="/office/players/{sample_player.platform_id}/payments">txhash</a>' in page


def test_a_bet_says_what_is_known_about_its_proof(app, add_item, player, auditor):
    services = app.extensions["services"]
    play_spin(app, player, add_item(), client_seed="some-seed")
    path = f"/office/players/{player.platform_id}/bets"

    def said():
        pages = [auditor.get(address).text for address in (path, f"{path}/1")]
        return {text for page in pages for text in PROOFS if f">{text}<" in page}

    assert said() == {"not yet revealed"}
    with writing():
        Bet.update(proof_due_at_ms=services.clock()).execute()
    assert said() == {"revealed, not yet confirmed"}


def test_a_bet_says_why_it_was_lost(sample_player, auditor):
    path = f"/office/players/{sample_player.platform_id}/bets"
    assert 'scope="row"' in auditor.get(path).text

    assert "so the bet was" in auditor.get(f"{path}/1").text
    assert auditor.get(f"{path}/999999999").status_code == 404
