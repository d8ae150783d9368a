"""Every view of the back office, the permission that it needs, and what each role gets there."""

import re

import pytest

from services.staff.permissions import ROLES, Permission, Role
from tests.support.office import csrf_token, last_event, signed_in

P, THOROUGH = Permission, pytest.mark.thorough
PUBLIC = "public"

VIEWS = {
    PUBLIC: "add_slash begin_demo show_invitation enrol sign_in begin_session",
    None: "static",
    P.OFFICE_SEE: "overview live_overview unknown_page confirm_code switch_person sign_out",
    P.ALARMS_SEE: "alarms alarm",
    P.ALARMS_ACKNOWLEDGE: "acknowledge_alarm",
    P.AUDIT_SEE: "audit_trail export_audit_trail player_events",
    P.CONTENT_SEE: "cases case irl_cases irl_case items item prices",
    P.CONTENT_CHANGE: (
        "restore_case retire_case import_form preview_import confirm_import retire_irl_case "
        "publish_items set_item_price follow_price_sources retire_item refresh_prices new_case draw_new_case "
        "propose_case"
    ),
    P.PAYMENTS_SEE: (
        "deposit payments payment_discrepancies failed_webhooks player_payments player_requests withdrawals "
        "withdrawal"
    ),
    P.PAYMENTS_DECIDE: "credit_deposit fail_deposit close_discrepancy retry_webhook",
    P.PLAYERS_SEE: (
        "players player_overview player_affiliates player_battles player_bets player_bet player_ledger "
        "player_limits player_logins player_notes player_rewards battles battle battle_results"
    ),
    P.PERSONAL_DETAILS_SEE: "player_links",
    P.PROPOSALS_SEE: "player_actions proposals proposal approve_proposal reject_proposal withdraw_proposal",
    P.BALANCES_CHANGE: "change_balance grant_reward",
    P.PLAYERS_EXCLUDE: "exclude_player",
    P.PLAYERS_ACT: (
        "log_player_out add_note delete_note notify_player resume_player suspend_player change_tags"
    ),
    P.PRIZES_SEE: "player_prizes prizes",
    P.TWO_FACTOR_RESET: "reset_two_factor",
    P.PRIZES_SHIP: "ship_prize return_prize",
    P.REPORTS_SEE: (
        "reports reports_csv report_of_payments report_of_payments_csv report_of_liabilities "
        "report_of_liabilities_csv report_of_accounts report_of_accounts_file "
        "report_of_rewards report_of_rewards_csv"
    ),
    P.STAFF_SEE: "staff staff_member",
    P.STAFF_CHANGE: "disable_staff forget_tries reset_staff change_role add_staff",
    P.WITHDRAWALS_DECIDE: "approve_withdrawal reject_withdrawal complete_withdrawal fail_withdrawal",
}
"""The views that need each permission. That of the files is Flask's own."""

TABLE = {f"office.{view}": needed for needed, views in VIEWS.items() for view in views.split()}

DANGEROUS = {
    *("credit_deposit", "exclude_player", "change_balance", "reset_two_factor", "approve_proposal"),
    "grant_reward",
    *("confirm_code", "add_staff", "change_role", "disable_staff", "reset_staff", "forget_tries"),
    *("approve_withdrawal", "reject_withdrawal", "complete_withdrawal", "fail_withdrawal"),
}
"""Those that ask for a code of the authenticator again."""

LAST = "office.sign_out"
"""It ends the session of the walk."""


def routes(app):
    """The endpoint, method and an address of every view of the back office, the sign-out last."""
    found = [
        (rule.endpoint, method, re.sub(r"<[^>]+>", "none", re.sub(r"<(int|row_id):[^>]+>", "1", rule.rule)))
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("office.")
        for method in sorted(rule.methods - {"HEAD", "OPTIONS"})
    ]
    return sorted(found, key=lambda route: (route[0] == LAST, route))


def walk(app, client, *, number="1", **fields):
    """Call each view that needs a permission, of rows with this number: the endpoint and the answer."""
    for endpoint, method, address in routes(app):
        if isinstance(TABLE[endpoint], Permission):
            path = re.sub(r"/1(?=/|$)", f"/{number}", address)
            yield endpoint, client.open(path, method=method, data=fields if method != "GET" else None)


@pytest.mark.security("The back office")
def test_every_view_of_the_office_states_who_may_call_it(app):
    stated = {}
    for endpoint, *_ in routes(app):
        view = app.view_functions[endpoint]
        stated[endpoint] = getattr(view, "needed_permission", getattr(view, "auth_policy", None))

    assert stated == TABLE


@pytest.mark.security("The back office")
@pytest.mark.parametrize(
    "role",
    # These two lack each permission that not everybody has.
    [each if each in (Role.SUPPORT, Role.AUDITOR) else pytest.param(each, marks=THOROUGH) for each in Role],
)
def test_a_role_gets_403_exactly_where_it_lacks_the_permission(app, role):
    member = signed_in(app, role)
    answers = walk(app, member.client, csrf_token=csrf_token(member.get("/office/")))

    statuses = {endpoint: answer.status_code for endpoint, answer in answers}

    assert {each for each, status in statuses.items() if status >= 500} == set()
    assert {each for each, status in statuses.items() if status == 403} == {
        endpoint for endpoint in statuses if TABLE[endpoint] not in ROLES[role]
    }


@pytest.mark.security("The back office")
def test_dangerous_views_ask_for_a_code_that_is_older_than_five_minutes(app, admin, clock):
    clock.move(minutes=5)
    fields = {"csrf_token": csrf_token(admin.get("/office/")), "reason": "looked at it"}

    asked = {
        endpoint.removeprefix("office.")
        for endpoint, answer in walk(app, admin.client, **fields)
        if "not older than five minutes" in answer.text
    }

    assert asked == DANGEROUS


def test_forms_without_fields_and_numbers_beyond_all_ids_are_refused(app, admin):
    fields = {"csrf_token": csrf_token(admin.get("/office/")), "reason": "looked at it"}

    for endpoint, answer in walk(app, admin.client, number=str(2**63), **fields):
        assert answer.status_code < 500, endpoint


@pytest.mark.security("The back office")
def test_somebody_who_is_not_signed_in_comes_to_the_sign_in(app, client):
    for endpoint, answer in walk(app, client, csrf_token=csrf_token(client.get("/office/sign-in"))):
        assert answer.status_code == 303, endpoint
        assert answer.headers["Location"].startswith("/office/sign-in"), endpoint


@pytest.mark.security("The back office")
def test_a_form_without_the_token_of_a_page_changes_nothing(app, admin):
    of_another = csrf_token(signed_in(app, "support").get("/office/"))

    for endpoint, method, address in routes(app):
        if method == "GET":
            continue
        for data in ({}, {"csrf_token": "nonsense"}, {"csrf_token": of_another}):
            answer = admin.client.open(address, method=method, data=data)
            assert answer.status_code == 400, endpoint
    assert admin.get("/office/").status_code == 200


@pytest.mark.security("The back office")
def test_a_refusal_is_an_event_with_name_and_permission(support):
    support.get("/office/audit-trail")

    assert last_event("staff.refused") == (
        "staff:support-person",
        {"permission": "audit.see", "path": "/office/audit-trail"},
    )


@pytest.mark.security("The back office")
def test_a_players_token_means_nothing_in_the_office_and_a_staff_cookie_nothing_to_the_api(
    admin, client, player
):
    assert client.get("/office/", headers=player.headers).headers["Location"] == "/office/sign-in"

    answers = [
        admin.client.get(path, headers={"Cookie": f"office={admin.cookie}"})
        for path in ("/auth/me", "/profile/details", "/stats/live-bets", "/")
    ]

    assert [answer.status_code for answer in answers] == [401, 401, 200, 200]
    for answer in answers:
        assert "Set-Cookie" not in answer.headers
        assert "Cookie" not in ", ".join(answer.headers.getlist("Vary"))


@pytest.mark.security("The back office")
def test_pages_are_not_stored_and_run_only_their_own_scripts(admin):
    headers = admin.get("/office/").headers

    assert headers["Cache-Control"] == "no-store"
    assert "script-src 'self'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]


def test_unknown_pages_and_refusals_have_the_look_of_the_office(support):
    for path, status, text in (
        ("/office/nothing", 404, "There is no such page"),
        ("/office/staff", 403, "Your role does not allow this"),
    ):
        answer = support.get(path)
        assert answer.status_code == status
        assert text in answer.text
        assert "<nav" in answer.text


NETWORKS = "192.0.2.0/24,2001:db8::/48"


@pytest.mark.security("The back office")
@pytest.mark.settings(OFFICE_NETWORKS=NETWORKS)
def test_other_networks_get_what_an_unknown_path_gets(client):
    def ask(address, path, method="GET"):
        answer = client.open(path, method=method, environ_base={"REMOTE_ADDR": address})
        headers = {name: value for name, value in answer.headers if name != "X-Request-Id"}
        return answer.status_code, answer.text, headers

    for address in ("198.51.100.7", "2001:db9::1", "", "unix:"):
        unknown = ask(address, "/no-office/")
        assert unknown[0] == 404
        for path in ("/office", "/office/", "/office/sign-in", "/office/static/office.css", "/office/x"):
            assert ask(address, path) == unknown, (address, path)
        assert ask(address, "/office/sign-in", "DELETE") == unknown


@pytest.mark.security("The back office")
@pytest.mark.settings(OFFICE_NETWORKS=NETWORKS, RATELIMIT_ENABLED="1")
def test_other_networks_have_the_limits_of_an_unknown_path(client):
    def allowed(path, address):
        statuses = [client.post(path, environ_base={"REMOTE_ADDR": address}).status_code for _ in range(70)]
        assert set(statuses) == {404, 429}
        return statuses.count(404)

    assert allowed("/office/sign-in", "198.51.100.7") == allowed("/no-office/", "198.51.100.8")


@pytest.mark.settings(OFFICE_NETWORKS=NETWORKS)
def test_the_named_networks_see_the_office(client):
    for address in ("192.0.2.7", "2001:db8:0:1::9", "::ffff:192.0.2.7"):
        answer = client.get("/office/sign-in", environ_base={"REMOTE_ADDR": address})
        assert answer.status_code == 200, address


@pytest.mark.settings(OFFICE_ENABLED="0")
def test_without_the_setting_there_is_no_office(client):
    answers = [client.get(path) for path in ("/office", "/office/", "/office/sign-in")]

    assert {answer.status_code for answer in answers} == {404}
    assert all(answer.is_json for answer in answers)
