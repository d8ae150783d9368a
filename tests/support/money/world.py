"""The app of the money model, which may die and be built again on the same database."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flask import Flask
from peewee import fn

from models.cases import CASE, IRL, Case, CaseSpins
from models.db.connection import UNAVAILABLE, database, reading, writing
from models.ledger import LedgerEntry
from models.payments import Deposit
from models.processes import Lease
from models.users import User
from services.accounts import personal_details
from services.bets.cases import OpeningRequest
from services.bets.upgrader import SpinRequest
from services.cases.irl import importing as irl_importing
from services.maintenance import ledger_audit
from services.shared.clock import Millis
from services.shared.errors import Refusal
from tests.harness.players import Player as Account
from tests.harness.players import create_player, import_case, import_prices
from tests.harness.servers import come_to_rest
from tests.harness.spins import Clock, at
from tests.support.client_seeds import client_seed_that, client_seed_that_wins
from tests.support.money.bookkeeping import SPECIAL_CODE, ModelCase
from tests.support.money.interruptions import Died, Fuse, InterruptionKind, Moment

SETTINGS = {
    "AFFILIATE_SPECIAL_CODE": SPECIAL_CODE,
    # Tokens stay valid for the months that pass here.
    "JWT_TTL": "315360000",
    "PAYMENTS_MIN_USD": "0.01",
    "RATELIMIT_ENABLED": "0",
    "UPGRADER_PROOF_DELAY": "6",
}
"""The settings of ``build``, besides the database."""

PROOF_DELAY_MS = 6000
PRICE = 10_000
ITEM, CHEAP = "Item of the model", "Cheap item of the model"
CHEAP_PRICE = 5
LEVEL = 3
IRL_CASE, CAR, PEN = "garage", "Car", "Pen"
CASES = ({"name": "Box"}, {"name": f"Level {LEVEL}", "kind": "level"}, {"name": "Daily", "kind": "free"})
CAR_PRICE, PEN_PRICE, IRL_PRICE = 9_000, 1, 2_000
ADDRESS = {
    "first_name": "Ada",
    "last_name": "Poe",
    "address_line1": "Main Street 1",
    "city": "Springfield",
    "zip_code": "12345",
    "country": "US",
}
DONE, REFUSED, UNAVAILABLE_STATUS = (200, 201), (400, 403), 503
PAID_AFTER_MS = 10_000
"""The demonstration of payments has credited and paid by then."""


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
        import_prices({ITEM: PRICE, CHEAP: CHEAP_PRICE}, now=self.clock())
        self.cases = self._import_cases()

    def _import_cases(self) -> list[ModelCase]:
        for case in CASES:
            import_case(**case, percentages={ITEM: 10, CHEAP: 90}, now=self.clock())
        prizes = [
            {"name": CAR, "image": "", "price": CAR_PRICE, "percentage": 20},
            {"name": PEN, "image": "", "price": PEN_PRICE, "percentage": 80},
        ]
        garage = {"id": IRL_CASE, "name": "Garage", "price": IRL_PRICE, "items": prizes}
        irl_importing.import_cases([garage], now=self.clock())
        with reading():
            own = list(Case.select().order_by(Case.id))
        dear, cheap = (ITEM, PRICE * 100), (CHEAP, CHEAP_PRICE * 100)
        return [
            *(
                ModelCase(
                    case.slug,
                    case.price_cents,
                    dear,
                    cheap,
                    level=LEVEL if case.kind == "level" else 0,
                    is_free=case.kind == "free",
                )
                for case in own
            ),
            ModelCase(IRL_CASE, IRL_PRICE * 100, (CAR, CAR_PRICE * 100), (PEN, PEN_PRICE * 100), is_irl=True),
        ]

    def _start(self) -> None:
        self._apps = [self._build(self.clock) for _ in range(self._processes)]
        self._take_turns()
        # As a server does at its start. The files say that nothing was restored.
        self.services.log.watch()
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

    def follow_deposit(self, deposit_id: str) -> bool:
        """Ask the provider about a deposit, as polling does."""
        with reading():
            deposit = Deposit.get_by_id(deposit_id)
        self.services.deposits.refresh(deposit)
        return True

    def send_payouts(self) -> bool:
        """A round of sending. A process that has died holds the lease no more."""
        self.services.payout_sender.run(now=self.clock())
        return True

    def end_leases(self) -> None:
        with writing():
            Lease.update(until_ms=0).execute()

    def join(self, cents: int) -> "Player":
        self._joined += 1
        name = f"{self._joined % 1000:03}-player"
        account = create_player(self.app, name, coins=cents // 100)
        personal_details.change(user_id=account.id, username=None, details=ADDRESS, now=self.clock())
        return Player(self, account)

    def attempt(self, do: Callable[[], bool], trouble: tuple[InterruptionKind, Moment] | None) -> bool | None:
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
        assert not done, "an interrupted action was answered as done"
        return None

    def held(self, players: "list[Player]") -> list[tuple[int, int, int | None]]:
        """Balance, vault and deadline in the database."""
        columns = (User.id, User.balance_cents, User.vault_cents, User.vault_deadline_ms)
        with reading():
            rows = User.select(*columns).where(User.id.in_([player.user.id for player in players])).tuples()
            found = {user_id: tuple(values) for user_id, *values in rows}
        return [found[player.user.id] for player in players]

    def house(self) -> Counter[str]:
        """The sum of each of the house's accounts, and the number of openings of cases."""
        with reading():
            sums = (
                LedgerEntry.select(LedgerEntry.account, fn.SUM(LedgerEntry.amount_cents))
                .where(LedgerEntry.user.is_null())
                .group_by(LedgerEntry.account)
            )
            found = Counter({account: int(cents) for account, cents in sums.tuples()})
            found["openings"] = int(CaseSpins.select(fn.SUM(CaseSpins.spins)).scalar() or 0)
        return found

    def wrong(self) -> list[str]:
        """The problems that the audits find, and locks that were not released."""
        problems = ledger_audit.audit().mismatches
        with reading():
            if LedgerEntry.select(fn.SUM(LedgerEntry.amount_cents)).scalar() != 0:
                problems.append("the ledger does not sum to zero")
        if self.services.player_locks:
            problems.append("a spin lock was left behind")
        return problems


class Player:
    """One player of the current app. Each action returns whether it was done or refused."""

    def __init__(self, world: World, account: Account) -> None:
        self.user = account.user
        self._world = world
        self._headers = account.headers

    def get(self, path: str) -> Any:
        return self._world.client.get(path, headers=self._headers).json

    def post(self, path: str, **body: Any) -> bool:
        return self._send("POST", path, body)

    def limit(self, kind: str, period: str, value: int | None) -> bool:
        coins = None if value is None else value / 100
        return self._send("PUT", "/limits", {"kind": kind, "period": period, "value": coins})

    def confirm(self, kind: str, period: str) -> bool:
        """Confirm the request to raise this limit."""
        pending = self.get("/limits")["pending"]
        (asked,) = (each["id"] for each in pending if (each["kind"], each["period"]) == (kind, period))
        return self.post(f"/limits/requests/{asked}/confirm")

    def suspend(self, *, is_suspended: bool) -> bool:
        return self._run("users", "suspend" if is_suspended else "resume", self.user.platform_id)

    def _send(self, method: str, path: str, body: Any, **headers: str) -> bool:
        answer = self._world.client.open(path, method=method, json=body, headers=self._headers | headers)
        assert answer.status_code in (*DONE, *REFUSED, UNAVAILABLE_STATUS), answer.text
        return answer.status_code in DONE

    def pay(self, kind: str, cents: int, txhash: str) -> bool:
        usd = f"{cents / 100:.2f}"
        return self._run("payments", "record", self.user.platform_id, kind, usd, "--txhash", txhash)

    def ask_for_deposit(self, cents: int, key: str) -> bool:
        body = {"method": "demo", "amount": cents / 100}
        return self._send("POST", "/payments/deposits", body, **{"Idempotency-Key": key})

    def ask_for_withdrawal(self, cents: int, key: str) -> bool:
        body = {"method": "demo", "amount": cents / 100, "to": "anywhere"}
        return self._send("POST", "/payments/withdrawals", body, **{"Idempotency-Key": key})

    def decide(self, action: str, withdrawal_id: str) -> bool:
        """``approve`` or ``reject``."""
        return self._run("payments", action, withdrawal_id, "--reason", "so")

    def payments(self) -> list[Any]:
        """All deposits and withdrawals that the player has asked for."""
        return list(self.get("/payments?limit=100")["data"]["payments"])

    def payment_id(self, type_: str, status: str, cents: int) -> str:
        """One with this type, status and amount."""
        wanted = (type_, status, cents / 100)
        found = (each for each in self.payments() if (each["type"], each["status"], each["amount"]) == wanted)
        return str(next(found)["id"])

    def adjust(self, cents: int) -> bool:
        coins = f"{cents / 100:.2f}"
        return self._run("users", "adjust", self.user.platform_id, coins, "--reason", "a mistake")

    def ship(self, prize: int) -> bool:
        return self._run("prizes", "ship", self._prize_id(prize))

    def move(self, prize: int, how: str) -> bool:
        """``sell`` or ``ship`` this prize, counted from the first."""
        return self.post(f"/prizes/{self._prize_id(prize)}/{how}")

    def prizes(self) -> list[Any]:
        """All prizes, newest first."""
        return list(self.get("/prizes?limit=100")["data"]["prizes"])

    def _prize_id(self, prize: int) -> str:
        return str(self.prizes()[-1 - prize]["id"])

    def _run(self, *arguments: str) -> bool:
        return self._world.app.test_cli_runner().invoke(args=arguments).exit_code == 0

    def seed_that_wins(self, item: str, case: ModelCase) -> str:
        """A client seed with which the next opening of this case wins this item."""
        game = IRL if case.is_irl else CASE
        return client_seed_that_wins(
            item, app=self._world.app, player=self.user, case=case.case_id, game=game
        )

    def open(self, case: ModelCase, client_seed: str, request_id: str) -> bool:
        request = OpeningRequest(
            user_id=self.user.id, case=case.case_id, client_seed=client_seed, request_id=request_id
        )
        services = self._world.services
        return self._bet(services.irl_openings if case.is_irl else services.case_openings, request)

    def seed_that(self, wins: bool, wager: int) -> str:
        """A client seed with which the next spin of this wager wins, or loses."""
        coins = Fraction(wager, 100)
        app = self._world.app
        return client_seed_that(wins, app=app, player=self.user, wager=coins, price=PRICE)

    def spin(self, wager: int, client_seed: str, request_id: str) -> bool:
        request = SpinRequest(
            user_id=self.user.id,
            amount=wager / 100,
            item=ITEM,
            client_seed=client_seed,
            request_id=request_id,
        )
        return self._bet(self._world.services.upgrader, request)

    def _bet(self, game: Any, request: Any) -> bool:
        now = Millis(self._world.clock())
        try:
            with self._world.services.player_locks.hold(self.user.id):
                self._world.services.bets.settle(game, request, clock=lambda: now)
        except Refusal:
            return False
        return True
