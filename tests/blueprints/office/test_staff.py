"""The page of the staff, and what it changes."""

import re

import pytest

from tests.support.office import StaffMember, signed_in

REASON = {"reason": "joins on Monday"}

ALONE = pytest.mark.settings(OFFICE_FOUR_EYES="0")
"""Nobody has to approve."""


@pytest.mark.security("Enrolment links")
@pytest.mark.parametrize("is_new", [True, False])
def test_a_person_enrols_with_what_both_administrators_tell_them_and_with_nothing_less(app, admin, is_new):
    if is_new:
        admin.post("/office/staff/add", of="/office/staff", name="bert", role="support", **REASON)
    else:
        signed_in(app, "support", "bert")
        admin.act("/office/staff/bert", "reset", **REASON)
    told = admin.get("/office/staff").text
    assert (">bert<" in told) is not is_new
    word = re.search(r"tell bert the word ([0-9a-f]{20}),", told)[1]
    second = signed_in(app, "admin", "second")
    assert word not in second.get("/office/proposals/1").text

    second.approve(1)

    shown = second.get("/office/proposals/1").text
    token = re.search(r"/office/enrol\?token=([^&]+)&amp;word=", shown)[1]
    bert = StaffMember(app, "bert", link=f"{token}&word={word}")
    assert 'name="word"' in bert.get(f"/office/enrol?token={token}&word=").text
    for link in (token, f"{token}&word=0", word, f"{token}.{word}"):
        assert bert.get(f"/office/enrol?token={link}").status_code == 404
    bert.enrol()
    assert bert.sign_in().get("/office/").status_code == 200


@ALONE
def test_an_administrator_adds_a_person_who_enrols_with_the_link(app, admin):
    answer = admin.post("/office/staff/add", of="/office/staff", name="bert", role="support", **REASON)
    assert answer.headers["Location"] == "/office/staff"
    shown = admin.get("/office/staff").text
    link = shown.partition("/office/enrol?token=")[2].partition("<")[0]

    bert = StaffMember(app, "bert", link=link)
    bert.enrol()

    assert bert.sign_in().get("/office/").status_code == 200


def test_a_refused_form_keeps_what_was_typed(admin):
    answer = admin.post("/office/staff/add", of="/office/staff", name="Bert", role="payments", **REASON)

    assert answer.status_code == 400
    assert "A name must have" in answer.text
    assert 'value="Bert"' in answer.text
    assert 'value="joins on Monday"' in answer.text
    assert "<option selected>payments" in answer.text


@ALONE
def test_a_changed_role_ends_the_sessions_at_once(admin, support):
    admin.act("/office/staff/support-person", "role", role="payments", reason="works on payments now")

    assert support.get("/office/").status_code == 303


@ALONE
def test_a_disabled_person_is_out_at_once_and_cannot_come_back(admin, support):
    admin.act("/office/staff/support-person", "disable", reason="has left us")

    assert support.get("/office/").status_code == 303
    assert support.try_to_sign_in().status_code == 400


@ALONE
def test_a_dangerous_action_asks_for_a_code_again_after_five_minutes(admin, clock):
    clock.move(minutes=5)
    path, page = "/office/staff/add", "/office/staff"

    asked = admin.post(path, of=page, name="bert", role="support", **REASON)
    assert asked.status_code == 403
    assert 'name="name" value="bert"' in asked.text
    wrong = admin.post(path, of=page, name="bert", role="support", code=admin.wrong_code(), **REASON)
    assert wrong.status_code == 400
    right = admin.post(path, of=page, name="bert", role="support", code=admin.code(), **REASON)

    assert right.status_code == 303


def test_the_accounts_are_sorted_by_the_address(app, admin):
    for name in ("bert", "carla"):
        StaffMember(app, name, "support")

    ascending, descending = (admin.get(f"/office/staff?sort={sort}").text for sort in ("name", "-name"))

    assert ascending.index(">bert<") < ascending.index(">carla<")
    assert descending.index(">carla<") < descending.index(">bert<")


def test_the_state_of_the_log_of_bets_is_shown(app, admin):
    app.extensions["services"].log.append_now()

    assert "— 127.0.0.1:5000/log" in admin.get("/office/staff").text
