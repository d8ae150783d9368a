"""Sessions of staff: they end by themselves and at once when they must, and can't be planted."""

import pytest
from flask import session

from tests.support.office import PASSWORD, csrf_token, signed_in


def cookie_of(member):
    return member.client.get_cookie("office", path="/office")


@pytest.mark.security("Sessions of staff")
def test_a_session_ends_after_30_minutes_without_use(admin, clock):
    clock.move(minutes=28)
    assert admin.get("/office/").status_code == 200

    clock.move(minutes=28)
    assert admin.get("/office/").status_code == 200
    clock.move(minutes=30)

    assert admin.get("/office/").status_code == 303


@pytest.mark.security("Sessions of staff")
def test_a_session_ends_after_12_hours_of_use(admin, clock):
    for _ in range(12 * 3 - 1):
        clock.move(minutes=20)
        assert admin.get("/office/").status_code == 200

    clock.move(minutes=20)

    assert admin.get("/office/").status_code == 303


@pytest.mark.security("Sessions of staff")
def test_a_cookie_from_before_the_sign_in_is_worth_nothing_after_it(member):
    """Session fixation: somebody has planted a cookie in the browser, and knows it."""
    page = member.get("/office/sign-in")
    planted, token = cookie_of(member).value, csrf_token(page)

    member.sign_in()
    attacker = member.elsewhere("198.51.100.7")
    attacker.client.set_cookie("office", planted, path="/office")

    assert cookie_of(member).value != planted
    assert attacker.get("/office/").status_code == 303
    answer = member.client.post("/office/sign-out", data={"csrf_token": token})
    assert answer.status_code == 400


@pytest.mark.security("Sessions of staff")
def test_each_sign_in_begins_another_session(member, clock):
    member.sign_in()
    first = cookie_of(member).value
    member.post("/office/sign-out", of="/office/")
    clock.move(minutes=1)

    member.sign_in()

    stolen = member.elsewhere("198.51.100.7")
    stolen.client.set_cookie("office", first, path="/office")
    assert stolen.get("/office/").status_code == 303


@pytest.mark.security("Sessions of staff")
def test_another_sign_in_in_the_same_browser_ends_the_session_before(app, admin, clock):
    other = signed_in(app, "auditor")
    form = csrf_token(admin.get("/office/"))
    first = cookie_of(admin).value
    clock.move(minutes=1)
    fields = {"name": admin.name, "password": PASSWORD, "code": admin.code(), "csrf_token": form}
    admin.client.post("/office/sign-in", data=fields)

    other.client.set_cookie("office", first, path="/office")

    assert other.get("/office/").status_code == 303
    assert admin.get("/office/").status_code == 200


@pytest.mark.security("Sessions of staff")
def test_a_signed_out_session_is_over_also_for_a_copy_of_the_cookie(admin):
    copied = cookie_of(admin).value
    admin.post("/office/sign-out", of="/office/")
    admin.client.set_cookie("office", copied, path="/office")

    assert admin.get("/office/").status_code == 303


@pytest.mark.security("Sessions of staff")
@pytest.mark.parametrize("command", [("disable",), ("reset",), ("set-role", "content")])
def test_a_command_ends_the_sessions_at_once(app, run, command):
    support = signed_in(app, "support")
    name, *rest = command

    run("staff", name, "support-person", *rest)

    assert support.get("/office/").status_code == 303


@pytest.mark.security("Sessions of staff")
def test_a_request_that_had_begun_commits_nothing_once_the_account_is_disabled(
    app, run, new_player, monkeypatch
):
    """The command comes between the check of the session and the action."""
    support, player = signed_in(app, "support"), new_player("bob")
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


@pytest.mark.security("Sessions of staff")
def test_the_cookie_is_for_the_office_only(member):
    answer = member.try_to_sign_in()

    parts = set(answer.headers["Set-Cookie"].split("; ")[1:])
    assert parts == {"HttpOnly", "Path=/office", "SameSite=Strict"}


@pytest.mark.security("Sessions of staff")
@pytest.mark.settings(BASE_URL="https://office.example.com")
def test_the_cookie_is_sent_over_https_only(client):
    assert "Secure" in client.get("/office/sign-in").headers["Set-Cookie"].split("; ")
