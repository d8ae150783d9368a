"""Four eyes: what is done at once, what a second person must approve, and that it is executed once."""

import peewee
import pytest

from models.db.connection import writing
from models.staff import Proposal
from services.audit_trail import settings_changes
from services.maintenance import ledger_audit
from services.shared.clock import DAY_MS
from services.shared.errors import InsufficientBalance, Refusal, UserNotFound
from services.staff import proposals as service
from services.staff.proposals import NotPermitted
from tests.services.staff.conftest import ANN, BOB, CAROL
from tests.support.at_once import all_at_once
from tests.support.office import events, last_event


def status_of(outcome, clock):
    return service.status_of(service.get(outcome.proposal.id), now=clock())


def test_a_small_change_of_a_balance_is_done_at_once(change_balance, balance):
    assert change_balance(100).is_done
    assert balance() == 200


def test_a_large_amount_that_is_given_or_taken_waits_for_a_second_person(change_balance, balance):
    assert not change_balance(101).is_done
    assert change_balance(90).is_done
    assert not change_balance(-101).is_done
    assert balance() == 190


@pytest.mark.both_databases("services/staff/money_actions.py")
@pytest.mark.security("Four eyes")
def test_small_changes_of_a_day_count_together(change_balance, balance, clock):
    change_balance(60)

    assert not change_balance(60, by=BOB).is_done
    clock.now += DAY_MS
    assert change_balance(60).is_done
    assert balance() == 220


@pytest.mark.security("Four eyes")
def test_changes_by_one_person_count_together_over_all_players(change_balance, new_player, clock):
    accomplices = [new_player() for _ in range(3)]
    assert change_balance(60, of=accomplices[0]).is_done
    assert change_balance(-40, of=accomplices[1]).is_done

    assert not change_balance(1, of=accomplices[2]).is_done

    assert change_balance(60, of=accomplices[2], by=BOB).is_done
    clock.now += DAY_MS
    assert change_balance(100, of=accomplices[1]).is_done


@pytest.mark.security("Four eyes")
def test_what_two_people_decided_does_not_count_for_the_one_who_proposed_it(
    change_balance, approve, new_player
):
    approve(change_balance(250))

    assert change_balance(100, of=new_player()).is_done


@pytest.mark.both_databases("a lock of the account")
@pytest.mark.security("Four eyes")
def test_of_changes_by_one_person_at_once_only_those_within_the_bound_are_done(change_balance, new_player):
    accomplices = [new_player() for _ in range(4)]

    outcomes = all_at_once([lambda each=each: change_balance(40, of=each) for each in accomplices])

    assert sum(outcome.is_done for outcome in outcomes) == 2


def test_approving_executes_and_names_both_people(change_balance, approve, balance):
    outcome = change_balance(250)

    assert "$350.00" in approve(outcome)

    assert balance() == 350
    reason = "goodwill for the outage"
    who, after = last_event("proposal.approved")
    assert (who, after["proposedBy"], after["reason"]) == ("staff:bob", "staff:ann", reason)
    who, after = last_event("balance.adjusted")
    assert (who, after["amountCents"], after["reason"]) == ("staff:bob", 25000, reason)


@pytest.mark.security("Four eyes")
def test_nobody_approves_their_own_proposal(change_balance, approve, balance, clock):
    outcome = change_balance(250)

    with pytest.raises(Refusal, match="their own"):
        approve(outcome, by=ANN)

    assert balance() == 100
    assert status_of(outcome, clock) == "open"


def test_proposing_and_approving_need_the_permission_of_the_action(change_balance, approve, balance):
    with pytest.raises(NotPermitted):
        change_balance(250, by=CAROL)
    outcome = change_balance(250)

    with pytest.raises(NotPermitted):
        approve(outcome, by=CAROL)

    assert balance() == 100


@pytest.mark.security("Four eyes")
def test_a_proposal_expires_after_seven_days(change_balance, approve, balance, clock):
    outcome = change_balance(250)
    clock.now += 7 * DAY_MS

    with pytest.raises(Refusal, match="expired"):
        approve(outcome)

    assert balance() == 100
    assert status_of(outcome, clock) == "expired"


def test_a_second_approval_is_refused(change_balance, approve, balance):
    outcome = change_balance(250)
    approve(outcome)

    with pytest.raises(Refusal, match="approved by bob"):
        approve(outcome)

    assert balance() == 350


@pytest.mark.both_databases("a race")
@pytest.mark.security("Four eyes")
def test_of_two_approvals_at_once_one_executes(change_balance, approve, balance):
    outcome = change_balance(250)

    def attempt():
        try:
            return approve(outcome)
        except Refusal as refusal:
            return str(refusal)

    results = all_at_once([attempt] * 4)

    assert sum("is $350.00 now" in result for result in results) == 1
    assert balance() == 350
    assert len(events("proposal.approved")) == 1
    assert ledger_audit.audit().mismatches == []


def test_what_the_rules_refuse_leaves_the_proposal_open(change_balance, approve, clock, balance):
    change_balance(60)
    outcome = change_balance(-150)
    change_balance(-20)

    with pytest.raises(InsufficientBalance):
        approve(outcome)

    assert status_of(outcome, clock) == "open"
    assert balance() == 140
    assert events("proposal.approved") == []


def test_what_the_rules_refuse_now_is_not_proposed(change_balance, proposals, clock):
    with pytest.raises(InsufficientBalance):
        change_balance(-101)
    with pytest.raises(UserNotFound):
        proposals.perform_or_propose(
            "balance.change",
            {"platformId": "0" * 17, "amountCents": 1},
            reason="no such player",
            by=ANN,
            now=clock(),
        )

    assert service.open_count(now=clock()) == 0


def test_a_proposal_leaves_nothing_of_its_rehearsal_behind(change_balance):
    change_balance(250)

    assert events("balance.adjusted") == []
    assert ledger_audit.audit().mismatches == []


@pytest.mark.both_databases("a race")
def test_the_same_form_twice_at_once_is_done_once(change_balance, balance):
    outcomes = all_at_once([lambda: change_balance(10, form_key="f" * 32)] * 4)

    assert len({outcome.proposal.id for outcome in outcomes}) == 1
    assert sum("sent before" in outcome.message for outcome in outcomes) == 3
    assert balance() == 110


def test_a_reason_has_at_least_five_characters(change_balance, balance):
    for reason in ("", "four", "x" * 201):
        with pytest.raises(Refusal, match="5 to 200"):
            change_balance(10, reason=reason)

    assert balance() == 100


def test_a_rejected_proposal_can_not_be_approved(change_balance, proposals, approve, clock):
    outcome = change_balance(250)
    proposals.reject(outcome.proposal.id, reason="wrong player", by=BOB, now=clock())

    with pytest.raises(Refusal, match="rejected by bob"):
        approve(outcome)

    assert last_event("proposal.rejected")[1]["reason"] == "wrong player"


def test_only_the_proposer_withdraws_a_proposal(change_balance, proposals, clock):
    outcome = change_balance(250)

    with pytest.raises(Refusal, match="only who made"):
        proposals.withdraw(outcome.proposal.id, reason="not needed", by=BOB, now=clock())
    proposals.withdraw(outcome.proposal.id, reason="not needed", by=ANN, now=clock())

    assert status_of(outcome, clock) == "withdrawn"


def test_turning_four_eyes_off_is_an_event(app, make_app):
    for value in ("1", "0"):
        services = make_app(OFFICE_FOUR_EYES=value).extensions["services"]
        settings_changes.record_changes(services.settings, now=services.clock())

    assert last_event("settings.changed")[1] == {"office_four_eyes": False}


@pytest.mark.both_databases("a constraint")
@pytest.mark.security("Four eyes")
def test_the_database_refuses_an_approval_of_ones_own(change_balance, clock):
    outcome = change_balance(250)
    approved = {"status": "approved", "decided_by": "ann", "decided_at_ms": clock()}

    with pytest.raises(peewee.IntegrityError), writing():
        Proposal.update(approved).where(Proposal.id == outcome.proposal.id).execute()
