"""Network faults between this server and a price source."""

from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from services.items.prices import service
from tests.harness.fault_proxy import HALF, RESET, STALL, fault_proxy, slices
from tests.harness.price_sources import feed, market
from tests.harness.waiting import wait_until

# The database plays no part in this.

FAULTY_SECONDS, GOOD_SECONDS = 0.3, 10
"""How long a source may take here, with a fault and without."""

FAULTS = {
    "stall": (STALL, {"unavailable"}),
    # The request alone takes longer.
    "slices": (slices(0.1, slice_bytes=4), {"unavailable"}),
    "reset": (RESET, {"unavailable"}),
    # An answer whose headers are cut looks like one without a word in it.
    "half": (HALF, {"unavailable", "bad document"}),
}


@pytest.fixture
def proxy(source):
    address = urlsplit(source.url)
    with fault_proxy((address.hostname, address.port)) as proxy:
        yield proxy


@pytest.fixture(params=["feed", "market"])
def kind(request):
    return request.param


@pytest.fixture
def settings(kind, proxy, monkeypatch):
    # The background task runs one round; the test runs the others.
    monkeypatch.setattr(service, "ROUND_SECONDS", 3600.0)
    address = f"http://127.0.0.1:{proxy.port}/prices"
    return {"PRICE_FEED_URL" if kind == "feed" else "PRICE_MARKET_URL": address}


def good(kind, cents):
    return feed({"One": cents}) if kind == "feed" else market(f"${cents / 100:.2f}")


@pytest.mark.guarantee("Faults around the server")
@pytest.mark.security("Faults around the server")
def test_prices_stay_and_endpoints_answer_during_network_faults(
    app, client, prices, proxy, source, kind, clock, limit, add, stored_prices, metric, log_lines
):
    add({"One": 1})
    source.answer = good(kind, 100)
    app.extensions["realtime"].start()
    wait_until(lambda: metric("price_last_success_seconds", source=kind))
    seen = {}

    for number, (name, (fault, outcomes)) in enumerate(FAULTS.items(), start=1):
        source.answer = good(kind, 100 + number)
        clock.advance(hours=2)
        limit(seconds=FAULTY_SECONDS)
        with proxy.being(fault), ThreadPoolExecutor(1) as beside:
            refresh = beside.submit(prices.run_due)
            statuses = {client.get(path).status_code for path in ("/upgrader/items", "/healthz", "/readyz")}
            refresh.result()
        limit(seconds=GOOD_SECONDS)
        line, during = log_lines()[-1], stored_prices()["One"]
        clock.advance(hours=2)
        prices.run_due()
        is_told = line["level"] == "warning" and line["outcome"] in outcomes
        seen[name] = (statuses, is_told, during, stored_prices()["One"])

    assert seen == {
        name: ({200}, True, 99 + number, 100 + number) for number, name in enumerate(FAULTS, start=1)
    }
    failed = [
        metric("price_refreshes_total", source=kind, outcome=what) for what in ("unavailable", "bad document")
    ]
    assert sum(filter(None, failed)) == len(FAULTS)
    assert metric("price_source_paused", source=kind) == 0
