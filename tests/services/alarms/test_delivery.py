"""Alarms reach the receiver of ALARM_WEBHOOK_URL, whatever it answers at first."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from standardwebhooks import Webhook

from tests.services.alarms.conftest import alarms, task_of

SECRET = "whsec_" + "YWxhcm1zLWFsYXJtcy1hbGFybXMtYWxhcm1z"


class Receiver:
    """A server that verifies each message and answers what it is told to."""

    def __init__(self):
        self.statuses = []
        self.received = []
        self.hold = threading.Event()
        self.hold.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                Webhook(SECRET).verify(body, dict(self.headers))
                receiver.received.append((self.headers["webhook-id"], json.loads(body)))
                receiver.hold.wait(30)
                self.send_response(receiver.statuses.pop(0) if receiver.statuses else 204)
                self.end_headers()

            def log_message(self, *_arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/alarms"

    def close(self):
        self.hold.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def receiver():
    server = Receiver()
    yield server
    server.close()


@pytest.fixture
def settings(receiver):
    return {"ALARM_WEBHOOK_URL": receiver.url, "ALARM_WEBHOOK_SECRET": SECRET}


@pytest.fixture
def deliver(app, clock):
    """Runs a round of the delivery, so many seconds after the last one."""
    work = task_of(app, "alarms not sent")

    def run(*, after_seconds=0):
        clock.advance(seconds=after_seconds)
        work()

    return run


@pytest.fixture
def late(table, player, check):
    """Two alarms: a bet that nobody has logged, and its proof."""
    table.spin(player)
    check()


@pytest.mark.usefixtures("late")
def test_each_alarm_is_sent_once_with_a_valid_signature(receiver, deliver, check):
    deliver()
    check()
    deliver(after_seconds=3600)

    assert len(receiver.received) == 2
    sent = {body["data"]["rule"]: body for _, body in receiver.received}
    alarm = alarms("old-checkpoint")["log"]
    assert sent["old-checkpoint"]["type"] == "alarm.raised"
    assert sent["old-checkpoint"]["data"] == {
        "id": str(alarm.id),
        "rule": "old-checkpoint",
        "subject": "log",
        "text": "The public log: bets have waited for a checkpoint for more than a minute",
        "raisedAt": alarm.raised_at_ms,
        "url": "http://127.0.0.1:5000/office/alarms",
    }


@pytest.mark.usefixtures("late")
def test_an_alarm_is_sent_again_until_it_is_accepted(receiver, deliver):
    receiver.statuses = [500, 302, 404, 429]
    for seconds in (0, 30, 60, 120):
        deliver(after_seconds=seconds)

    ids = [message_id for message_id, _ in receiver.received]
    assert len(ids) == 6
    assert len(set(ids)) == 2
    assert all(each.accepted_at_ms and each.send_at_ms is None for each in alarms().values())


@pytest.mark.usefixtures("late")
def test_tries_come_at_growing_intervals(receiver, deliver):
    receiver.statuses = [500] * 4
    deliver()
    deliver(after_seconds=14)
    assert len(receiver.received) == 2

    deliver(after_seconds=2)
    assert len(receiver.received) == 4

    deliver(after_seconds=16)
    assert len(receiver.received) == 4
    deliver(after_seconds=10)
    assert len(receiver.received) == 6


def test_a_receiver_that_is_away_gets_the_alarm_when_it_is_back(
    make_app, clock, receiver, table, player, check, deliver
):
    table.spin(player)
    check()
    receiver.server.shutdown()
    receiver.server.server_close()
    deliver()
    address = receiver.server.server_address
    receiver.server = ThreadingHTTPServer(address, receiver.server.RequestHandlerClass)
    threading.Thread(target=receiver.server.serve_forever, daemon=True).start()

    deliver(after_seconds=60)

    assert len(receiver.received) == 2


@pytest.mark.usefixtures("late")
def test_a_slow_receiver_keeps_neither_bets_nor_checks_waiting(
    receiver, deliver, table, new_player, check, run
):
    receiver.hold.clear()
    delivering = threading.Thread(target=deliver)
    delivering.start()
    while not receiver.received:
        delivering.join(0.01)

    bob = new_player("bob")
    table.spin(bob)
    check()
    assert run("ledger", "audit")["mismatches"] == 0
    assert delivering.is_alive()

    receiver.hold.set()
    delivering.join()
    assert len(receiver.received) == 2


@pytest.mark.usefixtures("late")
def test_another_process_does_not_send_what_one_is_sending(app, make_app, clock, receiver, deliver, settings):
    receiver.hold.clear()
    delivering = threading.Thread(target=deliver)
    delivering.start()
    while not receiver.received:
        delivering.join(0.01)
    ids = {message_id for message_id, _ in receiver.received}

    app.extensions["services"].alarm_delivery.run()

    receiver.hold.set()
    delivering.join()
    assert len(receiver.received) == 2
    assert ids < {message_id for message_id, _ in receiver.received}


@pytest.mark.settings(ALARM_WEBHOOK_URL="", ALARM_WEBHOOK_SECRET="")
def test_without_a_url_nothing_waits_to_be_sent(app, late):
    assert not [each for each in app.extensions["realtime"].tasks if each._on_failure == "alarms not sent"]
    assert all(each.send_at_ms is None for each in alarms().values())
