"""Wrong tries to sign in, and the locks that follow."""

import pytest

from services.shared.errors import Refusal, Unavailable
from services.staff import accounts
from services.staff.credentials import Passwords
from services.staff.errors import SignInRefused, TooManyTries
from services.staff.sign_in import ClientAddress
from tests.support.at_once import all_at_once
from tests.support.office import PASSWORD_HASH, StaffMember, events
from tests.support.statements import recorded_statements

pytestmark = pytest.mark.security("Guesses of passwords")

HOME, OFFICE = "192.0.2.1", "192.0.2.2"


@pytest.fixture
def sign_in_service(app):
    """It verifies the passwords of unknown names with a cheap hash."""
    service = app.extensions["services"].staff_sign_in
    service.passwords._of_nobody = PASSWORD_HASH
    return service


@pytest.fixture(autouse=True)
def _cheap_hashes(sign_in_service):
    pass


def fail(member, times, **wrong):
    """Try with a wrong code; the last status."""
    wrong = {"password": "not the password", "code": "000000"} | wrong
    for _ in range(times):
        answer = member.try_to_sign_in(**wrong)
    return answer.status_code


def test_passwords_are_hashed_as_owasp_recommends_also_for_names_that_nobody_has():
    passwords = Passwords()
    passwords.is_right("a password", None)

    for each in (passwords.hash("a password"), passwords._of_nobody):
        assert each.startswith("$argon2id$v=19$m=19456,t=2,p=1$")


def test_five_wrong_tries_lock_the_name_for_the_address_for_15_minutes(member, clock):
    assert fail(member, 5) == 400

    locked = member.try_to_sign_in()
    assert locked.status_code == 429
    assert "Try again in 15 minutes" in locked.text
    assert member.elsewhere("198.51.100.7").try_to_sign_in().status_code == 303
    clock.move(minutes=15)

    assert member.try_to_sign_in().status_code == 303


def test_a_whole_ipv6_network_counts_as_one_address(member):
    for number in range(5):
        fail(member.elsewhere(f"2001:db8:0:1::{number}"), 1)

    assert member.elsewhere("2001:db8:0:1:ffff::1").try_to_sign_in().status_code == 429
    assert member.elsewhere("2001:db8:0:2::1").try_to_sign_in().status_code == 303


def test_a_right_try_is_not_refused_because_of_earlier_wrong_ones(member, clock):
    for _ in range(3):
        fail(member, 4)
        assert member.try_to_sign_in().status_code == 303
        member.post("/office/sign-out", of="/office/")
        clock.move(seconds=30)


def test_tries_that_found_no_time_for_the_hash_do_not_count(member, monkeypatch):
    def refuse(*_):
        raise Unavailable

    with monkeypatch.context() as flooded:
        flooded.setattr(Passwords, "is_right", refuse)
        assert fail(member, 5) == 503

    assert member.try_to_sign_in().status_code == 303


@pytest.fixture
def fail_everywhere(sign_in_service, member, clock):
    """Counts fifty wrong tries at ten addresses."""

    def fail_everywhere():
        account = accounts.get(member.name)
        for number in range(50):
            network = f"198.51.100.{number % 10}"
            sign_in_service.login_failures.begin(member.name, account=account, network=network, now=clock())

    return fail_everywhere


def test_fifty_wrong_tries_in_a_day_lock_the_name_for_all_addresses(member, clock, fail_everywhere):
    fail_everywhere()

    assert member.elsewhere(HOME).try_to_sign_in().status_code == 429
    clock.move(minutes=24 * 60)
    assert member.elsewhere(HOME).try_to_sign_in().status_code == 303


def test_tries_of_others_do_not_lock_somebody_out_where_they_have_signed_in(member, clock, fail_everywhere):
    """Somebody who only knows a name can't keep its owner out."""
    member.elsewhere(HOME).sign_in()
    clock.move(minutes=60)

    fail_everywhere()

    assert member.elsewhere(OFFICE).try_to_sign_in().status_code == 429
    assert member.elsewhere(HOME).try_to_sign_in().status_code == 303


def test_a_command_ends_the_lock(member, run, fail_everywhere):
    fail_everywhere()

    assert run("staff", "reset", member.name, "--tries") == {"name": member.name, "triesForgotten": 50}

    assert member.elsewhere(HOME).try_to_sign_in().status_code == 303


def test_a_name_that_does_not_exist_is_locked_like_one_that_does(member):
    unknown = member.elsewhere(HOME)
    statuses = [unknown.try_to_sign_in(name="nobody", code="000000").status_code for _ in range(6)]

    assert statuses == [400] * 5 + [429]


def test_a_name_that_does_not_exist_costs_the_same_hash(sign_in_service, member, monkeypatch):
    passwords = sign_in_service.passwords
    verified, hasher = [], passwords._hasher

    class Counting:
        def verify(self, *arguments):
            verified.append(arguments)
            return hasher.verify(*arguments)

    monkeypatch.setattr(passwords, "_hasher", Counting())
    answers = [
        member.elsewhere(HOME).try_to_sign_in(name=name, password="wrong one", code="000000").text
        for name in (member.name, "nobody")
    ]

    assert len(verified) == 2
    assert len({text.partition("csrf_token")[0] for text in answers}) == 1


def test_a_locked_name_that_does_not_exist_costs_the_same_statements(member):
    def statements_of(name):
        fail(member, 5, name=name)
        with recorded_statements() as seen:
            assert fail(member, 1, name=name) == 429
        return [sql for sql, _ in seen]

    assert statements_of("nobody") == statements_of(member.name)


@pytest.mark.both_databases("a race")
def test_no_more_tries_at_once_than_may_be_wrong(sign_in_service, member, clock):
    def guess():
        try:
            sign_in_service.begin_session(
                name=member.name,
                password="not the password",
                code="000000",
                client=ClientAddress(HOME, HOME),
                now=clock(),
            )
        except Refusal as refusal:
            return type(refusal)
        return None

    refusals = all_at_once([guess] * 12)

    assert refusals.count(SignInRefused) == 5
    assert refusals.count(TooManyTries) == 7


def test_wrong_codes_of_a_session_count_too(admin, clock):
    """Whoever has stolen a cookie can't guess codes with it."""
    clock.move(minutes=6)
    statuses = [
        admin.post("/office/staff/add", of="/office/staff", code=admin.wrong_code()).status_code
        for _ in range(6)
    ]

    assert statuses == [400] * 5 + [429]


def test_the_trail_has_wrong_tries_and_the_lock_but_no_unknown_names(member):
    fail(member, 5)
    fail(member, 1, name="my-secret-password")

    shown = events("staff.sign-in-failed", "staff.locked")

    assert [event[:2] for event in shown] == [("staff.sign-in-failed", "staff:anna")] * 5 + [
        ("staff.locked", "staff:anna"),
        ("staff.sign-in-failed", "staff:?"),
    ]
    assert "my-secret-password" not in str(shown)


def test_tries_with_names_that_nobody_has_are_one_event_a_minute_with_their_number(member, clock):
    for minute in range(2):
        for number in range(7):
            stranger = member.elsewhere(f"198.51.100.{number}")
            fail(stranger, 1, name=f"nobody-{minute}-{number}")
        clock.move(minutes=1)
    fail(member, 1, name="the-last-one")

    shown = [after for _, who, after in events("staff.sign-in-failed") if who == "staff:?"]

    assert shown == [None, {"tries": 7}, {"tries": 7}]


@pytest.mark.settings(RATELIMIT_ENABLED="1")
def test_sign_ins_are_limited_by_address_whatever_the_names(app):
    stranger = StaffMember(app)

    statuses = [
        stranger.try_to_sign_in(name=f"name{number}", code="000000").status_code for number in range(21)
    ]

    assert statuses == [400] * 20 + [429]
