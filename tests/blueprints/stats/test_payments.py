"""GET /stats/payments: a player's deposits and withdrawals."""

import pytest

from tests.blueprints.stats.conftest import NOW


@pytest.fixture
def pay(run, alice):
    """Records a payment of Alice, or of another player, as the operator does."""

    def record(kind, usd, *, player=alice, **details):
        options = [part for name, value in details.items() for part in (f"--{name}", value)]
        return run("payments", "record", player.platform_id, kind, usd, *options)

    return record


@pytest.fixture
def history(pay, clock):
    """Six payments a second apart: deposits of 10, 30, 20 and 20 USD, withdrawals of 5 and 20."""
    for kind, usd, details in (
        ("deposit", "10", {"chain": "Bitcoin", "asset": "BTC", "txhash": "0xAA01"}),
        ("withdraw", "5", {"chain": "Ethereum", "asset": "USDT", "txhash": "0xbb02"}),
        ("deposit", "30", {"chain": "Ethereum", "asset": "ETH", "txhash": "0xCC03"}),
        ("withdraw", "20", {"chain": "Tron", "asset": "50%_off", "txhash": "0xdd04"}),
        ("deposit", "20", {"chain": "Straße", "asset": "ÄPFEL"}),
        ("deposit", "20", {}),
    ):
        pay(kind, usd, **details)
        clock.advance(ms=1000)


@pytest.fixture
def listed(ask, alice):
    """Which of the six payments are on a page; 1 is the oldest."""

    def numbers(**parameters):
        payments = ask("payments", alice, limit=100, **parameters)["data"]["payments"]
        return [(payment["date"] - NOW) // 1000 + 1 for payment in payments]

    return numbers


def test_a_payment_shows_what_the_processor_reported(ask, pay, alice):
    assert ask("payments", alice) == {
        "success": True,
        "data": {"payments": [], "totalPayments": 0, "totalPages": 0, "currentPage": 1},
        "hasMore": False,
    }

    recorded = pay(
        "deposit", "12.34", chain="bitcoin", asset="BTC", amount="0.00012345678901", txhash="0xAB", to="bc1q"
    )

    assert ask("payments", alice)["data"]["payments"] == [
        {
            "_id": recorded["_id"],
            "type": "deposit",
            "chain": "bitcoin",
            "asset": "BTC",
            "amount": "0.00012345678901",
            "usdAmount": 12.34,
            "txhash": "0xAB",
            "to": "bc1q",
            "date": NOW,
        }
    ]


@pytest.mark.both_databases("services/statistics/player_lists.py")
@pytest.mark.regulation("2.5.7 Transaction log")
@pytest.mark.usefixtures("history")
def test_payments_are_filtered_by_type_and_sorted(ask, alice, listed):
    sorts = ("most-recent", "least-recent", "highest-amount", "lowest-amount")

    found = {
        kind: [listed(type=kind, sort=sort) for sort in sorts] for kind in ("all", "deposits", "withdraws")
    }

    assert found == {
        "all": [[6, 5, 4, 3, 2, 1], [1, 2, 3, 4, 5, 6], [3, 6, 5, 4, 1, 2], [2, 1, 6, 5, 4, 3]],
        "deposits": [[6, 5, 3, 1], [1, 3, 5, 6], [3, 6, 5, 1], [1, 6, 5, 3]],
        "withdraws": [[4, 2], [2, 4], [4, 2], [2, 4]],
    }
    assert listed() == found["all"][0]
    totals = ask("profile", alice)
    assert (totals["depositAmount"], totals["withdrawAmount"]) == (80, 25)


@pytest.mark.both_databases("models/db/sql.py")
@pytest.mark.usefixtures("history")
def test_a_search_matches_txhash_chain_and_asset(listed):
    found = {
        text: listed(search=text)
        for text in ("0xaa", "ETH", "usdt", "%", "_", "\\", "STRASSE", "äpfel", "deposit", "20", "0xAA01 ")
    }

    assert found == {
        "0xaa": [1],
        "ETH": [3, 2],
        "usdt": [2],
        "%": [4],
        "_": [4],
        "\\": [],
        "STRASSE": [5],
        "äpfel": [5],
        "deposit": [],
        "20": [],
        "0xAA01 ": [],
    }
    assert listed(search="0x", type="deposits", sort="lowest-amount") == [1, 3]
