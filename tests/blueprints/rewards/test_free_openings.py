"""Free openings: rewards with a case, which an opening uses once."""

from functools import partial

import pytest

from models.bets import Bet
from models.db.connection import reading, writing
from models.rewards import Reward
from services.bets.cases import OpeningRequest
from services.maintenance.ledger_audit import audit
from services.shared.errors import Refusal
from tests.blueprints.openings.conftest import DEAR
from tests.harness.players import import_case
from tests.support.at_once import all_at_once
from tests.support.office import signed_in

MANY = 20
NOTHING = {"status": False, "error": "There is nothing to claim"}
NOT_FOUND = {"status": False, "error": "Reward not found"}
OTHER_CASE = {"status": False, "error": "This reward is for another case"}
REASON = "for waiting so long"


@pytest.fixture
def grant(app, player):
    """Has staff grant an opening of a case; the response."""
    staff = signed_in(app, "support")

    def give(slug, to=player, **fields):
        page = f"/office/players/{to.platform_id}"
        return staff.act(page, "reward", **{"amount": "", "case": slug, "reason": REASON} | fields)

    return give


@pytest.fixture
def granted(grant, case, rewards):
    """The id of a granted opening of the case."""
    grant(case)
    return rewards()["granted"][0]["id"]


@pytest.fixture
def open_case(connect, player, case):
    """Opens the case as the player; the acknowledgement."""
    socket = connect(player)
    return lambda **fields: socket.call("case:open", {"case": case} | fields)


def wagers():
    with reading():
        return [bet.wager_cents for bet in Bet.select().order_by(Bet.id)]


@pytest.mark.both_databases("services/rewards/free_openings.py", "models/rewards.py")
def test_a_granted_opening_costs_nothing_and_is_used_once(balance, granted, open_case, rewards, run, winning):
    offered = {"id": granted, "kind": "grant", "coins": None, "case": "box", "expiresAt": None}
    assert rewards()["granted"] == [offered | {"state": "offered"}]
    request = {"reward": granted, "clientSeed": winning(DEAR, "box"), "requestId": "r-1"}

    opened = open_case(**request)

    assert opened == {"status": True, "result": {"success": True, "amount": 55, "item": DEAR}}
    assert (balance(), wagers()) == (155, [0])
    assert rewards()["granted"] == [offered | {"state": "used"}]
    assert open_case(**request) == opened
    assert open_case(reward=granted) == NOTHING
    assert (balance(), wagers()) == (155, [0])
    assert run("ledger", "audit")["mismatches"] == 0
    assert run("fairness", "audit")["mismatches"] == 0


def test_a_request_id_belongs_to_its_reward(granted, open_case):
    open_case(requestId="r-1")

    assert open_case(requestId="r-1", reward="17")["error"] == "Request id was used for another spin"


def test_the_refusals_of_a_reward_come_in_the_documented_order(granted, open_case, put, grant):
    put("Chest", {DEAR: 100})
    assert open_case(case="nothing", reward="9")["error"] == "Case not found"
    for unknown in ("9", "", "0", "x", "level-3", "9" * 30):
        assert open_case(reward=unknown, price=1) == NOT_FOUND, unknown
    assert open_case(reward="daily", price=1) == NOTHING
    assert open_case(case="chest", reward=granted, price=1) == OTHER_CASE
    assert open_case(reward=granted, price=1)["error"] == "Case price has changed"
    assert open_case(reward=granted, snapshot="0" * 64)["error"] == "Case has changed"
    assert open_case(reward=17)["error"] == "Invalid request"
    assert (open_case(reward=granted, price=10.53)["status"], wagers()) == (True, [0])


def test_no_reward_is_for_a_case_of_real_life_items(connect, granted, irl_case, player):
    opened = connect(player).call("irl:open", {"case": irl_case, "reward": granted})

    assert (opened, wagers()) == (OTHER_CASE, [])


@pytest.mark.security("Rewards")
def test_nobody_uses_the_reward_of_another_player(connect, granted, new_player):
    opened = connect(new_player("bob")).call("case:open", {"case": "box", "reward": granted})

    assert (opened, wagers()) == (NOT_FOUND, [])


@pytest.mark.security("Limits and breaks")
def test_a_player_on_a_break_uses_it_afterwards(clock, granted, open_case, player, send):
    send(player, "POST", "/limits/exclusion", {"duration": "24h"})
    assert open_case(reward=granted)["error"] == "You are taking a break until 2026-11-23T13:45:01Z"

    clock.advance(days=1, seconds=1)

    assert open_case(reward=granted)["status"] is True


def test_a_reward_with_coins_opens_nothing_and_one_with_a_case_pays_nothing(claim, grant, granted, open_case):
    grant("", amount="5")

    assert open_case(reward=str(int(granted) + 1)) == NOTHING
    assert claim(granted) == (400, {"error": "There is nothing to claim"})


def test_a_case_off_sale_is_opened_when_it_is_back(granted, open_case, run):
    run("cases", "retire", "Box")
    assert open_case(reward=granted)["error"] == "Case not found"

    run("cases", "restore", "Box")

    assert open_case(reward=granted)["status"] is True


@pytest.mark.security("Four eyes")
def test_a_granted_opening_counts_with_what_the_case_pays_on_average(app, grant, put, items, rewards):
    """It pays 55 of DEAR's 100 %; two of them are above 100 coins."""
    put("Chest", {DEAR: 100})
    grant("chest")
    grant("chest")
    assert len(rewards()["granted"]) == 1

    signed_in(app, "payments").approve(2)

    assert [each["case"] for each in rewards()["granted"]] == ["chest", "chest"]


def test_staff_grant_either_coins_or_a_case_that_is_sold(grant, case, put, rewards):
    put("Gift", {DEAR: 100}, kind="free")
    answers = [grant("free-case"), grant("nothing"), grant(case, amount="5"), grant("")]

    assert [answer.status_code for answer in answers] == [400, 404, 400, 400]
    assert rewards()["granted"] == []


@pytest.mark.both_databases("a race")
def test_one_of_twenty_openings_at_once_in_two_processes_uses_a_reward(
    app, make_app, settings, clock, granted, player, run
):
    """Without the locks of the processes, so the database decides."""
    services = [each.extensions["services"] for each in (app, make_app(clock=clock, **settings))]
    request = OpeningRequest(user_id=player.id, case="box", reward=granted)

    def open_with(of):
        try:
            return of.bets.settle(of.case_openings, request).bet.wager_cents
        except Refusal as refusal:
            return refusal.text

    answers = all_at_once([partial(open_with, of) for of in services * (MANY // 2)])

    assert answers.count(0) == 1
    assert set(answers) <= {0, "There is nothing to claim", "A spin is already in progress"}
    assert wagers() == [0]
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.both_databases("services/maintenance/ledger_audit.py")
def test_the_audit_compares_used_rewards_with_their_bets(granted, open_case, player):
    open_case(reward=granted)
    open_case()
    with writing():
        free, paid = Bet.select().order_by(Bet.id)
        Reward.update(bet=paid.id).execute()

    assert {line for line in audit().mismatches if "reward" in line} == {
        f"reward {granted} differs from its bet",
        f"bet {free.id} cost nothing, and has used no reward",
    }


def test_the_free_case_is_shown_with_the_grants(connect, lucky, put, items, rewards):
    put("Gift", {DEAR: 100}, kind="free")
    free_case = {"kind": "code", "coins": None, "case": "free-case", "expiresAt": None}
    assert rewards()["granted"] == [free_case | {"id": "code", "state": "offered"}]

    connect(lucky).call("case:open", {"case": "free-case", "reward": "code"})

    (used,) = rewards()["granted"]
    assert used == free_case | {"id": used["id"], "state": "used"}


@pytest.mark.both_databases("services/cases/values.py")
def test_a_level_gives_a_free_opening_once(claim, gifts, has_bet, items, open_case, rewards):
    """The box pays 10 coins on average; level 20 is 40,000 coins, a tenth of 0.05 of which is 200."""
    import_case("Small", {"Cheap | Gun": 100})
    assert gifts({"level": 20, "case": "small"}, {"level": 40, "case": "box"}) == {
        "levels": 2,
        "cases": 2,
        "coins": 0,
    }
    has_bet(40_000)
    small = {"id": "level-20", "level": 20, "coins": None, "case": "small"}
    assert rewards()["levels"][0] == small | {"state": "offered"}
    assert claim("level-20") == (400, {"error": "There is nothing to claim"})
    assert open_case(reward="level-40") == NOTHING

    assert open_case(case="small", reward="level-20")["status"] is True

    assert open_case(case="small", reward="level-20") == NOTHING
    assert rewards()["levels"][0] == small | {"state": "used"}
    assert (wagers(), [line for line in audit().mismatches if "reward" in line]) == ([0], [])


def test_the_rules_name_the_case_of_a_level(case, client, gifts):
    gifts({"level": 5, "case": "box"}, {"level": 2, "coins": 1})

    first, second = client.get("/rewards/rules").json["levels"]

    assert (first["coins"], first["case"]) == (1, None)
    assert (second["coins"], second["case"]) == (None, "box")


def test_staff_see_which_reward_has_paid_for_an_opening(app, granted, open_case, player):
    open_case(reward=granted)
    open_case()
    staff = signed_in(app, "auditor")

    free, paid = (staff.get(f"/office/players/{player.platform_id}/bets/{nonce}").text for nonce in (1, 2))

    assert f"it has used the reward {granted} (grant, granted by staff:support-person)" in free
    assert "it has used" not in paid


def test_a_case_that_pays_more_than_the_share_is_no_gift(case, fails, gifts):
    """Level 4 is 1,600 coins, a tenth of 0.05 of which is 8."""
    assert gifts({"level": 4, "case": "box"}, command=fails) == (
        "Error: row 1: the gifts up to level 4 cost $10.00, and may cost $8.00,"
        " LEVEL_SHARE of the expected win of reaching it"
    )


def test_a_gift_waits_while_its_case_is_not_sold(case, gifts, has_bet, open_case, rewards, run):
    gifts({"level": 5, "case": "box"})
    has_bet(40_000)
    run("cases", "retire", "Box")

    assert rewards()["levels"][0]["state"] is None
    assert open_case(reward="level-5")["error"] == "Case not found"
