"""Signing in to the back office, and its sessions."""

import pytest

from tests.support.office import PASSWORD


def test_staff_sign_in_with_password_and_code_and_sign_out(member):
    member.sign_in()
    assert "Overview" in member.get("/office/").text

    member.post("/office/sign-out", of="/office/")

    assert member.get("/office/").status_code == 303


def test_a_sign_in_leads_back_to_the_page_that_was_asked_for(member):
    asked = member.get("/office/somewhere?page=2")
    assert asked.headers["Location"] == "/office/sign-in?next=/office/somewhere?page%3D2"

    answer = member.try_to_sign_in(to="/office/somewhere?page%3D2")

    assert answer.headers["Location"] == "/office/somewhere?page=2"


@pytest.mark.parametrize(
    "elsewhere", ["//evil.test", "https://evil.test", "/office//evil.test/", "/office/\\evil", "/other"]
)
def test_a_sign_in_never_leads_to_another_site(member, elsewhere):
    assert member.try_to_sign_in(to=elsewhere).headers["Location"] == "/office/"


def test_all_refusals_of_a_sign_in_look_the_same(member):
    for wrong in ({"password": "wrong password 1"}, {"name": "bert"}, {"code": "12345"}, {"code": "wrong"}):
        answer = member.try_to_sign_in(**wrong)

        assert answer.status_code == 400
        assert "The name, the password or the code is wrong" in answer.text


def test_a_code_works_once(member):
    code = member.code()
    member.try_to_sign_in(code=code)

    assert member.elsewhere(member.address).try_to_sign_in(code=code).status_code == 400


def test_a_sign_in_needs_the_token_of_its_page(member):
    fields = {"name": member.name, "password": PASSWORD, "code": member.code()}

    answer = member.client.post("/office/sign-in", data=fields)

    assert answer.status_code == 400
    assert "not valid any more" in answer.text
