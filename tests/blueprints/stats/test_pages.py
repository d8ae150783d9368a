"""Pages of the lists of /stats."""

import pytest

from tests.blueprints.stats.conftest import PROOF_DELAY_MS

# The keys of the entries and of their number, and selections that have five entries each.
LISTS = {
    "games": (
        ("games", "totalGames"),
        [
            *({"sort": sort} for sort in ("most-recent", "least-recent", "most-earned", "least-earned")),
            {"search": "upg"},
        ],
    ),
    "payments": (
        ("payments", "totalPayments"),
        [
            *({"sort": sort} for sort in ("most-recent", "least-recent", "highest-amount", "lowest-amount")),
            {"type": "deposits", "sort": "lowest-amount"},
            {"search": "0x"},
        ],
    ),
    "fairness": (
        ("items", "total"),
        [*({"sort": sort} for sort in ("most-recent", "least-recent")), {"search": "seed-"}],
    ),
    "live-bets": (("bets", "total"), [{"type": "live-bets"}, {"type": "high-rolls"}]),
}


@pytest.fixture(autouse=True)
def history(spin, run, alice, bob, clock):
    """Five bets and deposits of Alice, and a bet of Bob. Alice's last bet is not over."""
    for number, player in enumerate((alice, bob, alice, alice, alice)):
        spin(player, wager=50 + number, price=100, client_seed=f"seed-{number}")
        run(
            "payments",
            "record",
            alice.platform_id,
            "deposit",
            f"{10 + number // 2}",
            "--txhash",
            f"0x{number}",
        )
        clock.advance(ms=1000)
    clock.advance(ms=PROOF_DELAY_MS)
    spin(alice, wager=60, price=100, client_seed="seed-5")


@pytest.mark.regulation("4.14 Game recall")
@pytest.mark.parametrize("name", LISTS)
def test_pages_together_have_the_whole_list(ask, alice, name):
    (entries, total), selections = LISTS[name]
    numbers = [1, 2, 3, 4, 10**30]

    for selection in selections:
        whole = ask(name, alice, **selection)["data"]
        pages = [ask(name, alice, page=number, limit=2, **selection) for number in numbers]

        data = [page["data"] for page in pages]
        assert [entry for page in data for entry in page[entries]] == whole[entries]
        assert {(page[total], page["totalPages"]) for page in data} == {(len(whole[entries]), 3)} == {(5, 3)}
        assert [page["currentPage"] for page in data] == numbers
        if name != "fairness":
            assert [page["hasMore"] for page in pages] == [True, True, False, False, False]


def test_a_player_sees_and_finds_only_their_own_entries(ask, bob):
    own = [ask(name, bob)["data"][total] for name, total in (("games", "totalGames"), ("fairness", "total"))]

    assert own == [1, 1]
    assert ask("fairness", bob, search="seed-")["data"]["total"] == 1
    assert ask("payments", bob)["data"]["totalPayments"] == 0
    assert ask("payments", bob, search="0x")["data"]["totalPayments"] == 0
    assert ask("profile", bob)["depositAmount"] == 0
