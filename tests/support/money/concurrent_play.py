"""Writers that move money in every possible way, and readers that must never see a wrong sum.

Coins only move, so the balances of all players and the house's entries sum to 0 at every moment.
"""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Any

import peewee
from flask import Flask

from models.bets import Prize
from models.db.connection import reading, repeatable_read, writing
from models.ledger import LedgerEntry
from models.payments import PaymentType, Withdrawal
from models.users import User
from services.accounts import users
from services.bets.cases import OpeningRequest
from services.bets.terms import BetRequest, Game, StaleCase
from services.bets.upgrader import SpinRequest
from services.cases import irl as irl_importing
from services.container import Services
from services.payments import deposits, withdrawals
from services.payments import transfers as payments
from services.payments.transfers import Transfer
from services.shared.clock import now_ms
from services.shared.errors import Refusal
from services.shared.money import Cents
from services.wallet import affiliates, prizes, vault
from tests.harness.players import import_prices

PLAYERS = 12
PAYERS = 4
"""Players who only ask for deposits and withdrawals."""
COINS = Cents(10_000)
ITEM = "Item of a history"
PROVIDER = "demo"
IRL_CASE_ID = "lamp"
PAUSE_SECONDS = 0.005
MORE_SECONDS = 60


@dataclass
class Observed:
    """The writes by their kind, the sums of each read in cents, and errors."""

    writes: Counter[str] = field(default_factory=Counter)
    reads: list[tuple[int, int]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    guard: threading.Lock = field(default_factory=threading.Lock)


class Writer:
    """A writer that repeatedly chooses a player and an action."""

    def __init__(self, services: Services, player_ids: list[int], observed: Observed, *, name: str) -> None:
        self._services = services
        self._player_ids = player_ids
        self._observed = observed
        self._name = name
        self._random = Random(name)
        self._serials = itertools.count(1)

    def write(self) -> None:
        """One change of balances, or its refusal."""
        kinds = {
            self.spin: 5,
            self.open_irl_case: 3,
            self.sell: 2,
            self.claim: 1,
            self.lock: 3,
            self.unlock: 2,
            self.deposit: 2,
            self.withdraw: 2,
            self.pay_in: 2,
            self.pay_out: 2,
            self.give_back: 1,
        }
        kind = self._random.choices(list(kinds), weights=list(kinds.values()))[0]
        try:
            is_payer = kind in (self.pay_in, self.pay_out, self.give_back)
            kind(self._random.choice(self._player_ids[PLAYERS:] if is_payer else self._player_ids[:PLAYERS]))
        except (Refusal, StaleCase):
            return
        with self._observed.guard:
            self._observed.writes[kind.__name__] += 1

    def spin(self, user_id: int) -> None:
        amount = Decimal(self._random.randint(1, 500)) / 100
        self._bet(self._services.upgrader, SpinRequest(user_id=user_id, amount=amount, item=ITEM))

    def open_irl_case(self, user_id: int) -> None:
        self._bet(self._services.irl_openings, OpeningRequest(user_id=user_id, case=IRL_CASE_ID))

    def _bet(self, game: Game[Any], request: BetRequest) -> None:
        with self._services.player_locks.hold(request.user_id):
            self._services.bets.settle(game, request)

    def sell(self, user_id: int) -> None:
        prizes.sell(user_id=user_id, prize_id=self._prize(user_id), now=now_ms())

    def claim(self, user_id: int) -> None:
        affiliates.claim(user_id=user_id, now=now_ms())

    def lock(self, user_id: int) -> None:
        amount, now = Decimal(self._random.randint(1, 500)) / 100, now_ms()
        vault.lock(user_id=user_id, amount=amount, deadline=now + 20, now=now)

    def unlock(self, user_id: int) -> None:
        vault.unlock(user_id=user_id, now=now_ms())

    def deposit(self, user_id: int) -> None:
        self._pay(user_id, PaymentType.DEPOSIT)

    def withdraw(self, user_id: int) -> None:
        self._pay(user_id, PaymentType.WITHDRAWAL)

    def pay_in(self, user_id: int) -> None:
        """The player asks for a deposit, and its money comes."""
        deposit, _ = self._services.deposits.create(
            user_id=user_id, method=PROVIDER, amount=self._amount(), idempotency_key=None, now=now_ms()
        )
        with writing():
            bonuses = self._services.rewards.bonuses
            deposits.credit(deposit, self._amount(), self._transfer(), bonuses=bonuses, now=now_ms())

    def pay_out(self, user_id: int) -> None:
        """The player asks for a withdrawal, and it is paid."""
        withdrawals.complete(self._request(user_id), self._transfer(), now=now_ms())

    def give_back(self, user_id: int) -> None:
        """The player asks for a withdrawal, and staff reject it."""
        withdrawal_id = self._request(user_id).id
        self._services.staff_decisions.reject(withdrawal_id=withdrawal_id, reason="so", now=now_ms())

    def _prize(self, user_id: int) -> int:
        """A kept prize of the player, or 0."""
        with reading():
            kept = Prize.select(Prize.id).where(Prize.user == user_id, Prize.status == "kept")
            return kept.order_by(Prize.id).limit(1).scalar() or 0

    def _pay(self, user_id: int, type_: PaymentType) -> None:
        usd = Cents(self._random.randint(1, 300))
        payments.record(user=User(id=user_id), type_=type_, usd=usd, transfer=self._transfer(), now=now_ms())

    def _transfer(self) -> Transfer:
        return Transfer(txhash=f"{self._name}-{next(self._serials)}")

    def _amount(self) -> Cents:
        """One that the provider allows."""
        return Cents(self._random.randint(100, 400))

    def _request(self, user_id: int) -> Withdrawal:
        requested, _ = self._services.withdrawals.request(
            user_id=user_id,
            method=PROVIDER,
            amount=self._amount(),
            to="anywhere",
            idempotency_key=None,
            now=now_ms(),
        )
        return requested


def observe(
    *apps: Flask,
    writers: int,
    readers: int,
    seconds: float,
    actions: frozenset[str] = frozenset(),
) -> Observed:
    """Write and read for this time on threads of this process. The database must be empty.

    Goes on for up to MORE_SECONDS until each of these actions has succeeded.
    With several apps, which share nothing but the database, the writers are spread over them.
    """
    observed, over = Observed(), threading.Event()
    services = [app.extensions["services"] for app in apps]
    player_ids = _players(services[0])
    tasks = [
        Writer(services[number % len(apps)], player_ids, observed, name=f"writer-{number}").write
        for number in range(writers)
    ]
    tasks += [lambda: _look(observed)] * readers
    threads = [threading.Thread(target=_repeat, args=(task, over, observed), daemon=True) for task in tasks]
    for thread in threads:
        thread.start()
    until = time.monotonic() + seconds
    while time.monotonic() < until or (
        actions - observed.writes.keys() and time.monotonic() < until + MORE_SECONDS
    ):
        over.wait(min(0.5, max(0.1, until - time.monotonic())))
    over.set()
    for thread in threads:
        thread.join(30)
    return observed


def _look(observed: Observed) -> None:
    """Read every balance, then the house's entries: two statements that must see one state."""
    with repeatable_read():
        columns = User.select(User.balance_cents, User.vault_cents, User.sweepstake_cents).tuples()
        players = sum(itertools.chain.from_iterable(columns))
        entries = LedgerEntry.select(peewee.fn.SUM(LedgerEntry.amount_cents))
        house = entries.where(LedgerEntry.user.is_null()).scalar()
    observed.reads.append((int(players), int(house or 0)))
    # In one process, readers that never wait would leave the writers no time.
    time.sleep(PAUSE_SECONDS)


def _players(services: Services) -> list[int]:
    import_prices({ITEM: 10})
    lamp = {"name": "Lamp", "image": "", "price": 1.5}
    irl_case = {"id": IRL_CASE_ID, "name": "Lamp", "price": 2, "items": [lamp]}
    irl_importing.import_cases([irl_case], now=now_ms())
    made = [
        users.create(username=f"player-{number}", now=now_ms(), balance=COINS)
        for number in range(PLAYERS + PAYERS)
    ]
    for user in made:
        affiliates.set_code(user_id=user.id, code=f"CODE{user.id}", special=None, now=now_ms())
    for user, owner in itertools.pairwise(made):
        affiliates.use_code(user_id=user.id, code=f"CODE{owner.id}", special=None, now=now_ms())
    return [user.id for user in made]


def _repeat(task: Callable[[], None], over: threading.Event, observed: Observed) -> None:
    try:
        while not over.is_set():
            task()
    except Exception as failure:  # noqa: BLE001  # a thread has nobody else to tell
        observed.failures.append(repr(failure))
