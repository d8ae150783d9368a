"""What one member of the staff can't do alone."""

import json
import re

import pytest

from models.audit_trail import AuditEvent
from models.db.connection import reading, writing
from models.payments import Deposit, Withdrawal
from models.users import User
from services.alarms import raised
from services.alarms.rules import RULES
from services.audit_trail.actor import Actor, acting_as
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import DAY_MS
from services.shared.money import Cents
from tests.support.office import signed_in

REASON = "looked at it"
REFUSED = "Another person must decide this."
WALLET = "demo-address-of-a-player"
HOME = "203.0.113.7"


@pytest.fixture
def settings():
    return {"PAYMENT_METHODS": "demo"}


@pytest.fixture
def services(app):
    return app.extensions["services"]


@pytest.fixture
def staff(app):
    return signed_in(app, "payments", "mallory")


@pytest.fixture
def second(app):
    return signed_in(app, "payments", "second-person")


@pytest.fixture
def withdraw(services):
    """Requests a withdrawal of a player; its id."""

    def request(player, coins):
        amount = Cents(coins * 100)
        options = {"method": "demo", "amount": amount, "to": WALLET, "idempotency_key": None}
        return services.withdrawals.request(user_id=player.id, now=services.clock(), **options)[0].id

    return request


def grant(player, amount, *, by):
    """Grant coins to a player on the player's page."""
    return by.act(f"/office/players/{player.platform_id}", "balance", amount=str(amount), reason=REASON)


def approve(withdrawal_id, *, by):
    return by.act(f"/office/withdrawals/{withdrawal_id}", "approve", reason=REASON)


def acknowledge(member):
    return member.act("/office/alarms/1", "acknowledge", reason=REASON)


def open_proposals(member):
    """The pages of the proposals that wait."""
    return sorted(set(re.findall(r"/office/proposals/[0-9]+", member.get("/office/proposals").text)))


def balance_after(answer, player):
    assert answer.status_code == 303, answer.text
    with reading():
        return User.get_by_id(player.id).balance_cents // 100


def status_of(withdrawal_id):
    with reading():
        return Withdrawal.get_by_id(withdrawal_id).status


@pytest.fixture
def check_alarms(services):
    """Checks the rule about grants."""
    (rule,) = [each for each in RULES if each.name == "large-grants"]

    def check():
        now = services.clock()
        raised.update(rule, rule.find(services.settings, now), is_sent=False, now=now)

    return check


@pytest.mark.security("Four eyes")
def test_a_dishonest_employee_gets_no_money_out_alone_and_is_found(
    staff, second, withdraw, new_player, clock, check_alarms
):
    accomplices = [new_player(coins=0) for _ in range(6)]
    for number, accomplice in enumerate(accomplices):
        # The bound of a day is reached with the first grant, so the others wait for a second person.
        done = [balance_after(grant(each, 100, by=staff), each) for each in accomplices]
        assert sum(done) == 100 * (number + 1)
        rejected = [second.act(path, "reject", reason=REASON) for path in open_proposals(second)]
        assert [answer.status_code for answer in rejected] == [303] * 5
        accomplices = [*accomplices[1:], accomplice]
        clock.move(minutes=24 * 60)
        staff.sign_in()
        second.sign_in()
    requested = [withdraw(each, 100) for each in accomplices]

    answers = [approve(each, by=staff) for each in requested]
    check_alarms()
    acknowledged = acknowledge(staff)

    assert [answer.status_code for answer in answers] == [400] * 6
    assert {status_of(each) for each in requested} == {"requested"}
    assert (acknowledged.status_code, REFUSED in acknowledged.text) == (400, True)
    assert "mallory has changed the balances of 6 players by $600.00" in second.get("/office/").text


@pytest.mark.security("Four eyes")
def test_who_granted_coins_to_a_player_approves_that_players_withdrawals_after_30_days(
    app, staff, withdraw, player, services, clock
):
    grant(player, 50, by=staff)
    withdrawal_id = withdraw(player, 20)
    clock.ms += 30 * DAY_MS - 60_000
    assert approve(withdrawal_id, by=staff.sign_in()).status_code == 400

    clock.move(minutes=1)

    assert approve(withdrawal_id, by=staff).status_code == 303


@pytest.mark.security("Four eyes")
def test_taking_coins_from_a_player_does_not_keep_anybody_from_approving(staff, withdraw, player):
    grant(player, -50, by=staff)

    assert approve(withdraw(player, 20), by=staff).status_code == 303


@pytest.mark.security("Four eyes")
def test_neither_of_two_people_who_granted_coins_together_approves_the_withdrawal(
    staff, second, withdraw, player
):
    grant(player, 500, by=staff)
    assert second.approve(1).status_code == 303
    withdrawal_id = withdraw(player, 300)

    assert [approve(withdrawal_id, by=each).status_code for each in (staff, second)] == [400, 400]


@pytest.mark.security("Four eyes")
@pytest.mark.settings(PAYMENT_METHODS="demo", WITHDRAWAL_FOUR_EYES_ABOVE="10")
def test_a_proposal_to_approve_a_withdrawal_is_refused_once_its_proposer_has_granted_coins(
    staff, second, withdraw, player
):
    withdrawal_id = withdraw(player, 20)
    assert approve(withdrawal_id, by=staff).status_code == 303
    grant(player, 50, by=staff)

    answer = second.approve(1)

    assert (answer.status_code, REFUSED in answer.text) == (400, True)
    assert status_of(withdrawal_id) == "requested"


@pytest.mark.security("Four eyes")
def test_who_credited_a_deposit_does_not_approve_the_players_withdrawal(staff, services, withdraw, player):
    amount, now = Cents(25_00), services.clock()
    deposit, _ = services.deposits.create(
        user_id=player.id, method="demo", amount=amount, idempotency_key=None, now=now
    )
    with writing():
        Deposit.update(status="review", reason="underpaid").where(Deposit.id == deposit.id).execute()
    credited = staff.act(f"/office/deposits/{deposit.id}", "credit", amount="25", reason=REASON)
    assert credited.status_code == 303

    assert approve(withdraw(player, 20), by=staff).status_code == 400


@pytest.mark.settings(PAYMENT_METHODS="demo", OFFICE_FOUR_EYES="0")
def test_a_team_of_one_grants_and_approves(staff, withdraw, player):
    grant(player, 500, by=staff)

    assert approve(withdraw(player, 300), by=staff).status_code == 303


@pytest.fixture
def alarm_about():
    """Raises the alarm about grants of this person."""

    def found(name):
        return raised.Found([raised.Concern(f"{name}, 1 times", f"Staff: {name} granted", staff=name)])

    (rule,) = [each for each in RULES if each.name == "large-grants"]
    return lambda name: raised.update(rule, found(name), is_sent=False, now=1)


@pytest.mark.security("Four eyes")
def test_nobody_acknowledges_an_alarm_about_themselves(staff, second, alarm_about):
    alarm_about("mallory")

    answer = acknowledge(staff)

    assert (answer.status_code, REFUSED in answer.text) == (400, True)
    assert "Staff: mallory granted" in second.get("/office/alarms").text
    assert acknowledge(second).status_code == 303


@pytest.mark.settings(OFFICE_FOUR_EYES="0")
def test_a_team_of_one_acknowledges_an_alarm_about_themselves(staff, alarm_about):
    alarm_about("mallory")

    assert acknowledge(staff).status_code == 303


@pytest.fixture
def known(player, services, withdraw):
    """A player with a login from HOME and a withdrawal to WALLET."""
    with acting_as(Actor(player.platform_id, HOME)), writing():
        record(AuditEventType.LOGGED_IN, now=services.clock(), user_id=player.id)
    withdraw(player, 20)
    return player


def searches():
    """Who has searched by an address, and whom it found."""
    with reading():
        seen = AuditEvent.select().where(AuditEvent.what == "personal-details.seen")
        assert all(json.loads(event.after) == {"what": "search by an address"} for event in seen)
        return [(event.who, event.player) for event in seen]


@pytest.mark.security("Four eyes")
@pytest.mark.parametrize("address", [WALLET, HOME])
def test_searching_by_an_address_needs_the_permission_and_is_recorded(app, staff, known, address):
    content = signed_in(app, "content")
    path = f"/office/players?q={address}"
    assert f"{known.username}</a>" not in content.get(path).text
    assert searches() == []

    assert f"{known.username}</a>" in staff.get(path).text

    assert searches() == [("staff:mallory", known.platform_id)]


@pytest.mark.security("Four eyes")
def test_a_search_for_an_ip_address_that_nobody_has_used_is_recorded_too(staff):
    staff.get("/office/players?q=198.51.100.9")

    assert searches() == [("staff:mallory", None)]


def test_a_search_by_a_name_is_not_recorded(staff, known):
    staff.get(f"/office/players?q={known.username}")

    assert searches() == []
