"""Alarms reach the receiver of ALARM_WEBHOOK_URL, whatever it answers at first."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from standardwebhooks import Webhook

from tests.harness.waiting import wait_until
from tests.services.alarms.conftest import alarms, task_of

SECRET = "whsec_" + "YWxhcm1zLWFsYXJtcy1hbGFybXMtYWxhcm1z"


class Receiver:
    """A server that verifies each message and answers what it is told to."""

    def __init__(self):
        self.statuses = []
        self.received = []
        self.answers_first = threading.Event()
        self.answers_first.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                Webhook(SECRET).verify(body, dict(self.headers))
                receiver.received.append((self.headers["webhook-id"], json.loads(body)))
                if len(receiver.received) == 1:
                    receiver.answers_first.wait(30)
                self.send_response(receiver.statuses.pop(0) if receiver.statuses else 204)
                self.end_headers()

            def log_message(self, *_arguments):
                pass

        self._handler, self.address = Handler, ("127.0.0.1", 0)
        self.start()

    def start(self):
        self._server = ThreadingHTTPServer(self.address, self._handler)
        self.address = self._server.server_address
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self):
        self.answers_first.set()
        self._server.shutdown()
        self._server.server_close()

    def ids(self):
        return [message_id for message_id, _ in self.received]


@pytest.fixture
def receiver():
    server = Receiver()
    yield server
    server.stop()


@pytest.fixture
def settings(receiver):
    return {
        "ALARM_WEBHOOK_URL": f"http://127.0.0.1:{receiver.address[1]}/alarms",
        "ALARM_WEBHOOK_SECRET": SECRET,
    }


@pytest.fixture
def deliver(app, clock):
    """Runs a round of the delivery, so many seconds after the last one."""
    work = task_of(app, "alarms not sent")

    def run(*, after_seconds=0):
        clock.advance(seconds=after_seconds)
        work()

    return run


@pytest.fixture(autouse=True)
def late(table, player, check):
    """Two alarms: a bet that nobody has logged, and its proof."""
    table.spin(player)
    check()


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


def test_an_alarm_is_sent_again_until_it_is_accepted(receiver, deliver):
    receiver.statuses = [500, 302, 404, 429]
    for seconds in (0, 30, 60, 120):
        deliver(after_seconds=seconds)

    assert (len(receiver.ids()), len(set(receiver.ids()))) == (6, 2)
    assert all(each.accepted_at_ms and each.send_at_ms is None for each in alarms().values())


def test_tries_come_at_growing_intervals(receiver, deliver):
    receiver.statuses = [500] * 4
    counts = []
    for seconds in (0, 14, 2, 16, 10):
        deliver(after_seconds=seconds)
        counts.append(len(receiver.received))

    assert counts == [2, 2, 4, 4, 6]


def test_a_receiver_that_is_away_gets_the_alarm_when_it_is_back(receiver, deliver):
    receiver.stop()
    deliver()
    receiver.start()

    deliver(after_seconds=60)

    assert len(receiver.received) == 2


@pytest.fixture
def delivering(receiver, deliver):
    """A round of the delivery, to which the receiver does not answer."""
    receiver.answers_first.clear()
    thread = threading.Thread(target=deliver)
    thread.start()
    wait_until(lambda: receiver.received)
    return thread


@pytest.mark.both_databases("locks")
def test_a_slow_receiver_keeps_neither_bets_nor_checks_waiting(
    receiver, delivering, table, new_player, check, run
):
    table.spin(new_player("bob"))
    check()
    assert run("ledger", "audit")["mismatches"] == 0
    assert delivering.is_alive()

    receiver.answers_first.set()
    delivering.join()
    assert len(receiver.received) == 2


@pytest.mark.both_databases("a race")
def test_another_process_does_not_send_what_one_is_sending(app, receiver, delivering):
    app.extensions["services"].alarm_delivery.run()

    receiver.answers_first.set()
    delivering.join()
    assert (len(receiver.ids()), len(set(receiver.ids()))) == (2, 2)


@pytest.mark.settings(ALARM_WEBHOOK_URL="", ALARM_WEBHOOK_SECRET="")
def test_without_a_url_nothing_waits_to_be_sent(app):
    assert not [each for each in app.extensions["realtime"].tasks if each._on_failure == "alarms not sent"]
    assert all(each.send_at_ms is None for each in alarms().values())
