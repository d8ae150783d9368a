"""Members of staff in the back office: enrolling, signing in, and filling in forms."""

import json
import re
from copy import copy
from typing import Any

import argon2
import pyotp
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from models.audit_trail import AuditEvent
from models.db.connection import reading, writing
from models.staff import StaffAccount
from services.audit_trail.actor import Actor, acting_as
from services.shared.totp import STEP_MS
from services.staff import accounts
from services.staff.permissions import Role
from services.staff.sign_in import ClientAddress, begin_session_of

PASSWORD = "correct horse battery staple"
PASSWORD_HASH = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
"""It is verified with these parameters, in less than a millisecond."""
ADDRESS = "127.0.0.1"


class StaffMember:
    """A person with a browser, a password and an authenticator."""

    def __init__(
        self,
        app: Flask,
        name: str = "anna",
        role: str = "admin",
        *,
        address: str = ADDRESS,
        link: str | None = None,
    ):
        self.app = app
        self.name = name
        self.address = address
        self.client: FlaskClient = app.test_client()
        self.totp: pyotp.TOTP
        services = app.extensions["services"]
        self._clock = services.clock
        self._used_step = 0
        self.link = link or services.staff_accounts.add(name=name, role=Role(role), now=self._clock())

    def elsewhere(self, address: str) -> "StaffMember":
        """The same person, with another browser at another address."""
        other = copy(self)
        other.client, other.address = self.app.test_client(), address
        return other

    def code(self) -> str:
        """The oldest code that is valid now and was not used."""
        current = self._clock() // STEP_MS
        step = max(current - 1, self._used_step + 1)
        assert step <= current + 1, "no code is left: the clock must move on"
        self._used_step = step
        return self.totp.generate_otp(step)

    def wrong_code(self) -> str:
        """Six digits that are not valid around now."""
        step = self._clock() // STEP_MS
        right = {self.totp.generate_otp(step + steps) for steps in range(-2, 5)}
        return next(text for text in ("000000", "111111", "222222", "333333") if text not in right)

    def get(self, path: str, **options: Any) -> TestResponse:
        return self.client.get(path, environ_base={"REMOTE_ADDR": self.address}, **options)

    def post(self, path: str, *, of: str | None = None, **fields: str) -> TestResponse:
        """Send a form with the token that is in the page at ``of``, by default at the path itself."""
        token = csrf_token(self.get(of or path))
        data = {"csrf_token": token} | fields
        return self.client.post(path, data=data, environ_base={"REMOTE_ADDR": self.address})

    def act(self, page: str, form: str, **fields: str) -> TestResponse:
        """Send a form of a page, whose address is that of the page and a word."""
        return self.post(f"{page}/{form}", of=page, **fields)

    def approve(self, number: int) -> TestResponse:
        """Approve a proposal on its page."""
        return self.act(f"/office/proposals/{number}", "approve")

    def enrol(self, link: str | None = None) -> TestResponse:
        """Set the password and the authenticator by the page of a link, by default the first one."""
        path = f"/office/enrol?token={link or self.link}"
        page = self.get(path)
        assert page.status_code == 200, page.text
        self.totp = pyotp.TOTP(re.search(r'id="secret">([A-Z2-7]+)<', page.text)[1])
        self._used_step = 0
        answer = self.post(path, password=PASSWORD, repeated=PASSWORD, code=self.code())
        assert answer.status_code == 303, answer.text
        return answer

    def try_to_sign_in(
        self, *, name: str | None = None, password: str = PASSWORD, code: str | None = None, to: str = ""
    ) -> TestResponse:
        fields = {"name": name or self.name, "password": password, "code": code or self.code()}
        return self.post("/office/sign-in" + (f"?next={to}" if to else ""), **fields)

    def sign_in(self) -> "StaffMember":
        answer = self.try_to_sign_in()
        assert answer.status_code == 303, answer.text
        return self

    @property
    def cookie(self) -> str | None:
        """The value of the browser's cookie."""
        cookie = self.client.get_cookie("office", path="/office")
        return cookie and cookie.value


def enrolled(app: Flask, name: str = "anna", role: str = "admin") -> StaffMember:
    """A member of staff who has enrolled, without the page and with a cheap hash."""
    member = StaffMember(app, name, role)
    services = app.extensions["services"]
    invitation = services.staff_accounts.enrolment.invitation(member.link, word="", now=services.clock())
    member.totp = pyotp.TOTP(invitation.secret)
    with writing():
        columns = {"password_hash": PASSWORD_HASH, "enrolment_hash": None, "enrolment_expires_at_ms": None}
        StaffAccount.update(columns).where(StaffAccount.name == name).execute()
    return member


def signed_in(app: Flask, role: str = "admin", name: str | None = None) -> StaffMember:
    """A member of staff with this role and a session, without the page of the sign-in."""
    member = enrolled(app, name or f"{role}-person", role)
    account, now = accounts.get(member.name), app.extensions["services"].clock()
    with writing(), acting_as(Actor(f"staff:{member.name}", ADDRESS)):
        token = begin_session_of(account, client=ClientAddress(ADDRESS, ADDRESS), now=now)
    with member.client.session_transaction("/office/") as session:
        session["_user_id"] = token
    return member


def events(*kinds: str) -> list[tuple[str, str, Any]]:
    """The events of these kinds in the audit trail: what, who, and what ``after`` has."""
    with reading():
        found = AuditEvent.select().where(AuditEvent.what.in_(kinds)).order_by(AuditEvent.id)
        return [(event.what, event.who, json.loads(event.after or "null")) for event in found]


def last_event(what: str) -> tuple[str, Any]:
    """Who did the last event of this kind, and what ``after`` has."""
    return events(what)[-1][1:]


def csrf_token(page: TestResponse) -> str:
    """The token of the forms of a page."""
    found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page.text)
    assert found, page.text
    return found[1]
