"""Fixtures of the back office's rules: people of the staff, and what they do."""

import pytest

from models.staff import StaffAccount
from services.audit_trail.actor import Actor, acting_as
from services.staff.money_actions import AdjustBalance
from services.staff.permissions import Role
from tests.harness.spins import Clock, at

ANN, BOB = (StaffAccount(name=name, role="payments") for name in ("ann", "bob"))
CAROL = StaffAccount(name="carol", role="compliance")


@pytest.fixture
def clock():
    return Clock(at("2026-11-26 12:00"))


@pytest.fixture
def settings():
    return {"JWT_TTL": "315360000"}


@pytest.fixture
def proposals(app, clock):
    """The service, within an app, whose staff are these people."""
    services = app.extensions["services"]
    for person in (ANN, BOB, CAROL):
        services.staff_accounts.add(name=person.name, role=Role(person.role), now=clock())
    return services.proposals


@pytest.fixture
def change_balance(proposals, player, clock):
    """Changes the balance of the player, or of another one, by so many coins, or proposes it."""

    def change(coins, *, of=player, by=ANN, reason="goodwill for the outage", **options):
        arguments = {"platformId": of.platform_id, "amountCents": coins * 100}
        with acting_as(Actor(f"staff:{by.name}")):
            return proposals.perform_or_propose(
                AdjustBalance.name, arguments, reason=reason, by=by, now=clock(), **options
            )

    return change


@pytest.fixture
def approve(proposals, clock):
    """Approves a proposal; what was done."""

    def approve(outcome, *, by=BOB):
        with acting_as(Actor(f"staff:{by.name}")):
            return proposals.approve(outcome.proposal.id, by=by, now=clock())

    return approve
