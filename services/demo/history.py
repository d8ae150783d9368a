"""Thirty days of the demo: bets and payments of its players, and work that waits for the staff.

Everything goes through the rules that it would go through at another time, and passes all audits. The days
are drawn with a fixed seed; the outcomes of the bets are those of their seeds.
"""

import random
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from decimal import Decimal
from typing import Any

from models.bets import Bet
from models.cases import Case
from models.db.connection import database, reading, writing
from models.db.sqlite import Sqlite
from models.items import Item
from models.payments import PaymentType
from models.rewards import RewardState
from models.users import User
from services.alarms import raised, rules
from services.alarms.raised import Found
from services.bets.cases import OpeningRequest
from services.bets.settlement import BetSettler
from services.bets.terms import BetRequest, Game
from services.bets.upgrader import SpinRequest
from services.container import Services
from services.figures import liabilities
from services.payments import transfers
from services.payments.transfers import Transfer
from services.rewards.service import Rewards
from services.shared.clock import DAY_MS, MINUTE_MS, CalendarPeriod, Millis
from services.shared.errors import Refusal
from services.shared.money import Cents
from services.staff import accounts
from services.staff.demo import PREFIX
from services.staff.permissions import Role
from services.wallet import affiliates

DAYS = 30
BETS_A_SESSION = (2, 8)
SECONDS_BETWEEN_BETS = (10, 60)
PLAYS_ON_A_DAY, DEPOSITS_FIRST, WITHDRAWS_AFTERWARDS, OPENS_A_CASE = 0.7, 0.3, 0.1, 0.4
CLAIMS_AFTERWARDS = 0.3
"""How probable these are for a player, in a session, and for a bet."""
DEPOSITS_USD = (25, 50, 50, 100, 200)

STEADY_DAYS = 7
STEADY_BETS, STEADY_WAGER = 7, Cents(20_00)
STEADY_HOUR = 12
"""What the player to try the demo with has bet on each of the last days: enough for a daily free opening."""

CODE = "KETTLE"
"""The promo code of a demo player, with which the free case can be opened."""

NETWORKS = (("bitcoin", "BTC"), ("lightning", "BTC"), ("ethereum", "USDC"))


class History:
    """Plays the days before a time."""

    def __init__(self, services: Services, players: Sequence[User], *, steady: User, until: Millis) -> None:
        self._services = services
        self._players = players
        self._steady = steady
        self._random = random.Random(DAYS)  # noqa: S311  # the outcomes of bets do not come from it
        self._first_day = Millis(CalendarPeriod.DAY.start(until) - DAYS * DAY_MS)
        self._until = until
        with reading():
            self._items = _priced(Item.select(Item.market_hash_name, Item.price_cents))
            is_open = (Case.kind == "regular") & Case.retired_at_ms.is_null()
            self._cases = _priced(Case.select(Case.slug, Case.price_cents).where(is_open))

    def play(self) -> list[int]:
        """Play; returns the ids of the bets."""
        owner, friend, *_ = self._players
        with suppress(Refusal):
            affiliates.set_code(user_id=owner.id, code=CODE, special=None, now=self._first_day)
            affiliates.use_code(user_id=friend.id, code=CODE, special=None, now=self._first_day)
        # The first bet of a player logs a commitment, which must not be part of a transaction.
        bet_ids = [self._bet(player, self._first_day) for player in (*self._players, self._steady)]
        for day in range(DAYS):
            begins = Millis(self._first_day + day * DAY_MS)
            with self._one_commit():
                bet_ids += list(self._play_day(begins))
                if day >= DAYS - STEADY_DAYS:
                    bet_ids += list(self._play_steadily(begins))
            liabilities.store_due(now=begins)
        return [bet_id for bet_id in bet_ids if bet_id is not None]

    def _play_day(self, day: Millis) -> Iterator[int | None]:
        sessions = [
            # Most people play in the evening.
            (Millis(day + int(self._random.triangular(60, 1430, 1200)) * MINUTE_MS), player)
            for player in self._players
            if self._random.random() < PLAYS_ON_A_DAY
        ]
        for at, player in sorted(sessions, key=lambda session: session[0]):
            yield from self._play_session(player, at)

    def _play_session(self, player: User, at: Millis) -> Iterator[int | None]:
        if self._random.random() < DEPOSITS_FIRST:
            self._pay(player, PaymentType.DEPOSIT, self._random.choice(DEPOSITS_USD), at)
        for _ in range(self._random.randint(*BETS_A_SESSION)):
            at = Millis(at + self._random.randint(*SECONDS_BETWEEN_BETS) * 1000)
            if at < self._until:
                yield self._bet(player, at)
        if self._random.random() < WITHDRAWS_AFTERWARDS:
            self._pay(player, PaymentType.WITHDRAWAL, self._random.choice(DEPOSITS_USD), at)
        if self._random.random() < CLAIMS_AFTERWARDS:
            self._claim(player, at)

    def _claim(self, player: User, at: Millis) -> None:
        """Claim the rakeback, and the gifts of levels."""
        rewards = Rewards(self._services.settings, clock=lambda: at)
        levels = rewards.overview(player.id).levels
        offered = [gift for gift in levels if gift.state == RewardState.OFFERED and gift.coins]
        # There is no rakeback by default.
        with suppress(Refusal):
            rewards.claim_rakeback(user_id=player.id)
        for gift in offered:
            rewards.claim(user_id=player.id, reward_id=gift.id)

    def _play_steadily(self, day: Millis) -> Iterator[int | None]:
        """Spins that nearly always win, so that the balance stays about the same."""
        name, _ = min((item for item in self._items if item[1] > STEADY_WAGER), key=lambda item: item[1])
        for number in range(STEADY_BETS):
            at = Millis(day + (STEADY_HOUR * 60 + number) * MINUTE_MS)
            yield self._spin(self._steady, name, STEADY_WAGER, at)

    def _bet(self, player: User, at: Millis) -> int | None:
        """Make a bet that the player can pay; None if it is refused."""
        if self._random.random() < OPENS_A_CASE:
            slug, _ = self._random.choice(self._cases)
            opening = OpeningRequest(user_id=player.id, case=slug)
            return _settle(self._settler(at), self._services.case_openings, opening)
        name, price = self._random.choice(self._items)
        # From a tenth to two thirds of the price, and no more than most people would risk.
        wager = min(max(int(price * self._random.uniform(0.1, 0.65)), 10), 2_000)
        return self._spin(player, name, Cents(wager), at)

    def _spin(self, player: User, name: str, wager: Cents, at: Millis) -> int | None:
        spin = SpinRequest(user_id=player.id, amount=Decimal(wager) / 100, item=name)
        return _settle(self._settler(at), self._services.upgrader, spin)

    def _settler(self, at: Millis) -> BetSettler:
        services = self._services
        return BetSettler(
            seeds=services.seeds, bet_log=services.log, settings=services.settings, clock=lambda: at
        )

    def _pay(self, player: User, type_: PaymentType, usd: int, at: Millis) -> None:
        chain, asset = self._random.choice(NETWORKS)
        txhash = f"{self._random.getrandbits(256):064x}"
        to = self._wallet_of(player) if type_ == PaymentType.WITHDRAWAL else ""
        transfer = Transfer(chain=chain, asset=asset, txhash=txhash, to=to)
        # The player may have less.
        with suppress(Refusal):
            transfers.record(user=player, type_=type_, usd=Cents(usd * 100), transfer=transfer, now=at)

    def _wallet_of(self, player: User) -> str:
        """The last two players have one, so that the office has accounts to link."""
        return f"demo-wallet-of-player-{min(self._players.index(player), len(self._players) - 2)}"

    def _one_commit(self) -> Any:
        """On SQLite a day is one transaction. On PostgreSQL a bet has its own, on a connection of its own."""
        return writing() if isinstance(database.obj, Sqlite) else nullcontext()


def leave_work(services: Services, players: Sequence[User], *, now: Millis) -> None:
    """Let a withdrawal, a proposal and an alarm wait for the staff."""
    settings = services.settings
    with suppress(Refusal):
        services.withdrawals.request(
            user_id=players[-1].id,
            method="demo",
            amount=Cents(settings.withdrawal_auto_approve_cents + 40_00),
            to=wallet_of(players[-1]),
            idempotency_key=None,
            now=now,
        )
    _raise_alarm(now=now)
    if services.demo_staff is not None and settings.office_enabled and settings.office_four_eyes:
        services.demo_staff.draw_token(now=now)
        with suppress(Refusal):
            services.proposals.perform_or_propose(
                "balance.change",
                {"platformId": players[1].platform_id, "amountCents": _above_four_eyes(services)},
                reason="Compensation for a delivery that went wrong",
                by=accounts.get(PREFIX + Role.SUPPORT),
                now=now,
            )


def wallet_of(user: User) -> str:
    """The address in a demo player's address book."""
    return f"demo-wallet-of-{user.username.lower()}"


def _above_four_eyes(services: Services) -> int:
    return services.settings.office_four_eyes_above_cents + 50_00


def _raise_alarm(*, now: Millis) -> None:
    """An alarm about the largest payout."""
    with reading():
        largest: Bet | None = Bet.select().order_by(Bet.payout_cents.desc()).first()
    if largest is None:
        return
    rule = next(rule for rule in rules.RULES if rule.name == "large-payout")
    concern = rules.large_payout(largest.id, largest.game, Cents(largest.payout_cents))
    raised.update(rule, Found([concern]), is_sent=False, now=now)


def _settle(settler: BetSettler, game: Game[Any], request: BetRequest) -> int | None:
    try:
        return int(settler.settle(game, request).bet.id)
    except Refusal:
        return None


def _priced(query: Any) -> list[tuple[str, int]]:
    """The names of things that cost something, in their order, with the price in cents."""
    return sorted((name, cents) for name, cents in query.tuples() if cents)
