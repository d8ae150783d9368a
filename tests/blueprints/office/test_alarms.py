"""Alarms in the back office: listed, explained, and acknowledged with a reason."""

import threading

import pytest

from services.alarms import records
from services.alarms.rule import Finding, Found, Rule
from tests.support.office import signed_in
from tests.support.table import Table

RULE = Rule("old-prices", lambda *_: Found(), 60_000)


@pytest.fixture
def compliance(app):
    return signed_in(app, "compliance")


@pytest.fixture
def find(clock):
    """What a check of a rule has found."""

    def check(*subjects, rule=RULE):
        found = Found([Finding(each, f"Something is wrong with {each}") for each in subjects])
        records.update(rule, found, is_sent=False, now=clock())

    return check


def acknowledge(member, alarm_id=1, reason="It is known and harmless"):
    page = f"/office/alarms/{alarm_id}"
    return member.post(f"{page}/acknowledge", of=page, reason=reason)


def test_an_alarm_is_open_until_somebody_acknowledges_it(compliance, find):
    find("feed")
    assert "wrong with feed" in compliance.get("/office/alarms").text
    assert "wrong with feed" in compliance.get("/office/").text

    assert acknowledge(compliance).status_code == 303

    assert "wrong with feed" not in compliance.get("/office/alarms").text
    assert "wrong with feed" not in compliance.get("/office/").text
    solved = compliance.get("/office/alarms?state=solved").text
    assert "staff:compliance-person: It is known and harmless" in solved


def test_acknowledging_is_an_event_of_the_audit_trail(compliance, find):
    find("feed")
    acknowledge(compliance)

    page = compliance.get("/office/audit-trail?what=alarm.acknowledged").text

    assert "staff:compliance-person" in page
    assert "It is known and harmless" in page


@pytest.mark.parametrize("reason", ["", "ok", "x" * 201])
def test_an_alarm_is_not_acknowledged_without_a_reason(compliance, find, reason):
    find("feed")

    answer = acknowledge(compliance, reason=reason)

    assert answer.status_code == 400
    assert "The reason must be a text of 5 to 200 characters" in answer.text
    assert f'value="{reason}"' in answer.text
    assert "wrong with feed" in compliance.get("/office/alarms").text


def test_two_people_cannot_acknowledge_one_alarm(app, compliance, find):
    find("feed")
    other = signed_in(app, "payments")
    tries = [threading.Thread(target=acknowledge, args=[each]) for each in (compliance, other)]
    for each in tries:
        each.start()
    for each in tries:
        each.join()

    # Its page has no form any more.
    again = other.get("/office/alarms/1")
    assert again.text.count("It is known and harmless") == 1
    assert "<button>Acknowledge</button>" not in again.text


def test_somebody_else_has_been_faster(app, compliance, find):
    find("feed", "market")
    assert acknowledge(compliance).status_code == 303

    late = compliance.post("/office/alarms/1/acknowledge", of="/office/alarms/2", reason="I am late")

    assert late.status_code == 409
    assert "Somebody has acknowledged this alarm already" in late.text


def test_an_alarm_is_not_raised_again_while_its_cause_lasts(compliance, find):
    find("feed")
    acknowledge(compliance)
    find("feed")
    assert "no such alarms" in compliance.get("/office/alarms").text

    find()
    find("feed")

    assert "wrong with feed" in compliance.get("/office/alarms").text


def test_an_alarm_whose_cause_is_gone_stays_open(compliance, find):
    find("feed")
    find()

    assert "wrong with feed" in compliance.get("/office/alarms").text


def test_a_cause_that_comes_back_before_somebody_has_looked_is_the_same_alarm(compliance, find):
    find("feed")
    find()
    find("feed")

    assert compliance.get("/office/alarms").text.count("wrong with feed") == 1


def test_alarms_can_be_filtered_by_their_rule(compliance, find):
    find("feed")
    find("bet 17", rule=RULE._replace(name="large-payout"))

    page = compliance.get("/office/alarms?rule=large-payout").text

    assert "wrong with bet 17" in page
    assert "wrong with feed" not in page


def test_an_alarm_leads_to_the_figures_that_it_is_about(compliance, find):
    find("7 days: case desk", rule=RULE._replace(name="return-to-player"))

    page = compliance.get("/office/alarms/1").text

    assert "/office/reports?by=day&amp;game=case&amp;case=desk" in page


def test_an_alarm_about_a_payout_leads_to_the_bet(app, compliance, find, player):
    bet = Table(app).spin(player, wins=True)
    find(f"bet {bet.id}", rule=RULE._replace(name="large-payout"))

    page = compliance.get("/office/alarms/1").text

    assert f'href="/office/players/{player.platform_id}/bets/{bet.nonce}"' in page


def test_an_auditor_sees_alarms_and_acknowledges_none(app, find):
    find("feed")
    auditor = signed_in(app, "auditor")

    page = auditor.get("/office/alarms/1")

    assert "wrong with feed" in page.text
    assert "<button>Acknowledge</button>" not in page.text
    answer = auditor.post("/office/alarms/1/acknowledge", of="/office/", reason="It is known")
    assert answer.status_code == 403


def test_an_unknown_alarm_is_not_found(compliance):
    assert compliance.get("/office/alarms/99").status_code == 404
