"""The bound of an address on requests to the public log that run at the same time."""

import threading
from contextlib import ExitStack

import pytest

from blueprints.log.kept_responses import REQUESTS_AT_ONCE
from models.db import waiting
from server.addresses import AddressSlots
from services.shared.errors import Unavailable
from tests.harness.waiting import wait_until


@pytest.fixture
def slots():
    return AddressSlots(REQUESTS_AT_ONCE)


@pytest.mark.security("Hostile connections")
def test_the_ninth_request_of_an_address_waits(slots):
    running, most, leave = [], [], threading.Event()

    def request(address):
        with slots.hold(address):
            running.append(address)
            most.append(running.count(address))
            leave.wait(10)
            running.remove(address)

    requests = [threading.Thread(target=request, args=["192.0.2.1"]) for _ in range(20)]
    requests += [threading.Thread(target=request, args=["192.0.2.2"])]
    for each in requests:
        each.start()
    wait_until(lambda: len(running) == REQUESTS_AT_ONCE + 1)
    leave.set()
    for each in requests:
        each.join(10)

    assert (len(most), max(most)) == (21, REQUESTS_AT_ONCE)


def test_a_wait_has_a_bound(slots, monkeypatch):
    monkeypatch.setattr(waiting, "ANSWER_SECONDS", 0.01)
    with ExitStack() as held:
        for _ in range(REQUESTS_AT_ONCE):
            held.enter_context(slots.hold("192.0.2.1"))

        with pytest.raises(Unavailable), slots.hold("192.0.2.1"):
            pass


def test_addresses_of_an_ipv6_network_share_the_slots_and_leave_nothing(slots):
    with slots.hold("2001:db8::1"), slots.hold("2001:db8::2"):
        assert len(slots._slots) == 1

    assert slots._slots == {}
