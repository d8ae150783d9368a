"""Fixtures of the back office: a clock that moves by hand, and members of staff."""

import pytest

from services.shared.clock import now_ms
from tests.support.office import StaffMember, signed_in


class Clock:
    """The app's clock, which a test moves."""

    def __init__(self):
        self.ms = now_ms()

    def __call__(self):
        return self.ms

    def move(self, *, minutes=0, seconds=0):
        self.ms += minutes * 60_000 + seconds * 1_000


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def member(app):
    """A member of staff who has enrolled, and is not signed in."""
    person = StaffMember(app)
    person.enrol()
    return person


@pytest.fixture
def admin(app):
    """An administrator who is signed in."""
    return signed_in(app, "admin")
