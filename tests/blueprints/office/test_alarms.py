"""Alarms in the back office: listed, explained, and acknowledged with a reason."""

import pytest

from services.alarms import raised
from services.alarms.raised import Concern, Found, Rule
from tests.support.office import last_event
from tests.support.table import Table

RULE = Rule("old-prices", lambda *_: Found(), 60_000)
REASON = "It is known and harmless"


@pytest.fixture
def find(clock):
    """What a check of a rule has found."""

    def check(*subjects, rule=RULE):
        found = Found([Concern(each, f"Something is wrong with {each}") for each in subjects])
        raised.update(rule, found, is_sent=False, now=clock())

    return check


@pytest.fixture
def is_open(auditor):
    """Whether the page of open alarms has the one about the feed, which it has once."""

    def is_open():
        count = auditor.get("/office/alarms").text.count("wrong with feed")
        assert count <= 1
        return count == 1

    return is_open


def acknowledge(member):
    return member.act("/office/alarms/1", "acknowledge", reason=REASON)


def test_an_alarm_is_open_until_somebody_acknowledges_it(compliance, find):
    find("feed")
    for page in ("/office/alarms", "/office/"):
        assert "wrong with feed" in compliance.get(page).text

    assert acknowledge(compliance).status_code == 303

    for page in ("/office/alarms", "/office/"):
        assert "wrong with feed" not in compliance.get(page).text
    solved = compliance.get("/office/alarms?state=solved").text
    assert f"staff:compliance-person: {REASON}" in solved
    who, after = last_event("alarm.acknowledged")
    assert (who, after["reason"]) == ("staff:compliance-person", REASON)


@pytest.mark.both_databases("a race")
def test_somebody_else_has_been_faster(compliance, find):
    find("feed", "market")
    assert acknowledge(compliance).status_code == 303

    late = compliance.post("/office/alarms/1/acknowledge", of="/office/alarms/2", reason="I am late")

    assert late.status_code == 409
    assert "Somebody has acknowledged this alarm already" in late.text
    assert "<button>Acknowledge</button>" not in compliance.get("/office/alarms/1").text


def test_an_alarm_is_not_raised_again_while_its_cause_lasts(compliance, find, is_open):
    find("feed")
    acknowledge(compliance)
    find("feed")
    assert not is_open()

    find()
    find("feed")

    assert is_open()


def test_an_alarm_that_nobody_has_seen_stays_when_its_cause_is_gone_and_is_not_doubled(find, is_open):
    find("feed")
    find()
    assert is_open()

    find("feed")

    assert is_open()


def test_alarms_can_be_filtered_by_their_rule(compliance, find):
    find("feed")
    find("bet 17", rule=RULE._replace(name="large-payout"))

    page = compliance.get("/office/alarms?rule=large-payout").text

    assert "wrong with bet 17" in page
    assert "wrong with feed" not in page


def test_an_alarm_leads_to_what_it_is_about(app, compliance, find, player):
    bet = Table(app).spin(player, wins=True)
    find("7 days: case desk", rule=RULE._replace(name="return-to-player"))
    find(f"bet {bet.id}", rule=RULE._replace(name="large-payout"))

    figures, payout = [compliance.get(f"/office/alarms/{number}").text for number in (1, 2)]

    assert "/office/reports?by=day&amp;game=case&amp;case=desk" in figures
    assert f'href="/office/players/{player.platform_id}/bets/{bet.nonce}"' in payout


def test_an_auditor_sees_an_alarm_without_its_form(auditor, find):
    find("feed")

    page = auditor.get("/office/alarms/1")

    assert "wrong with feed" in page.text
    assert "<button>Acknowledge</button>" not in page.text
    assert auditor.get("/office/alarms/99").status_code == 404
