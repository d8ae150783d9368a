"""Openings of one player, and of one case, on two processes."""

from functools import partial

import pytest

from bench.harness.players import create_player, import_case
from models.bets import Bet
from models.db.connection import reading, writing
from models.users import User
from tests.support.at_once import all_at_once
from tests.support.case_history import NAMES, CaseHistory

pytestmark = pytest.mark.redis


@pytest.fixture
def history(processes):
    return CaseHistory()


def open_at_once(sockets, payload):
    """The errors of an opening by each of these sockets, None for one that was played."""
    answers = all_at_once([partial(socket.call, "case:open", payload) for socket in sockets])
    return [answer.get("error") for answer in answers]


def test_concurrent_openings_of_the_free_case_on_two_processes_succeed_once(
    processes, connect, player, history
):
    import_case("Daily", {NAMES[0]: 100}, kind="free")
    with writing():
        User.update(used_affiliate_code="LUCKY").where(User.id == player.id).execute()
    sockets = [connect(number % 2, player) for number in range(10)]

    errors = [error for _ in range(2) for error in open_at_once(sockets, {"case": "free-case"})]

    assert errors.count(None) == 1
    assert set(errors) <= {None, "Free case is not available", "A spin is already in progress"}
    with reading():
        assert User.get_by_id(player.id).free_cases == 1


def test_charge_odds_and_prize_are_of_one_content_on_each_process(connect, processes, names, history):
    players = [create_player(processes.app, next(names), coins=1_000_000) for _ in range(4)]
    sockets = [connect(number % 2, player) for number, player in enumerate(players)]
    errors = set()

    for number in range(8):
        for change in (history.change_prices, history.change_chances, history.delete, history.change_chances):
            change(number)
            seen = {"snapshot": history.states[-1].hash} if number % 2 else {}
            errors.update(open_at_once(sockets, {"case": "box"} | seen))

    assert errors <= {None, "Case not found", "Case has changed"}
    assert history.problems() == []


def test_the_proof_of_an_opening_reaches_the_player_at_another_process(connect, player, history):
    first = connect(0, player)
    first.call("case:open", {"case": "box"})
    pf = first.expect("case:pf")
    first.close()

    proof = connect(1, player).expect("case:proof")

    assert (proof["nonce"], proof["serverSeedCommitment"]) == (pf["nonce"], pf["serverSeedCommitment"])
    with reading():
        assert proof["snapshot"] == Bet.get(Bet.user == player.id).snapshot.hash
