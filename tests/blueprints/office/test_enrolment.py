"""Enrolment links, passwords, and what happens when an authenticator is lost."""

import re

import pyotp
import pytest

from services.staff.credentials import COMMON_PASSWORDS, MIN_LENGTH
from tests.support.office import PASSWORD, StaffMember

pytestmark = pytest.mark.security("Enrolment links")

OLD_KEY = "the secret that was used first and is long enough"
NEW_KEY = "the secret that comes after it and is long enough"


@pytest.fixture
def invited(app):
    """Somebody who has a link, and has not used it."""
    return StaffMember(app, "bert", "support")


def path_of(member):
    return f"/office/enrol?token={member.link}"


def send(member, **changes):
    """Send the form of the link; ``code`` is right unless it is given."""
    page = member.get(path_of(member))
    member.totp = pyotp.TOTP(re.search(r'id="secret">([A-Z2-7]+)<', page.text)[1])
    fields = {"password": PASSWORD, "repeated": PASSWORD, "code": changes.get("code") or member.code()}
    return member.post(path_of(member), **fields | changes)


def test_a_link_works_once(invited):
    assert send(invited).status_code == 303

    answer = invited.get(path_of(invited))

    assert answer.status_code == 404
    assert "not valid any more" in answer.text


def test_a_link_works_for_24_hours(invited, clock):
    clock.move(minutes=24 * 60 - 1)
    assert invited.get(path_of(invited)).status_code == 200

    clock.move(minutes=1)

    assert invited.get(path_of(invited)).status_code == 404


@pytest.mark.parametrize("command", ["reset", "disable"])
def test_a_command_makes_an_earlier_link_void(invited, run, command):
    run("staff", command, "bert")

    assert invited.get(path_of(invited)).status_code == 404


def test_weak_passwords_are_refused(invited):
    for password, refusal in (
        ("elevenchars", "at least 12 characters"),
        ("Password1234", "one of the commonest"),
        ("bertbertbert", "one of the commonest"),
        ("a" * 257, "at most 256 characters"),
    ):
        answer = send(invited, password=password, repeated=password, code="123456")

        assert answer.status_code == 400
        assert refusal in answer.text
        assert password not in answer.text


def test_a_refused_form_does_not_use_up_the_link(invited):
    assert send(invited, repeated="another password").status_code == 400
    assert send(invited, code=invited.wrong_code()).status_code == 400

    assert send(invited).status_code == 303


def test_the_code_of_the_enrolment_does_not_sign_in(invited, clock):
    send(invited)
    invited._used_step -= 1

    assert invited.try_to_sign_in().status_code == 400


def test_somebody_who_lost_the_authenticator_enrols_again(member, run):
    link = run("staff", "reset", member.name)["link"].partition("token=")[2]
    assert member.try_to_sign_in().status_code == 400
    lost = member.totp.secret

    member.enrol(link)

    assert member.totp.secret != lost
    assert member.sign_in().get("/office/").status_code == 200


def test_neither_the_link_nor_the_secret_is_stored_or_logged(invited, log_text, app):
    secret = re.search(r'id="secret">([A-Z2-7]+)<', invited.get(path_of(invited)).text)[1]
    send(invited)

    written = log_text()

    assert invited.link not in written
    assert secret not in written
    assert PASSWORD not in written


@pytest.mark.security("Logs, errors and the database")
@pytest.mark.settings(SECRET_KEY=OLD_KEY)
def test_authenticators_survive_a_change_of_the_secret_key(make_app, member):
    changed = make_app(SECRET_KEY=NEW_KEY, SECRET_KEY_PREVIOUS=OLD_KEY)
    counts = changed.json.loads(changed.test_cli_runner().invoke(args=["secrets", "rotate"]).stdout)
    assert counts["staffAuthenticators"] == 1

    member.app = make_app(SECRET_KEY=NEW_KEY)
    member.client = member.app.test_client()

    assert member.try_to_sign_in().status_code == 303


def test_the_list_of_common_passwords_has_only_those_that_are_long_enough():
    listed = COMMON_PASSWORDS.read_text(encoding="utf-8").strip().split("\n")

    assert len(listed) == 190
    assert {password for password in listed if len(password) < MIN_LENGTH} == set()
