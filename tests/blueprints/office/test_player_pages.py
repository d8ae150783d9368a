"""The list of players, the search, and a player's tabs."""

import json
import re

import pytest

from bench.harness.spins import play_spin
from models.audit_trail import AuditEvent
from models.bets import Bet
from models.db.connection import reading, writing
from models.users import User
from services.accounts import personal_details
from services.staff import notes
from tests.support.office import signed_in

TABS = (
    *("", "/ledger", "/bets", "/payments", "/requests", "/limits", "/logins", "/affiliates"),
    *("/prizes", "/notes", "/actions", "/events"),
)
PROOFS = ("not yet revealed", "revealed, not yet confirmed")
MARKUP = "<script>alert(1)</script>"


@pytest.fixture
def support(app):
    return signed_in(app, "support")


@pytest.fixture
def auditor(app):
    return signed_in(app, "auditor")


def looks():
    """What staff have looked at: who, and what."""
    with reading():
        seen = AuditEvent.select().where(AuditEvent.what == "personal-details.seen").order_by(AuditEvent.id)
        return [(event.who, json.loads(event.after)["what"]) for event in seen]


def test_a_search_finds_players_by_their_names(support, new_player):
    for name in ("alice", "alicia", "bob"):
        new_player(name)

    page = support.get("/office/players?q=ALI").text

    assert "alice</a>" in page
    assert "alicia</a>" in page
    assert "bob</a>" not in page


def test_a_search_for_nobody_says_so(support):
    assert "Nobody matches" in support.get("/office/players?q=nobody").text


def test_the_list_has_pages_of_fifty_players(support, new_player):
    for number in range(51):
        new_player(f"player-{number}")

    first, second = [support.get(f"/office/players?page={number}").text for number in (1, 2)]

    assert (first.count('scope="row"'), second.count('scope="row"')) == (50, 1)
    assert 'rel="next"' in first
    assert 'rel="next"' not in second
    assert "player-0</a>" in second


def test_the_list_can_begin_with_the_oldest_account(support, new_player):
    for name in ("older", "newer"):
        new_player(name)

    page = support.get("/office/players?sort=registered").text

    assert page.index("older</a>") < page.index("newer</a>")


def test_the_list_shows_only_suspended_players(support, player, new_player):
    other = new_player("other")
    with writing():
        User.update(suspended_at_ms=1).where(User.id == other.id).execute()

    page = support.get("/office/players?show=suspended").text

    assert "other</a>" in page
    assert f"{player.username}</a>" not in page


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_of_a_player_with_data_is_shown(app, sample_player, auditor, tab):
    page = auditor.get(f"/office/players/{sample_player.platform_id}{tab}")

    assert page.status_code == 200
    assert 'aria-current="page"' in page.text


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_of_a_new_player_is_shown(player, auditor, tab):
    assert auditor.get(f"/office/players/{player.platform_id}{tab}").status_code == 200


def test_the_navigation_marks_the_players_on_a_page_about_one(player, auditor):
    page = auditor.get(f"/office/players/{player.platform_id}").text

    assert '<a href="/office/players" aria-current="true">Players</a>' in page


def test_there_is_no_page_of_an_unknown_player(auditor):
    assert auditor.get("/office/players/00000000000000000").status_code == 404


def test_a_tab_that_the_role_may_not_see_is_not_offered(support, player):
    page = support.get(f"/office/players/{player.platform_id}").text

    assert "Audit events" not in page
    assert support.get(f"/office/players/{player.platform_id}/events").status_code == 403


def suspension_of(staff, player):
    """What the page of a player says about the last suspension, without its times."""
    page = staff.get(f"/office/players/{player.platform_id}").text
    shown = page.partition('<dt id="suspension">Last suspension</dt><dd>')[2].partition("</dd>")[0]
    return re.sub(r"<time.*?</time>|<br>|\s+", " ", shown).split()


def test_whoever_sees_a_player_sees_by_whom_and_why_a_suspension_began_and_ended(app, support, player):
    content, path = signed_in(app, "content"), f"/office/players/{player.platform_id}"
    assert suspension_of(content, player) == []

    support.post(f"{path}/suspend", of=path, reason="somebody else plays")
    begun = "From by staff:support-person: somebody else plays until"
    assert suspension_of(content, player) == f"{begun} somebody ends it".split()
    support.post(f"{path}/resume", of=path, reason="it was the player")

    assert suspension_of(content, player) == f"{begun} by staff:support-person: it was the player".split()


@pytest.mark.security("Four eyes")
def test_personal_details_are_masked_until_asked_for(support, player, app):
    personal_details.change(
        user_id=player.id, username=None, details={"last_name": "Miller", "city": "Utrecht"}, now=1
    )
    path = f"/office/players/{player.platform_id}"

    masked = support.get(path).text
    assert ("Miller" in masked, looks()) == (False, [])
    shown = support.get(f"{path}?personal=shown").text

    assert "Miller" in shown
    assert "Utrecht" in shown
    assert looks() == [("staff:support-person", "details")]
    assert "Miller" not in support.get(path).text


@pytest.mark.security("Four eyes")
def test_the_content_role_never_sees_personal_details(app, player):
    content = signed_in(app, "content")
    path = f"/office/players/{player.platform_id}"

    assert "Show personal data" not in content.get(path).text
    assert content.get(f"{path}?personal=shown").status_code == 403
    assert looks() == []


def test_addresses_of_logins_are_masked_until_asked_for(support, player):
    path = f"/office/players/{player.platform_id}/logins"

    support.get(path)
    support.get(f"{path}?personal=shown")

    assert looks() == [("staff:support-person", "logins")]


@pytest.mark.parametrize("tab", ["", "/notes"])
def test_markup_of_players_and_staff_is_shown_as_text(support, player, tab):
    notes.add_note(user_id=player.id, text=f"note {MARKUP}", by="anna", now=1)
    personal_details.change(user_id=player.id, username=None, details={"city": MARKUP}, now=1)
    with writing():
        User.update(username=MARKUP).where(User.id == player.id).execute()

    for page in (
        support.get("/office/players").text,
        support.get(f"/office/players/{player.platform_id}?personal=shown").text,
    ):
        assert MARKUP not in page
        assert "&lt;script&gt;" in page
    page = support.get(f"/office/players/{player.platform_id}{tab}").text
    assert MARKUP not in page
    assert "&lt;script&gt;" in page


def test_a_note_is_kept_and_its_form_keeps_what_was_typed(support, player):
    path = f"/office/players/{player.platform_id}/notes"

    refused = support.post(path, text="four")
    assert refused.status_code == 400
    assert ">four</textarea>" in refused.text
    assert "5 to 2000 characters" in refused.text
    support.post(path, text="asked for a limit")

    assert "asked for a limit" in support.get(path).text


def test_events_of_a_player_show_amounts_in_usd(app, player, auditor, clock):
    request = app.extensions["services"].withdrawals.request
    request(user_id=player.id, method="demo", amount=500, to="there", key=None, now=clock())

    page = auditor.get(f"/office/players/{player.platform_id}/events").text

    assert '<span class="quiet">amount</span> <span class="money">' in page
    assert "amountCents" not in page


def test_a_search_for_a_txhash_leads_to_the_payments(sample_player, support):
    page = support.get("/office/players?q=0xabc").text

    assert f'<a href="/office/players/{sample_player.platform_id}/payments">txhash</a>' in page


def test_a_search_finds_players_by_a_part_of_their_names(app, new_player, support):
    for name in ("Captain-Oak", "Soaker", "Oakley"):
        new_player(name)

    page = support.get("/office/players?q=oAk").text

    places = [page.index(name) for name in ("Oakley", "Captain-Oak", "Soaker")]
    assert places == sorted(places)
    assert "Nobody matches" in support.get("/office/players?q=o%25k").text


def test_a_bet_says_what_is_known_about_its_proof(app, add_item, player, auditor):
    services = app.extensions["services"]
    play_spin(app, player, add_item(), client_seed="some-seed")
    path = f"/office/players/{player.platform_id}/bets"

    def said():
        pages = [auditor.get(address).text for address in (path, f"{path}/1")]
        return {text for page in pages for text in PROOFS if f">{text}<" in page}

    assert said() == {"not yet revealed"}
    with writing():
        Bet.update(completed_at_ms=services.clock()).execute()
    assert said() == {"revealed, not yet confirmed"}


def test_a_bet_says_why_it_was_lost(app, sample_player, auditor):
    path = f"/office/players/{sample_player.platform_id}/bets"
    page = auditor.get(path).text
    assert 'scope="row"' in page

    bet = auditor.get(f"{path}/1").text

    assert "so the bet was" in bet
    assert auditor.get(f"{path}/999999999").status_code == 404
