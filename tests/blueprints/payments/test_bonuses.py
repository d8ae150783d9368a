"""The bonus of a deposit: offered when that is credited, paid when it was wagered, lost by a withdrawal."""

from functools import partial

import pytest

from models.db.connection import writing
from models.rewards import Reward
from services.maintenance import ledger_audit
from tests.harness.spins import DAY_MS, play_spin
from tests.support.apps import ITEM
from tests.support.at_once import all_at_once
from tests.support.office import last_event

SETTLING = "bonuses not settled"
NO_BONUS = (400, {"error": "There is no bonus for this deposit"})
NOTHING = (400, {"error": "There is nothing to claim"})
LOST = (400, {"error": "Your bonus would be lost", "amount": 0.5, "missing": 40})
TERMS = {"percent": 50, "max": 0.5}
AVAILABLE = TERMS | dict.fromkeys(("id", "amount", "wagered", "needed", "endsAt")) | {"state": "available"}
NEEDED = 40
"""80 times the bonus of 0.5 coins."""
MANY = 20


@pytest.fixture
def settings(settings):
    return settings | {"BONUS_PERCENT": "50", "BONUS_MAX": "0.5"}


@pytest.fixture(autouse=True)
def used_code(change_player, add_item):
    """The player has used a promo code. The item is so dear that a spin never wins."""
    change_player(deposit_bonus=True)
    add_item(price=1_000_000)


@pytest.fixture
def bonus(ask):
    """What GET /rewards shows of the bonus."""
    return lambda: ask("GET", "/rewards")[1]["data"]["bonus"]


@pytest.fixture
def bet(app, player):
    """Lets the player wager so many coins in the upgrader."""
    return lambda coins: play_spin(app, player, ITEM, amount=coins)


@pytest.fixture
def settle(work, app):
    """A round of the task."""
    return lambda: work(app, SETTLING)


@pytest.fixture
def claim(ask):
    return lambda id_, **options: ask("POST", f"/rewards/{id_}/claim", **options)


@pytest.fixture
def take(ask):
    """Asks for a deposit with the bonus; status and body."""

    def post(amount=25, *, bonus=True, **options):
        body = {"method": "btcpay", "amount": amount, "bonus": bonus}
        return ask("POST", "/payments/deposits", body, **options)

    return post


@pytest.fixture
def pay_in(take, fake, invoice_of, poll, status_of):
    """Makes a deposit with the bonus that is credited."""

    def make(amount=25, usd=None):
        status, body = take(amount)
        assert status == 201, body
        fake.pay(invoice_of(body["deposit"]), usd)
        poll()
        assert status_of(body["deposit"]) == "credited"
        return body["deposit"]

    return make


@pytest.fixture
def pay_out(ask, fake):
    """Requests a withdrawal; status and body."""

    def post(amount=25, **more):
        body = {"method": "BTC-CHAIN", "amount": amount, "to": fake.address("alice")} | more
        return ask("POST", "/payments/withdrawals", body)

    return post


@pytest.mark.both_databases("services/rewards/bonuses.py")
def test_a_bonus_is_paid_once_when_it_was_wagered(
    ask, balance, bet, bonus, clock, me, pay_in, run, settle, titles
):
    assert bonus() == AVAILABLE

    pay_in(25)

    offered = bonus()
    assert offered == AVAILABLE | {
        "id": offered["id"],
        "state": "offered",
        "amount": 0.5,
        "wagered": 0,
        "needed": NEEDED,
        "endsAt": clock() + 14 * DAY_MS,
    }
    # It is a promise, and no coins yet.
    assert (balance(), me()["depositBonus"]) == (125, False)
    bet(NEEDED - 1)
    settle()
    assert (bonus()["wagered"], balance()) == (NEEDED - 1, 86)

    bet(1)
    settle()
    settle()

    assert (bonus(), balance(), titles()[0]) == (None, 85.5, "Bonus paid")
    assert run("ledger", "audit")["mismatches"] == 0
    # The code was used once.
    assert ask("POST", "/payments/deposits", {"method": "btcpay", "amount": 5, "bonus": True}) == NO_BONUS


def test_a_deposit_without_it_leaves_the_bonus_for_another_one(bonus, credited, me):
    credited(25)

    assert (bonus(), me()["depositBonus"]) == (AVAILABLE, True)


def test_a_player_without_the_flag_has_no_bonus(bonus, change_player, fake, take):
    change_player(deposit_bonus=False)

    assert (bonus(), take()) == (None, NO_BONUS)
    assert len(fake.invoices) == 0
    # Only true counts.
    assert [take(bonus=other)[0] for other in (False, "yes", 1, [])] == [201] * 4


@pytest.mark.settings(BONUS_PERCENT="0")
def test_without_a_percentage_nobody_has_a_bonus(bonus, credited, me, take):
    assert (bonus(), take()) == (None, NO_BONUS)
    credited(25)
    assert (bonus(), me()["depositBonus"]) == (None, True)


def test_a_key_is_used_with_or_without_the_bonus(take):
    assert [take(key="k")[0] for _ in range(2)] == [201, 200]
    assert take(bonus=False, key="k")[0] == 409


def test_the_bonus_is_of_what_is_credited_when_staff_decide(bonus, fake, invoice_of, poll, run, take):
    made = take(25)[1]["deposit"]
    fake.pay(invoice_of(made), 10)
    fake.expire(invoice_of(made))
    poll()

    run("payments", "credit", made["id"], "0.50", "--reason", "what came, less a fee")

    assert (bonus()["amount"], bonus()["needed"]) == (0.25, 20)


def test_a_recorded_deposit_has_the_bonus_if_the_player_has_agreed(bonus, player, run):
    record = ("payments", "record", player.platform_id)
    run(*record, "withdraw", "1", "--bonus")
    run(*record, "deposit", "25")
    assert bonus() == AVAILABLE

    for _ in range(2):
        run(*record, "deposit", "0.20", "--bonus", "--txhash", "ab")

    assert bonus()["amount"] == 0.1


def test_less_than_a_cent_is_no_bonus_and_leaves_it(bonus, player, run):
    run("payments", "record", player.platform_id, "deposit", "0.01", "--bonus")

    assert bonus() == AVAILABLE


def test_the_first_of_two_deposits_that_is_credited_has_the_bonus(bonus, clock, fake, invoice_of, poll, take):
    first, second = (take(amount)[1]["deposit"] for amount in (1, 0.5 + 0.5))
    fake.pay(invoice_of(second))
    poll()
    offered = bonus()
    fake.pay(invoice_of(first))
    poll()

    assert bonus() == offered
    assert take() == NO_BONUS


@pytest.mark.security("Rewards")
def test_a_bonus_is_not_claimed_before_it_was_wagered_and_by_nobody_else(
    bet, bonus, claim, new_player, pay_in
):
    pay_in()
    id_ = bonus()["id"]
    bet(NEEDED - 1)
    assert claim(id_) == NOTHING
    bet(1)
    assert claim(id_, by=new_player("bob"))[0] == 404

    assert claim(id_) == (200, {"success": True, "amount": 0.5})
    assert claim(id_) == NOTHING


def test_a_withdrawal_says_first_that_the_bonus_would_be_lost(balance, bet, bonus, pay_in, pay_out):
    pay_in()
    offered = bonus()

    assert pay_out() == LOST
    bet(15)
    assert pay_out(forfeitBonus="yes") == (400, LOST[1] | {"missing": 25})
    assert (bonus(), balance()) == (offered | {"wagered": 15}, 110)

    assert pay_out(forfeitBonus=True)[0] == 201

    assert (bonus(), balance()) == (None, 85)
    assert last_event("reward.forfeited")[1] == {
        "reward": int(offered["id"]),
        "kind": "bonus",
        "amountCents": 50,
        "reason": "withdrawal",
    }


def test_a_withdrawal_that_is_refused_for_another_reason_loses_nothing(bonus, pay_in, pay_out):
    pay_in()
    offered = bonus()

    refused = [pay_out(1_000, forfeitBonus=True), pay_out(forfeitBonus=True, to="")]

    assert [answer["error"] for _, answer in refused] == ["Insufficient balance", "Invalid address"]
    assert bonus() == offered


def test_a_withdrawal_pays_the_bonus_first_that_was_wagered(balance, bet, bonus, pay_in, pay_out):
    pay_in()
    bet(NEEDED)

    assert pay_out(85.5)[0] == 201

    assert (bonus(), balance()) == (None, 0)


def test_the_end_of_its_days_ends_the_bonus(bet, bonus, balance, clock, pay_in, pay_out, settle, titles):
    pay_in()
    clock.advance(ms=14 * DAY_MS - 1)
    settle()
    assert bonus()["state"] == "offered"

    clock.advance(ms=1)
    settle()
    bet(NEEDED)
    settle()

    assert (bonus(), balance(), titles()[0]) == (None, 85, "Bonus ended")
    assert last_event("reward.expired")[0] == "system"
    assert pay_out()[0] == 201


@pytest.mark.security("Rewards")
@pytest.mark.both_databases("models/rewards.py")
def test_a_break_hides_the_bonus_and_moves_its_end(ask, bonus, clock, pay_in, pay_out, settle):
    pay_in()
    offered = bonus()
    clock.advance(days=13)
    ask("POST", "/limits/exclusion", {"duration": "24h"})
    ask("POST", "/limits/exclusion", {"duration": "7d"})
    assert bonus() is None
    # Nobody is asked about a bonus who may not hear of one.
    assert pay_out()[0] == 201
    clock.advance(days=7)
    settle()

    clock.advance(seconds=1)
    shown = bonus()

    assert shown["id"] == offered["id"]
    assert 0 <= shown["endsAt"] - offered["endsAt"] - 7 * DAY_MS < 1_000


@pytest.mark.security("Rewards")
def test_what_is_credited_during_a_break_has_no_bonus_and_leaves_it(
    ask, bonus, clock, fake, invoice_of, me, poll, status_of, take
):
    made = take()[1]["deposit"]
    ask("POST", "/limits/exclusion", {"duration": "24h"})
    fake.pay(invoice_of(made))
    poll()

    assert (status_of(made), bonus()) == ("credited", None)
    clock.advance(days=1, seconds=1)
    assert (bonus(), me()["depositBonus"]) == (AVAILABLE, True)


def test_a_permanent_exclusion_ends_the_bonus(ask, bonus, pay_in, pay_out, settle, titles):
    pay_in()
    told = titles()
    ask("POST", "/limits/exclusion", {"duration": "permanent"})
    assert pay_out()[0] == 201

    settle()

    assert (bonus(), titles()) == (None, told)
    assert last_event("reward.forfeited")[1]["reason"] == "permanent exclusion"


@pytest.mark.security("Rewards")
def test_a_suspended_player_is_paid_afterwards(bet, balance, clock, pay_in, player, run, settle):
    pay_in()
    bet(NEEDED)
    run("users", "suspend", player.platform_id)
    clock.advance(days=15)
    settle()
    run("users", "resume", player.platform_id)
    assert balance() == 85

    settle()

    assert balance() == 85.5


def test_closing_the_account_ends_the_bonus(ask, pay_in):
    pay_in()

    assert ask("POST", "/profile/close", {"forfeit": True}) == (200, {"success": True})

    assert last_event("reward.forfeited")[1]["reason"] == "account closed"


def test_staff_end_the_bonus_of_a_deposit_that_was_charged_back(bonus, fails, pay_in, player, run, settle):
    pay_in()
    id_ = int(bonus()["id"])
    command = ("rewards", "forfeit-bonus", player.platform_id, "--reason", "charged back")

    assert run(*command) == {"reward": id_, "state": "forfeited", "coins": 0.5}

    assert (bonus(), fails(*command)) == (None, "Error: Reward not found")


@pytest.mark.security("Rewards")
@pytest.mark.both_databases("a race")
def test_claims_withdrawals_and_tasks_of_two_processes_at_once_pay_once(
    app, make_app, settings, balance, bet, bonus, clock, fake, pay_in, player, services, run
):
    pay_in()
    bet(NEEDED)
    path = f"/rewards/{bonus()['id']}/claim"
    apps = [app, make_app(clock=clock, **settings)]
    body = {"method": "BTC-CHAIN", "amount": 2, "to": fake.address("alice")}

    def post(of, path, body=None):
        return of.test_client().post(path, headers=player.headers, json=body).status_code

    claims = [partial(post, of, path) for of in apps * (MANY // 2)]
    withdrawals = [partial(post, of, "/payments/withdrawals", body) for of in apps * 2]
    tasks = [of.extensions["services"].rewards.bonuses.settle_due for of in apps * 2]
    answers = all_at_once([*claims, *withdrawals, *tasks])

    assert answers[:MANY].count(200) <= 1
    assert answers[MANY : MANY + 4] == [201] * 4
    assert balance() == 85.5 - 4 * 2
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.both_databases("a race")
def test_withdrawals_that_forfeit_and_claims_before_the_wagers_pay_nothing(
    app, make_app, settings, balance, bonus, clock, fake, pay_in, player
):
    pay_in()
    path = f"/rewards/{bonus()['id']}/claim"
    apps = [app, make_app(clock=clock, **settings)]
    body = {"method": "BTC-CHAIN", "amount": 2, "to": fake.address("alice"), "forfeitBonus": True}

    def post(of, path, body=None):
        return of.test_client().post(path, headers=player.headers, json=body).status_code

    withdrawals = [partial(post, of, "/payments/withdrawals", body) for of in apps * 5]
    answers = all_at_once([*withdrawals, *(partial(post, of, path) for of in apps * 5)])

    assert answers == [201] * 10 + [400] * 10
    assert (bonus(), balance()) == (None, 125 - 10 * 2)


@pytest.mark.both_databases("services/maintenance/ledger_audit.py")
def test_the_audit_names_a_bonus_without_its_deposit_or_its_bets(bet, new_player, pay_in, settle):
    pay_in()
    bet(NEEDED)
    settle()
    with writing():
        reward = Reward.get()
        Reward.update(needed_ucents=reward.needed_ucents + 1, user=new_player("bob").id).execute()

    found = [line for line in ledger_audit.audit().mismatches if line.startswith("bonus")]

    assert found == [
        f"bonus {reward.id} belongs to another payment than a deposit of its player",
        f"bonus {reward.id} was paid before the bets that it needs",
    ]
    with writing():
        Reward.update(needed_ucents=reward.needed_ucents, user=reward.user_id).execute()


@pytest.mark.security("Rewards")
def test_a_player_has_one_open_bonus_although_the_flag_is_set_again(
    bonus, change_player, credited, pay_in, run, player
):
    pay_in()
    offered = bonus()
    change_player(deposit_bonus=True)

    run("payments", "record", player.platform_id, "deposit", "25", "--bonus")

    assert bonus() == offered


def test_each_socket_is_told_of_a_new_bonus(bonus, connect, player, run):
    sockets = [connect(player) for _ in range(2)]

    run("payments", "record", player.platform_id, "deposit", "25", "--bonus")

    assert [socket.expect("rewards:changed")["bonus"]["amount"] for socket in sockets] == [0.5, 0.5]
