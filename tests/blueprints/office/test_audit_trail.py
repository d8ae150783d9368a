"""The audit trail in the back office."""

import json
from datetime import UTC, datetime

import pytest

from models.db.connection import writing
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record


def test_events_are_filtered_by_person_player_action_and_time(run, auditor, new_player):
    player = new_player("bob")
    run("users", "suspend", player.platform_id)

    def shown(query):
        page = auditor.get(f"/office/audit-trail?{query}").text
        return page.partition("<tbody>")[2].partition("</tbody>")[0]

    assert "account.suspended" in shown(f"player={player.platform_id}")
    assert "staff.signed-in" not in shown(f"player={player.platform_id}")
    assert "staff.signed-in" in shown("who=staff:auditor-person")
    assert "account.suspended" not in shown("who=staff:auditor-person")
    assert "account.suspended" in shown("what=account.suspended&from=2020-01-01")
    assert shown("what=account.suspended&to=2020-01-01") == ""
    assert shown("from=2999-01-01") == ""


def test_events_are_filtered_to_the_minute_in_utc(run, auditor, new_player, clock):
    player = new_player("bob")

    def shown(since, until):
        query = f"player={player.platform_id}&from={since}&to={until}"
        page = auditor.get(f"/office/audit-trail?{query}").text
        return [what for what in ("account.suspended", "account.resumed") if f">{what}</a>" in page]

    minutes = []
    for action in ("suspend", "resume"):
        clock.ms += 60_000 - clock.ms % 60_000
        minutes.append(datetime.fromtimestamp(clock.ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M"))
        run("users", action, player.platform_id)
        clock.move(seconds=59)
    first, second = minutes

    assert shown(first, first) == ["account.suspended"]
    assert shown(second, second) == ["account.resumed"]
    assert shown(first[:10], second[:10]) == ["account.suspended", "account.resumed"]


def test_a_filter_leaves_out_what_staff_have_not_done(run, auditor, new_player):
    player = new_player("bob")
    run("users", "suspend", player.platform_id)
    auditor.get(f"/office/players/{player.platform_id}?personal=shown")

    page = auditor.get(f"/office/audit-trail?by=staff&player={player.platform_id}").text

    assert ">personal-details.seen</a>" in page
    assert ">account.suspended</a>" not in page
    assert "<option selected>staff</option>" in page


def test_long_searches_are_paged_without_gaps(auditor, player, clock):
    with writing():
        for _ in range(60):
            record(AuditEventType.LOGGED_IN, now=clock(), user_id=player.id)

    pages, address = [], f"/office/audit-trail?player={player.platform_id}&what=account.logged-in"
    while address:
        page = auditor.get(address).text
        pages.append(page.partition("<tbody>")[2].count("<time"))
        link = page.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
        address = link.replace("&amp;", "&") if 'rel="next"' in page else None

    assert pages == [50, 10]


@pytest.mark.security("Four eyes")
def test_an_export_passes_verification_and_is_an_event_because_it_has_addresses_of_players(
    auditor, run, tmp_path
):
    answer = auditor.get("/office/audit-trail/export")
    first, *exported = [json.loads(line) for line in answer.data.splitlines()]
    file = tmp_path / "trail.jsonl"
    file.write_bytes(answer.data)

    assert answer.headers["Content-Disposition"].startswith("attachment; filename=trail-")
    assert first == {"anchor": None, "proof": None}
    assert run("audit", "verify", "--from", str(file))["exported"] == len(exported) > 0
    (look,) = [event for event in exported if event["what"] == "personal-details.seen"]
    assert (look["who"], look["after"]) == (
        f"staff:{auditor.name}",
        {"what": "export of the audit trail"},
    )


def test_neither_markup_nor_addresses_of_players_are_shown(run, auditor, client, player):
    client.post("/auth/logout-all", headers=player.headers, environ_base={"REMOTE_ADDR": "198.51.100.77"})
    run("users", "adjust", player.platform_id, "1", "--reason", "<script>alert(1)</script>")

    shown = auditor.get(f"/office/audit-trail?player={player.platform_id}").text

    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert(1)" in shown
    assert "account.logged-out" in shown
    assert "198.51.100.77" not in shown
