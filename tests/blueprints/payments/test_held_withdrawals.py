"""Withdrawals are held while the database may lack payments: after a restore, and in a copy."""

import json
import shutil
from pathlib import Path

import pytest

from models.db.connection import database
from tests.blueprints.payments.conftest import ADDRESS, APPROVE_PAYOUT, RECONCILING, SENDING
from tests.harness.btcpay.faults import Fault
from tests.support.lost_log import let_confirm
from tests.support.markers import sqlite_only
from tests.support.office import signed_in

pytestmark = sqlite_only

LOST = "it lacks the end of the log: an older file, or one without its -wal file, is in its place"
MOVED = "it is not the database that was used last"
UNKNOWN = "there is no record of the database on this machine"


@pytest.fixture
def back_up(run, tmp_path, services):
    """Backs the database up, after everything was logged."""

    def write():
        services.log.append_now()
        run("db", "backup", str(tmp_path / "backup"))

    return write


def replace(backup, file):
    """The file gets another inode. Not that of a file that was removed, which may be used again."""
    new = file.with_suffix(".new")
    shutil.copyfile(backup, new)
    new.replace(file)


def overwrite(backup, file):
    """The file keeps its inode."""
    shutil.copyfile(backup, file)


@pytest.fixture
def restore(tmp_path, database_url):
    def put_back(how=replace):
        database.obj.close_all()
        how(tmp_path / "backup", Path(database_url.removeprefix("sqlite:///")))

    return put_back


@pytest.fixture
def append(services, clock):
    """Signs what waits, as the background tasks do: payments are anchored once a minute."""

    def sign():
        clock.advance(seconds=61)
        services.log.append_waiting()

    return sign


@pytest.fixture
def let_bets_go_on(app, run):
    """Runs ``flask log continue`` as an operator does, who types the number of lost entries."""

    def go_on():
        shown = app.test_cli_runner().invoke(args=["log", "continue", "--reason", "restored"])
        run("log", "continue", "--reason", "restored", "--lost", str(json.loads(shown.stdout)["lost"]))

    return go_on


@pytest.fixture
def held(client):
    """Why withdrawals are held, as /readyz says; None if they are not."""

    def why():
        text = client.get("/readyz").json.get("held")
        return None if text is None else text.split("database: ", 1)[1].split(". ")[0]

    return why


@pytest.fixture
def paid_and_restored(back_up, completed, append, restore):
    """A withdrawal was paid, and then a backup from before it was restored."""
    back_up()
    completed()
    append()
    restore()


@pytest.mark.parametrize("how", [replace, overwrite])
@pytest.mark.security("Restored database")
def test_a_withdrawal_that_a_restore_has_lost_is_not_paid_twice(
    how,
    back_up,
    completed,
    append,
    restore,
    balance,
    withdraw,
    send_payouts,
    reconcile,
    fake,
    held,
    work,
    app,
):
    back_up()
    completed()
    append()
    restore(how)
    assert balance() == 100

    again = withdraw()
    send_payouts(3)
    work(app, RECONCILING)
    send_payouts(3)

    assert [payout.state for payout in fake.payouts] == ["Completed"]
    assert again["status"] == "requested"
    assert held() == LOST
    assert reconcile()[1] == [("unknown-payout", fake.payouts[0].id)]


@pytest.mark.usefixtures("paid_and_restored")
def test_withdrawals_are_sent_again_when_staff_have_recorded_what_was_lost(
    run, player, fake, reconcile, withdraw, send_payouts, payout_of, balance, held, let_bets_go_on
):
    again = withdraw()
    send_payouts()
    let_bets_go_on()
    reconcile()
    (lost,) = fake.payouts
    run("payments", "record", player.platform_id, "withdraw", "25", "--to", ADDRESS)
    run("payments", "dismiss", "unknown-payout", lost.id, "--reason", "recorded by hand")
    assert reconcile()[1] == []
    run("payments", "approve", again["id"], "--reason", "all is recorded")
    send_payouts()

    assert held() is None
    assert balance() == 50
    assert payout_of(again).state == "AwaitingPayment"


@pytest.mark.both_databases("services/payments/hold.py")
def test_a_reconciliation_does_not_end_the_hold_while_bets_are_paused(
    run, player, fake, reconcile, held, let_bets_go_on, paid_and_restored, services
):
    services.payout_hold.current()
    reconcile()
    run("payments", "record", player.platform_id, "withdraw", "25", "--to", ADDRESS)
    run("payments", "dismiss", "unknown-payout", fake.payouts[0].id, "--reason", "recorded by hand")

    reconcile()
    assert held() == LOST
    let_bets_go_on()
    assert held() == LOST
    reconcile()
    assert held() is None


def test_an_approved_withdrawal_waits_for_the_reconciliation(
    back_up, withdraw, restore, send_payouts, fake, work, app, held, status_of
):
    made = withdraw()
    back_up()
    restore()
    send_payouts(3)
    before = (status_of(made), fake.payouts, held())
    work(app, RECONCILING)
    send_payouts()

    assert before == ("approved", [], MOVED)
    assert (status_of(made), len(fake.payouts), held()) == ("sent", 1, None)


def test_a_payout_that_was_made_already_is_followed(
    back_up, withdraw, send_payouts, payout_of, fake, restore, status_of, held
):
    made = withdraw()
    send_payouts()
    back_up()
    restore()
    fake.complete(payout_of(made))
    send_payouts()

    assert (held(), status_of(made)) == (MOVED, "completed")


def test_a_payout_is_not_approved_while_withdrawals_are_held(
    back_up, withdraw, send_payouts, payout_of, fake, restore, work, app, status_of
):
    made = withdraw()
    fake.faults.next(APPROVE_PAYOUT, Fault.UNAVAILABLE)
    send_payouts()
    back_up()
    restore()
    send_payouts(2)
    before = payout_of(made).state
    work(app, RECONCILING)
    send_payouts(3)

    assert (before, payout_of(made).state) == ("AwaitingApproval", "AwaitingPayment")


@pytest.mark.security("Copies of production")
def test_a_copy_without_a_record_of_its_database_sends_nothing(
    services, make_app, settings, clock, tmp_path, withdraw, fake, work
):
    withdraw()
    services.log.append_now()
    copy = make_app(clock=clock, INSTANCE_DIR=str(tmp_path / "copy"), **settings)
    for _ in range(3):
        work(copy, RECONCILING)
        clock.advance(minutes=61)
        work(copy, SENDING)
    before = list(fake.payouts)

    # By an operator, who knows that it is no copy.
    trusted = copy.test_cli_runner().invoke(args=["log", "trust", "--size", "1"])
    clock.advance(minutes=6)
    work(copy, RECONCILING)
    work(copy, SENDING)

    assert (trusted.exit_code, before, len(fake.payouts)) == (0, [], 1)


def test_a_hold_outlives_a_restart(paid_and_restored, make_app, settings, clock, held, work, fake, withdraw):
    withdraw()
    restarted = make_app(clock=clock, **settings)
    work(restarted, RECONCILING)
    work(restarted, SENDING)

    assert held() == LOST
    assert len(fake.payouts) == 1


def test_a_hold_that_begins_later_is_reconciled_at_once(app, work, run, held):
    work(app, RECONCILING)
    run("seeds", "redraw")
    before = held()
    work(app, RECONCILING)

    assert before == "an operator has redrawn the seeds, as after a restore"
    assert held() is None


def test_a_reconciliation_without_providers_ends_no_hold(
    back_up, withdraw, restore, make_app, settings, clock, work, held
):
    back_up()
    restore()
    without = make_app(clock=clock, **settings | {"PAYMENT_METHODS": ""})
    work(without, SENDING)
    without.extensions["services"].payout_hold.current()
    work(without, RECONCILING)

    assert held() == MOVED


def test_staff_see_why_withdrawals_are_held(app, paid_and_restored, withdraw, services, log_lines):
    again = withdraw()
    services.payout_hold.log_changes()
    services.payout_hold.log_changes()
    staff = signed_in(app, "admin")

    text = f"withdrawals are held because of the database: {LOST}."
    for path in ("/office/", "/office/withdrawals", f"/office/withdrawals/{again['id']}"):
        assert text in staff.get(path).text, path
    assert f"Withdrawals were held: {LOST}" in staff.get(f"/office/withdrawals/{again['id']}").text
    assert sum(text in line["message"] for line in log_lines()) == 1


@pytest.mark.settings(WITHDRAWAL_AUTO_APPROVE="0")
def test_a_request_that_was_paid_before_a_restore_is_not_rejected(
    withdraw,
    back_up,
    restore,
    send_payouts,
    payout_of,
    fake,
    append,
    fails,
    run,
    reconcile,
    status_of,
    app,
    let_bets_go_on,
):
    made = withdraw()
    back_up()
    run("payments", "approve", made["id"], "--reason", "all is well")
    send_payouts()
    fake.complete(payout_of(made))
    send_payouts()
    append()
    restore()
    app.extensions["services"].payout_hold.current()

    reject = ("payments", "reject", made["id"], "--reason", "not today")
    assert LOST in fails(*reject)
    let_bets_go_on()
    assert reconcile()[1] == [("withdrawal", made["id"])]
    assert "the provider has a payout for it" in fails(*reject)
    run("payments", "approve", made["id"], "--reason", "it was paid")
    send_payouts(2)
    assert (status_of(made), len(fake.payouts)) == ("completed", 1)


def test_a_machine_that_a_live_process_confirms_holds_nothing(app, make_app, tmp_path, services, held):
    services.log.watch()
    other = make_app(INSTANCE_DIR=str(tmp_path / "other")).extensions["services"]
    let_confirm(other.log, services.log)
    other.log.watch()

    assert held() is None
    assert Path(tmp_path / "other" / "log.checkpoint").exists()


def test_a_server_that_was_killed_while_bets_were_paused_starts_again(
    paid_and_restored, make_app, settings, clock, services, new_player, held
):
    """The -wal file is that of the restored database, although the file of the log is about the other one."""
    services.payout_hold.current()
    new_player("bob")

    restarted = make_app(clock=clock, **settings)

    assert restarted.test_client().get("/readyz").json["held"]
    assert held() == LOST
