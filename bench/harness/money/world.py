"""The app of the money model, which may die and be built again on the same database."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flask import Flask
from peewee import fn

from bench.harness.money.bookkeeping import SPECIAL_CODE
from bench.harness.money.interruptions import Died, Fuse, Kind, Moment
from bench.harness.outcomes import client_seed_that
from bench.harness.servers import come_to_rest
from bench.harness.spins import Clock, at
from models.db.connection import UNAVAILABLE, database, reading
from models.ledger import LedgerEntry
from models.users import User
from services.accounts import users
from services.items import importing as items_importing
from services.maintenance import ledger_audit
from services.shared.clock import Millis
from services.shared.errors import PlatformError
from services.shared.money import Cents
from services.upgrader.spin import SpinRequest

SETTINGS = {
    "AFFILIATE_SPECIAL_CODE": SPECIAL_CODE,
    # Tokens stay valid for the months that pass here.
    "JWT_TTL": "315360000",
    "RATELIMIT_ENABLED": "0",
    "UPGRADER_PROOF_DELAY": "6",
}
"""The settings of ``build``, besides the database."""

PROOF_DELAY_MS = 6000
PRICE = 10_000
ITEM = "Item of the model"
OK, REFUSED, UNAVAILABLE_STATUS = 200, 400, 503


class World:
    """The current app, its clock, and the fuse in its database. All examples of a test share it.

    ``build`` creates an app with this clock. With several ``processes`` there are so many apps, which share
    nothing but the database, and each attempt is made with the next one.
    """

    def __init__(self, build: Callable[[Clock], Flask], *, processes: int = 1) -> None:
        self.clock = Clock(at("2026-03-18 12:00"))
        self.fuse = Fuse()
        self._joined = 0
        self.counts: Counter[str] = Counter()
        self._build = build
        self._processes = processes
        self._start()
        row = {"appid": 730, "marketHashName": ITEM, "price": PRICE}
        items_importing.import_document([row], app_id=None, now=self.clock())

    def _start(self) -> None:
        self._apps = [self._build(self.clock) for _ in range(self._processes)]
        self._take_turns()
        self.fuse.install(database.obj)

    def _take_turns(self) -> None:
        self.app = self._apps.pop(0)
        self._apps.append(self.app)
        self.client = self.app.test_client()
        self.services = self.app.extensions["services"]

    def rebuild(self) -> None:
        """Discard everything that is not in the database."""
        for app in self._apps:
            come_to_rest(app)
        database.obj.close_all()
        self._start()

    def begin_anew(self) -> None:
        """Advance to a month and a week without bets, in which all earlier bets are due."""
        self.clock.advance(days=32)

    def join(self, cents: int) -> "Player":
        self._joined += 1
        name = f"{self._joined % 1000:03}-player"
        user = users.create(username=name, balance=Cents(cents), seeds=self.services.seeds, now=self.clock())
        token = self.services.tokens.issue(platform_id=user.platform_id, now=self.clock())
        return Player(self, user, token)

    def attempt(self, do: Callable[[], bool], trouble: tuple[Kind, Moment] | None) -> bool | None:
        """Whether it succeeded; None after an interruption, when only the fuse knows what was committed."""
        self._take_turns()
        if trouble:
            self.fuse.arm(*trouble)
        try:
            done = do()
        except (Died, *UNAVAILABLE):
            done = False
        finally:
            self.fuse.disarm()
        if trouble is None or self.fuse.burnt is None:
            return done
        assert not done, "what came to trouble was answered as if it had not"
        return None

    def held(self, players: "list[Player]") -> list[tuple[int, int, int | None]]:
        """Balance, vault and deadline in the database."""
        columns = (User.id, User.balance_cents, User.vault_cents, User.vault_deadline_ms)
        with reading():
            rows = User.select(*columns).where(User.id.in_([player.user.id for player in players])).tuples()
            found = {user_id: tuple(values) for user_id, *values in rows}
        return [found[player.user.id] for player in players]

    def wrong(self) -> list[str]:
        """The problems that the audits find, and locks that were not released."""
        problems = ledger_audit.audit().mismatches
        with reading():
            if LedgerEntry.select(fn.SUM(LedgerEntry.amount_cents)).scalar() != 0:
                problems.append("the ledger does not sum to zero")
        if self.services.player_locks:
            problems.append("a spin lock was left behind")
        return problems

    def audit_fairness(self) -> int:
        result = self.app.test_cli_runner().invoke(args=["fairness", "audit"])
        return result.exit_code


class Player:
    """One player of the current app. Each action returns whether it was done or refused."""

    def __init__(self, world: World, user: User, token: str) -> None:
        self.user = user
        self._world = world
        self._headers = {"Authorization": f"Bearer {token}"}

    def get(self, path: str) -> Any:
        return self._world.client.get(path, headers=self._headers).json

    def post(self, path: str, **body: Any) -> bool:
        answer = self._world.client.post(path, json=body, headers=self._headers)
        assert answer.status_code in (OK, REFUSED, UNAVAILABLE_STATUS), answer.text
        return answer.status_code == OK

    def pay(self, kind: str, cents: int, txhash: str) -> bool:
        usd = f"{cents / 100:.2f}"
        arguments = ["payments", "record", self.user.platform_id, kind, usd, "--txhash", txhash]
        return self._world.app.test_cli_runner().invoke(args=arguments).exit_code == 0

    def seed_that(self, wins: bool, wager: int) -> str:
        """A client seed with which the next spin of this wager wins, or loses."""
        coins = Fraction(wager, 100)
        app = self._world.app
        return client_seed_that(wins, app=app, player=self.user, wager=coins, price=PRICE)

    def spin(self, wager: int, client_seed: str, request_id: str) -> bool:
        services, now = self._world.services, Millis(self._world.clock())
        request = SpinRequest(amount=wager / 100, item=ITEM, client_seed=client_seed, request_id=request_id)
        try:
            with services.player_locks.hold(self.user.id):
                services.upgrader.play(user_id=self.user.id, request=request, clock=lambda: now)
        except PlatformError:
            return False
        return True
