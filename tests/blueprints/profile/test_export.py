"""/profile/export: a file with everything that is known of the player, made in the background."""

import gzip
import json

import jsonschema_rs
import pytest

from models.audit_trail import AuditEvent
from models.db.connection import reading
from models.exports import Export, ExportSlice
from services.exports import making, requests, rows
from services.shared.lease import LeaseLost
from tests.support.at_once import all_at_once
from tests.support.sample_data import add_sample_data
from tests.support.two_factor import Authenticator

DAY_MS = 24 * 3_600_000


@pytest.fixture
def maker(app):
    return app.extensions["services"].export_maker


@pytest.fixture
def ask(call):
    """Asks for an export as the player; its id."""

    def request(**options):
        status, answer = call("POST", "export", **options)
        assert (status, answer["success"]) == (200, True)
        return answer["id"]

    return request


@pytest.fixture
def download(client, player):
    def get(export_id, by=player, **headers):
        return client.get(f"/profile/export/{export_id}", headers=by.headers | headers)

    return get


def slices():
    with reading():
        return ExportSlice.select().count()


def test_an_export_is_made_in_the_background_and_then_downloaded(ask, maker, download, player):
    export_id = ask()
    answer = download(export_id)
    assert (answer.status_code, answer.json, answer.headers["Retry-After"]) == (202, {"success": True}, "2")

    maker.run()

    answer = download(export_id)
    assert answer.status_code == 200
    assert answer.json["player"]["platformid"] == player.platform_id
    assert answer.json["account"][0]["username"] == player.username
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=my-data-")
    assert int(answer.headers["Content-Length"]) == len(answer.data)


def test_a_client_that_unpacks_gets_the_file_packed(ask, maker, download):
    export_id = ask()
    maker.run()

    packed = download(export_id, **{"Accept-Encoding": "gzip"})

    assert (packed.headers["Content-Encoding"], packed.headers["Vary"]) == ("gzip", "Accept-Encoding")
    assert int(packed.headers["Content-Length"]) == len(packed.data)
    assert gzip.decompress(packed.data) == download(export_id).data


def test_a_file_of_many_pages_and_slices_is_whole(ask, maker, download, monkeypatch, app):
    player = add_sample_data(app)
    whole = json.loads(b"".join(app.extensions["services"].documents.pieces(player.user)))
    monkeypatch.setattr(rows, "ROWS_A_PAGE", 1)
    monkeypatch.setattr(rows, "IDS_A_WINDOW", 1)
    monkeypatch.setattr(making, "SLICE_BYTES", 1)
    export_id = ask(by=player)
    maker.run()

    file = download(export_id, by=player).json

    assert slices() > 1
    changing = {"startedAtMs", "endedAtMs", "exports", "auditTrail", "notifications"}
    assert {name for name in whole if file[name] != whole[name]} <= changing


@pytest.mark.both_databases("a race")
def test_two_requests_at_once_are_one_export(ask):
    assert len(set(all_at_once([ask, ask]))) == 1


def test_the_same_export_is_returned_until_a_day_after_it_was_made(ask, maker, download, clock):
    first = ask()
    clock.now += 2 * DAY_MS
    assert ask() == first
    maker.run()
    clock.now += DAY_MS - 1
    assert (ask(), download(first).status_code) == (first, 200)

    clock.now += 1

    assert (download(first).status_code, download(first).json) == (404, {"error": "Export not found"})
    requests.delete_old(now=clock())
    assert slices() == 0
    assert ask() != first


@pytest.mark.security("Downloads of a player's data")
def test_nobody_else_gets_an_export(ask, maker, download, new_player):
    export_id = ask()
    maker.run()

    assert download(export_id, by=new_player("other")).status_code == 404


@pytest.mark.security("Downloads of a player's data")
def test_the_player_is_notified_of_a_request_and_both_steps_are_in_the_audit_trail(
    ask, maker, download, notifications, player
):
    export_id = ask()
    ask()
    maker.run()
    assert download(export_id).status_code == 200

    assert [each["title"] for each in notifications()] == [requests.REQUESTED]
    with reading():
        events = AuditEvent.select(AuditEvent.what).where(AuditEvent.what.startswith("account.export"))
        assert list(events.order_by(AuditEvent.id).scalars()) == [
            "account.export-requested",
            "account.export-downloaded",
        ]


@pytest.mark.security("Two-factor authentication")
@pytest.mark.settings(TWO_FACTOR_REQUIRED_FOR="export")
def test_the_setting_lets_a_request_need_a_code(call, player, app):
    authenticator = Authenticator(app, player)

    assert call("POST", "export")[0] == 403
    assert call("POST", "export", headers={"X-2FA-Code": authenticator.code()})[0] == 200


@pytest.mark.both_databases("a lease that fences writes")
def test_another_process_makes_the_export_when_its_maker_has_stopped(
    ask, maker, download, make_app, clock, monkeypatch
):
    monkeypatch.setattr(making, "SLICE_BYTES", 1)
    export_id = ask()
    other = make_app(clock=clock).extensions["services"].export_maker
    write, count = maker._add_slice, 0

    def write_two_slices(*arguments):
        nonlocal count
        count += 1
        if count == 2:
            # This process is paused for so long that the other one takes over, and ends the file.
            maker._lease.__class__.take_over(other._lease)
            monkeypatch.setattr(other._lease, "acquire", lambda: True)
            other.run()
            assert download(export_id).status_code == 200
        write(*arguments)

    monkeypatch.setattr(maker, "_add_slice", write_two_slices)

    with pytest.raises(LeaseLost):
        maker.run()

    assert download(export_id).json["account"]


def test_an_export_that_fails_is_tried_again_a_minute_later_and_keeps_no_other_waiting(
    ask, maker, download, new_player, clock, monkeypatch, player
):
    other = new_player("other")
    first, second = ask(), ask(by=other)
    pieces = maker._documents.pieces

    def fail(user):
        if user.id == player.id:
            raise OSError("broken")
        return pieces(user)

    with monkeypatch.context() as patched:
        patched.setattr(maker._documents, "pieces", fail)
        maker.run()
    assert (download(first).status_code, download(second, by=other).status_code) == (202, 200)

    maker.run()
    assert download(first).status_code == 202
    clock.now += 60_000
    maker.run()

    assert download(first).status_code == 200


def test_an_export_that_is_deleted_while_it_is_made_leaves_nothing(ask, maker, monkeypatch, download):
    monkeypatch.setattr(making, "SLICE_BYTES", 1)
    export_id = ask()
    write = maker._add_slice

    def delete_first(export, number, content):
        if number == 1:
            requests.delete(export_id)
        write(export, number, content)

    monkeypatch.setattr(maker, "_add_slice", delete_first)
    maker.run()

    assert (download(export_id).status_code, slices()) == (404, 0)
    with reading():
        assert Export.select().count() == 0


def test_the_file_fits_its_schema_in_the_api_document(app, client, ask, maker, download):
    player = add_sample_data(app)
    export_id = ask(by=player)
    maker.run()
    document = client.get("/openapi.json").json
    schema = {"$ref": "#/components/schemas/Export", "components": document["components"]}

    file = download(export_id, by=player).json

    assert list(jsonschema_rs.validator_for(schema).iter_errors(file)) == []
    assert list(file) == list(document["components"]["schemas"]["Export"]["properties"])
    bets = document["components"]["schemas"]["ExportedBets"]["properties"]
    assert list(file["bets"][0]) == list(bets)
