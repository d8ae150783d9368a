"""A player's net result over the lifetime, and the accounts that share an address with it."""

import re

import pytest

from models.db.connection import writing
from services.audit_trail.actor import Actor, acting_as
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import DAY_MS, iso_date
from services.staff import player_results
from tests.support.office import events, signed_in
from tests.support.table import Table

WALLET = "bc1qsomebodyswallet9999"


def played_on_three_days(app, player, clock):
    """A loss of 2, nothing, and a win of 10 for 2; returns the days."""
    clock.ms -= clock.ms % DAY_MS - DAY_MS // 2
    first = clock()
    Table(app).spin(player, wager=2, price=10)
    clock.ms += 2 * DAY_MS
    Table(app).spin(player, wager=2, price=10, wins=True)
    return [iso_date(first + days * DAY_MS) for days in range(3)]


@pytest.mark.both_databases("services/staff/player_results.py")
def test_the_page_of_a_player_has_the_curve_of_the_net_result(app, player, clock):
    days = played_on_three_days(app, player, clock)

    page = signed_in(app, "support").get(f"/office/players/{player.platform_id}").text

    tips = re.findall(r"<p>([0-9-]+)<br>Net result of the player: <strong>([^<]+)</strong>", page)
    assert tips == [*zip(days, ("\u22122", "\u22122", "6"), strict=True)]
    assert 'aria-label="Chart: Net result of the player over the lifetime' in page


def test_of_very_many_bets_the_curve_has_the_newest_and_ends_at_the_same_sum(app, player, clock):
    played_on_three_days(app, player, clock)
    clock.ms += DAY_MS
    Table(app).spin(player, wager=1, price=10)

    whole, newest = (player_results.curve(user_id=player.id, most=most) for most in (4, 2))

    assert whole.is_whole
    assert [point.total for point in whole.points] == [-200, -200, 600, 500]
    assert not newest.is_whole
    assert newest.points == whole.points[-1:]


def log_in(player, clock, address):
    with writing(), acting_as(Actor(player.platform_id, address)):
        record(AuditEventType.LOGGED_IN, now=clock(), user_id=player.id)


def shown(page):
    """The names of the linked players."""
    return re.findall(r'<th scope="row"><a href="[^"]+/links">([^<]+)</a>', page.text)


@pytest.mark.both_databases("services/staff/linked_accounts.py")
@pytest.mark.security("The back office")
def test_players_who_share_an_address_are_linked_and_each_look_is_recorded(
    app, run, support, new_player, clock
):
    players = {name: new_player(name) for name in ("anna", "same-wallet", "same-network", "stranger")}
    for name in ("anna", "same-wallet"):
        run("payments", "record", players[name].platform_id, "withdraw", "1", "--to", WALLET)
    for name in ("anna", "stranger"):
        # Deposits go to wallets of the platform, which many share.
        run("payments", "record", players[name].platform_id, "deposit", "1", "--to", "bc1qwalletofthesite")
    for name in ("anna", "same-network"):
        log_in(players[name], clock, "198.51.100.7")
    log_in(players["stranger"], clock, "203.0.113.9")

    page = support.get(f"/office/players/{players['anna'].platform_id}/links")

    assert shown(page) == ["same-wallet", "same-network"]
    assert WALLET in page.text
    assert "198.51.100.7" in page.text
    (look,) = events("personal-details.seen")
    assert look[1:] == ("staff:support-person", {"what": "linked accounts"})


@pytest.mark.security("The back office")
def test_linked_accounts_are_for_roles_that_see_personal_details(app, player):
    content = signed_in(app, "content")

    assert content.get(f"/office/players/{player.platform_id}/links").status_code == 403
    assert "Linked accounts" not in content.get(f"/office/players/{player.platform_id}").text
