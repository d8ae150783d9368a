"""flask staff, and the address of the demo."""

import pytest

from tests.support.office import events

PRODUCTION = {
    "APP_ENV": "production",
    "BASE_URL": "https://play.example.com",
    "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz-of-these-tests",
    "JWT_SECRET": "zyxwvutsrqponmlkjihgfedcba9876543210-of-these-tests",
}


def test_an_added_account_is_listed_and_waits_for_its_person(run):
    added = run("staff", "add", "anna", "--role", "support")

    assert added["link"].startswith("http://127.0.0.1:5000/office/enrol?token=")
    listed = {"enrolled": False, "lastLoginAt": None, "disabledAt": None}
    assert run("staff", "list") == {"name": "anna", "role": "support", **listed}


def test_a_name_is_given_once_and_has_only_lowercase_letters_digits_dots_and_dashes(run, fails):
    for name in ("Anna", "a", "1st", "an na", "a" * 33, "ann\u00e4"):
        assert "A name must have" in fails("staff", "add", name, "--role", "support")
    run("staff", "add", "anna", "--role", "support")

    assert fails("staff", "add", "anna", "--role", "admin") == "Error: This name is taken"


def test_each_change_is_an_event_of_the_operator_and_done_once(run, fails):
    run("staff", "add", "anna", "--role", "support")
    assert run("staff", "set-role", "anna", "content") == {"name": "anna", "role": "content"}
    assert fails("staff", "set-role", "anna", "content") == "Error: There is nothing to change"
    run("staff", "disable", "anna")
    assert run("staff", "list")["disabledAt"] is not None
    run("staff", "reset", "anna")
    assert run("staff", "list")["disabledAt"] is None

    found = events("staff.added", "staff.role-changed", "staff.disabled", "staff.reset")

    changes = ["staff.added", "staff.role-changed", "staff.disabled", "staff.reset"]
    assert [what for what, *_ in found] == changes
    assert all(who.startswith("operator:") for _, who, _ in found)


def test_an_unknown_name_is_refused(fails):
    for command, *role in (("disable",), ("reset",), ("set-role", "support")):
        said = fails("staff", command, "anna", *role)
        assert said == "Error: There is no member of staff with this name"


def test_the_address_of_the_demo_signs_in_an_administrator(app, client, demo_address):
    answer = client.get(demo_address)

    assert answer.headers["Location"] == "/office/"
    assert "demo-admin" in client.get("/office/").text


@pytest.fixture
def demo_address(app):
    printed = app.test_cli_runner().invoke(args=["demo", "--office"])
    assert printed.exit_code == 0, printed.output
    return printed.stdout.strip().removeprefix("http://127.0.0.1:5000")


@pytest.mark.security("The back office")
def test_production_has_no_demo_of_the_office(make_app, demo_address):
    in_production = make_app(OFFICE_ENABLED="1", **PRODUCTION)

    assert in_production.test_client().get(demo_address).status_code == 404
    refused = in_production.test_cli_runner().invoke(args=["demo", "--office", "--force"])
    assert refused.stderr == "Error: APP_ENV is production: the back office has no demo\n"


@pytest.mark.security("The back office")
def test_an_address_of_the_demo_must_be_a_real_one(client, demo_address):
    for address in ("/office/demo", "/office/demo?token=nonsense", demo_address[:-4] + "AAA="):
        assert client.get(address).status_code == 404
