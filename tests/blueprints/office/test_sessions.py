"""Staff sessions: they end by themselves and at once when they must, and can't be planted."""

import pytest
from flask import session

from tests.support.office import PASSWORD, csrf_token

pytestmark = pytest.mark.security("Staff sessions")


def test_a_session_ends_after_30_minutes_without_use(admin, clock):
    clock.move(minutes=28)
    assert admin.get("/office/").status_code == 200

    clock.move(minutes=28)
    assert admin.get("/office/").status_code == 200
    clock.move(minutes=30)

    assert admin.get("/office/").status_code == 303


def test_a_session_is_not_kept_by_a_page_that_only_stays_up_to_date(admin, clock):
    for _ in range(2):
        clock.move(minutes=14)
        assert admin.get("/office/live").status_code == 200

    clock.move(minutes=3)

    assert admin.get("/office/live").status_code == 303


def test_a_session_ends_after_12_hours_of_use(admin, clock):
    for _ in range(12 * 3 - 1):
        clock.move(minutes=20)
        assert admin.get("/office/").status_code == 200

    clock.move(minutes=20)

    assert admin.get("/office/").status_code == 303


def test_a_cookie_from_before_the_sign_in_is_worth_nothing_after_it(member):
    """Session fixation: somebody has planted a cookie in the browser, and knows it."""
    token = csrf_token(member.get("/office/sign-in"))
    planted = member.cookie

    member.sign_in()
    attacker = member.elsewhere("198.51.100.7")
    attacker.client.set_cookie("office", planted, path="/office")

    assert member.cookie != planted
    assert attacker.get("/office/").status_code == 303
    answer = member.client.post("/office/sign-out", data={"csrf_token": token})
    assert answer.status_code == 400


def test_another_sign_in_in_the_same_browser_ends_the_session_before(admin, auditor):
    form, first = csrf_token(admin.get("/office/")), admin.cookie
    fields = {"name": admin.name, "password": PASSWORD, "code": admin.code(), "csrf_token": form}
    admin.client.post("/office/sign-in", data=fields)

    auditor.client.set_cookie("office", first, path="/office")

    assert auditor.get("/office/").status_code == 303
    assert admin.get("/office/").status_code == 200


def test_a_signed_out_session_is_over_also_for_a_copy_of_the_cookie(admin):
    copied = admin.cookie
    admin.post("/office/sign-out", of="/office/")
    admin.client.set_cookie("office", copied, path="/office")

    assert admin.get("/office/").status_code == 303


@pytest.mark.parametrize("command", [("disable",), ("reset",), ("set-role", "content")])
def test_a_command_ends_the_sessions_at_once(support, run, command):
    name, *rest = command

    run("staff", name, "support-person", *rest)

    assert support.get("/office/").status_code == 303


def test_a_request_that_had_begun_commits_nothing_once_the_account_is_disabled(
    app, run, support, player, monkeypatch
):
    """The command comes between the check of the session and the action."""
    view = app.view_functions["office.suspend_player"]
    path = f"/office/players/{player.platform_id}"
    data = {"csrf_token": csrf_token(support.get(path)), "reason": "a good reason"}

    def disabled_meanwhile(**arguments):
        checked = app.login_manager._user_callback(session["_user_id"])
        run("staff", "disable", "support-person")
        monkeypatch.setattr(app.login_manager, "_user_callback", lambda _token: checked)
        return view(**arguments)

    monkeypatch.setitem(app.view_functions, "office.suspend_player", disabled_meanwhile)
    answer = support.client.post(f"{path}/suspend", data=data)

    assert answer.status_code == 401
    assert run("users", "show", player.platform_id)["suspendedAt"] is None


def test_the_cookie_is_for_the_office_only(member):
    answer = member.try_to_sign_in()

    parts = set(answer.headers["Set-Cookie"].split("; ")[1:])
    assert parts == {"HttpOnly", "Path=/office", "SameSite=Strict"}


@pytest.mark.settings(BASE_URL="https://office.example.com")
def test_the_cookie_is_sent_over_https_only(client):
    assert "Secure" in client.get("/office/sign-in").headers["Set-Cookie"].split("; ")
