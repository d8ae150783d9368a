"""Every view of the back office, the permission that it needs, and what each role gets there."""

import re

import pytest

from services.staff.permissions import ROLES, Permission, Role
from tests.support.markers import sqlite_only
from tests.support.office import StaffMember, csrf_token, signed_in

P = Permission
PUBLIC = "public"

TABLE = {
    "office.add_slash": PUBLIC,
    "office.overview": P.OFFICE_SEE,
    "office.unknown_page": P.OFFICE_SEE,
    "office.alarms": P.ALARMS_SEE,
    "office.alarm": P.ALARMS_SEE,
    "office.acknowledge_alarm": P.ALARMS_ACKNOWLEDGE,
    "office.audit_trail": P.AUDIT_SEE,
    "office.export_audit_trail": P.AUDIT_SEE,
    "office.cases": P.CONTENT_SEE,
    "office.case": P.CONTENT_SEE,
    "office.restore_case": P.CONTENT_CHANGE,
    "office.withdraw_case": P.CONTENT_CHANGE,
    "office.confirm_code": P.OFFICE_SEE,
    "office.begin_demo": PUBLIC,
    "office.switch_person": P.OFFICE_SEE,
    "office.deposit": P.PAYMENTS_SEE,
    "office.credit_deposit": P.PAYMENTS_DECIDE,
    "office.fail_deposit": P.PAYMENTS_DECIDE,
    "office.show_invitation": PUBLIC,
    "office.enrol": PUBLIC,
    "office.import_form": P.CONTENT_CHANGE,
    "office.preview_import": P.CONTENT_CHANGE,
    "office.confirm_import": P.CONTENT_CHANGE,
    "office.irl_cases": P.CONTENT_SEE,
    "office.irl_case": P.CONTENT_SEE,
    "office.withdraw_irl_case": P.CONTENT_CHANGE,
    "office.items": P.CONTENT_SEE,
    "office.publish_items": P.CONTENT_CHANGE,
    "office.item": P.CONTENT_SEE,
    "office.withdraw_item": P.CONTENT_CHANGE,
    "office.payments": P.PAYMENTS_SEE,
    "office.payment_findings": P.PAYMENTS_SEE,
    "office.close_finding": P.PAYMENTS_DECIDE,
    "office.failed_webhooks": P.PAYMENTS_SEE,
    "office.retry_webhook": P.PAYMENTS_DECIDE,
    "office.players": P.PLAYERS_SEE,
    "office.player_overview": P.PLAYERS_SEE,
    "office.player_actions": P.PROPOSALS_SEE,
    "office.player_affiliates": P.PLAYERS_SEE,
    "office.change_balance": P.BALANCES_CHANGE,
    "office.player_bets": P.PLAYERS_SEE,
    "office.player_bet": P.PLAYERS_SEE,
    "office.player_events": P.AUDIT_SEE,
    "office.exclude_player": P.PLAYERS_EXCLUDE,
    "office.player_ledger": P.PLAYERS_SEE,
    "office.player_limits": P.PLAYERS_SEE,
    "office.log_player_out": P.PLAYERS_ACT,
    "office.player_logins": P.PLAYERS_SEE,
    "office.player_notes": P.PLAYERS_SEE,
    "office.add_note": P.PLAYERS_ACT,
    "office.delete_note": P.PLAYERS_ACT,
    "office.notify_player": P.PLAYERS_ACT,
    "office.player_payments": P.PAYMENTS_SEE,
    "office.player_prizes": P.PRIZES_SEE,
    "office.player_requests": P.PAYMENTS_SEE,
    "office.reset_two_factor": P.TWO_FACTOR_RESET,
    "office.resume_player": P.PLAYERS_ACT,
    "office.suspend_player": P.PLAYERS_ACT,
    "office.change_tags": P.PLAYERS_ACT,
    "office.prices": P.CONTENT_SEE,
    "office.refresh_prices": P.CONTENT_CHANGE,
    "office.prizes": P.PRIZES_SEE,
    "office.ship_prize": P.PRIZES_SHIP,
    "office.return_prize": P.PRIZES_SHIP,
    "office.proposals": P.PROPOSALS_SEE,
    "office.proposal": P.PROPOSALS_SEE,
    "office.approve_proposal": P.PROPOSALS_SEE,
    "office.reject_proposal": P.PROPOSALS_SEE,
    "office.withdraw_proposal": P.PROPOSALS_SEE,
    "office.reports": P.REPORTS_SEE,
    "office.reports_csv": P.REPORTS_SEE,
    "office.report_of_payments": P.REPORTS_SEE,
    "office.report_of_payments_csv": P.REPORTS_SEE,
    "office.report_of_liabilities": P.REPORTS_SEE,
    "office.report_of_liabilities_csv": P.REPORTS_SEE,
    "office.sign_in": PUBLIC,
    "office.begin_session": PUBLIC,
    "office.sign_out": P.OFFICE_SEE,
    "office.staff": P.STAFF_SEE,
    "office.staff_member": P.STAFF_SEE,
    "office.disable_staff": P.STAFF_CHANGE,
    "office.forget_tries": P.STAFF_CHANGE,
    "office.reset_staff": P.STAFF_CHANGE,
    "office.change_role": P.STAFF_CHANGE,
    "office.add_staff": P.STAFF_CHANGE,
    "office.static": None,
    "office.withdrawals": P.PAYMENTS_SEE,
    "office.withdrawal": P.PAYMENTS_SEE,
    "office.approve_withdrawal": P.WITHDRAWALS_DECIDE,
    "office.reject_withdrawal": P.WITHDRAWALS_DECIDE,
    "office.complete_withdrawal": P.WITHDRAWALS_DECIDE,
    "office.fail_withdrawal": P.WITHDRAWALS_DECIDE,
}
"""The permission of each view. The view of the files is Flask's own."""

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


def protected(app):
    return [route for route in routes(app) if isinstance(TABLE[route[0]], Permission)]


@pytest.mark.security("The back office")
@sqlite_only
def test_every_view_of_the_office_states_who_may_call_it(app):
    stated = {}
    for endpoint, *_ in routes(app):
        view = app.view_functions[endpoint]
        stated[endpoint] = getattr(view, "needed_permission", getattr(view, "auth_policy", None))

    assert stated == TABLE


@pytest.mark.security("The back office")
@pytest.mark.parametrize("role", list(Role))
@sqlite_only
def test_a_role_gets_403_exactly_where_it_lacks_the_permission(app, role):
    member = signed_in(app, role)
    data = {"csrf_token": csrf_token(member.get("/office/"))}

    wrong = []
    for endpoint, method, address in protected(app):
        answer = member.client.open(address, method=method, data=data if method != "GET" else None)
        refused = answer.status_code == 403
        if refused != (TABLE[endpoint] not in ROLES[role]) or answer.status_code >= 500:
            wrong.append((endpoint, method, answer.status_code))

    assert wrong == []


@sqlite_only
def test_forms_without_fields_and_numbers_beyond_all_ids_are_refused(app, admin):
    data = {"csrf_token": csrf_token(admin.get("/office/")), "reason": "looked at it"}

    for endpoint, method, address in protected(app):
        beyond = re.sub(r"/1(?=/|$)", f"/{2**63}", address)
        answer = admin.client.open(beyond, method=method, data=data if method != "GET" else None)
        assert answer.status_code < 500, endpoint


@pytest.mark.security("The back office")
@sqlite_only
def test_somebody_who_is_not_signed_in_comes_to_the_sign_in(app, client):
    data = {"csrf_token": csrf_token(client.get("/office/sign-in"))}

    for endpoint, method, address in protected(app):
        answer = client.open(address, method=method, data=data if method != "GET" else None)
        assert answer.status_code == 303, endpoint
        assert answer.headers["Location"].startswith("/office/sign-in"), endpoint


@pytest.mark.security("The back office")
@sqlite_only
def test_a_form_without_the_token_of_a_page_changes_nothing(app, admin):
    other = StaffMember(app, "bert", "support")
    other.enrol()
    of_another = csrf_token(other.sign_in().get("/office/"))

    for endpoint, method, address in routes(app):
        if method == "GET":
            continue
        for data in ({}, {"csrf_token": "nonsense"}, {"csrf_token": of_another}):
            answer = admin.client.open(address, method=method, data=data)
            assert answer.status_code == 400, endpoint
    assert admin.get("/office/").status_code == 200


@pytest.mark.security("The back office")
def test_a_refusal_is_an_event_with_name_and_permission(app, run):
    signed_in(app, "support").get("/office/audit-trail")

    lines = run("audit", "export")
    refusals = [line for line in lines if line.get("what") == "staff.refused"]

    assert [(line["who"], line["after"]) for line in refusals] == [
        ("staff:support-person", {"permission": "audit.see", "path": "/office/audit-trail"})
    ]


@pytest.mark.security("The back office")
def test_a_players_token_means_nothing_in_the_office(client, player):
    answer = client.get("/office/", headers=player.headers)

    assert answer.headers["Location"] == "/office/sign-in"


@pytest.mark.security("The back office")
def test_a_staff_cookie_means_nothing_to_the_api(admin):
    cookie = admin.client.get_cookie("office", path="/office")
    assert cookie is not None

    answers = [
        admin.client.get(path, headers={"Cookie": f"office={cookie.value}"})
        for path in ("/auth/me", "/profile/details", "/stats/live-bets", "/")
    ]

    assert [answer.status_code for answer in answers] == [401, 401, 200, 200]
    for answer in answers:
        assert "Set-Cookie" not in answer.headers
        assert "Cookie" not in ", ".join(answer.headers.getlist("Vary"))


@pytest.mark.security("The back office")
@sqlite_only
def test_pages_are_not_stored_and_run_only_their_own_scripts(admin):
    headers = admin.get("/office/").headers

    assert headers["Cache-Control"] == "no-store"
    assert "script-src 'self'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]


@sqlite_only
def test_unknown_pages_and_refusals_have_the_look_of_the_office(app):
    support = signed_in(app, "support")

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
@pytest.mark.parametrize("address", ["198.51.100.7", "2001:db9::1", "", "unix:"])
@sqlite_only
def test_other_networks_get_what_an_unknown_path_gets(client, address):
    def ask(path, method="GET"):
        answer = client.open(path, method=method, environ_base={"REMOTE_ADDR": address})
        headers = {name: value for name, value in answer.headers if name != "X-Request-Id"}
        return answer.status_code, answer.text, headers

    unknown = ask("/no-office/")
    assert unknown[0] == 404
    for path in ("/office", "/office/", "/office/sign-in", "/office/static/office.css", "/office/x"):
        assert ask(path) == unknown
    assert ask("/office/sign-in", "DELETE") == unknown


@pytest.mark.security("The back office")
@pytest.mark.settings(OFFICE_NETWORKS=NETWORKS, RATELIMIT_ENABLED="1")
@sqlite_only
def test_other_networks_have_the_limits_of_an_unknown_path(client):
    def allowed(path, address):
        statuses = [client.post(path, environ_base={"REMOTE_ADDR": address}).status_code for _ in range(70)]
        assert set(statuses) == {404, 429}
        return statuses.count(404)

    assert allowed("/office/sign-in", "198.51.100.7") == allowed("/no-office/", "198.51.100.8")


@pytest.mark.settings(OFFICE_NETWORKS=NETWORKS)
@pytest.mark.parametrize("address", ["192.0.2.7", "2001:db8:0:1::9", "::ffff:192.0.2.7"])
@sqlite_only
def test_the_named_networks_see_the_office(client, address):
    answer = client.get("/office/sign-in", environ_base={"REMOTE_ADDR": address})

    assert answer.status_code == 200


@pytest.mark.settings(OFFICE_ENABLED="0")
@sqlite_only
def test_without_the_setting_there_is_no_office(client):
    answers = [client.get(path) for path in ("/office", "/office/", "/office/sign-in")]

    assert {answer.status_code for answer in answers} == {404}
    assert all(answer.is_json for answer in answers)
