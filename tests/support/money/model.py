"""A property test of all money: generated actions of a few players, with interruptions.

After every step, every figure that the API shows is compared with the books (bookkeeping.py). For another
action, add it to ``Books`` and add a rule here; for another figure, add a line to ``shown`` and to ``kept``.
"""

import copy
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.support.money import bookkeeping
from tests.support.money.bookkeeping import SPECIAL_CODE, Books
from tests.support.money.interruptions import InterruptionKind, Moment
from tests.support.money.world import PAID_AFTER_MS, PRICE, PROOF_DELAY_MS, Player, World

START_CENTS = 1_500_000
LIKELY_CENTS = 100_000
MOST_WAGER = 900_000
MOST_STATEMENTS = 20
HOUR_MS = 3_600_000

who = st.integers(0, 2)
# From the smallest, where rounding matters, to high rolls and those that change a commission.
edges = st.sampled_from([4_999, 5_000, 499_999, 500_000, 500_001])
cents = st.one_of(st.integers(1, 300), st.integers(1, MOST_WAGER), edges)
code = st.sampled_from(["CODE0", "code1", "CODE2", SPECIAL_CODE])
which = st.integers(0, 9)
limit_values = st.one_of(st.none(), st.sampled_from([0, 1, 300, 5_000, 100_000, 500_000, 2_000_000]), cents)
hours = st.one_of(st.integers(1, 3), st.sampled_from([24, 7 * 24, 31 * 24]))


@dataclass(frozen=True)
class Trouble:
    """The moment of an interruption, and whether the player repeats the action."""

    kind: InterruptionKind
    moment: Moment
    again: bool


moments = st.one_of(
    st.builds(Moment, st.integers(1, MOST_STATEMENTS)), st.builds(Moment, st.none(), st.booleans())
)
troubles = st.one_of(st.none(), st.builds(Trouble, st.sampled_from(InterruptionKind), moments, st.booleans()))


class Players(RuleBasedStateMachine):
    """Three players and their books. ``world`` is their app."""

    world: World

    @initialize(owners=st.integers(0, 3))
    def join(self, owners: int) -> None:
        # To a month and a week without bets, in which all earlier bets are due.
        self.world.clock.advance(days=32)
        self.players = [self.world.join(START_CENTS) for _ in range(3)]
        self.books = [Books(START_CENTS, player.user.username) for player in self.players]
        self.bets_before = self.live_bets()
        self.house_before = self.world.house()
        # Codes and hashes stay used, and all examples of a test share one database.
        self.prefix = f"R{self.players[0].user.id}"
        self.deeds = 0
        for owner in range(owners):
            self.set_code(owner, f"CODE{owner}", None)

    @rule()
    def the_process_is_restarted(self) -> None:
        self.world.rebuild()

    @rule(who=who, code=code, trouble=troubles)
    def set_code(self, who: int, code: str, trouble: Trouble | None) -> None:
        if code == SPECIAL_CODE:
            return
        code = self.prefix + code
        self.act(
            trouble,
            lambda: self.players[who].post("/affiliate/set-code", code=code),
            lambda: self.books[who].set_code(code.upper(), self.books),
        )

    @rule(who=who, code=code, trouble=troubles)
    def use_code(self, who: int, code: str, trouble: Trouble | None) -> None:
        code = code if code == SPECIAL_CODE else self.prefix + code
        self.act(
            trouble,
            lambda: self.players[who].post("/affiliate/use-code", code=code),
            lambda: self.books[who].use_code(code.upper(), self.books),
        )

    @rule(who=who, kind=st.sampled_from(["deposit", "withdraw"]), amount=cents, trouble=troubles)
    def pay(self, who: int, kind: str, amount: int, trouble: Trouble | None) -> None:
        txhash = self.new_name()
        self.act(
            trouble,
            lambda: self.players[who].pay(kind, amount, txhash),
            lambda: self.books[who].pay(kind, amount, self.world.clock()),
            repeatable=True,
        )

    @rule(who=who, amount=cents, trouble=troubles)
    def ask_for_deposit(self, who: int, amount: int, trouble: Trouble | None) -> None:
        key = self.new_name()
        self.act(
            trouble,
            lambda: self.players[who].ask_for_deposit(amount, key),
            lambda: self.books[who].ask_for_deposit(amount, self.world.clock()),
            repeatable=True,
        )
        # Of an interrupted request the provider may not have been asked.
        for made in self.players[who].payments():
            if made["status"] == "created":
                self.world.follow_deposit(made["id"])

    @rule(who=who, number=which, trouble=troubles)
    def credit(self, who: int, number: int, trouble: Trouble | None) -> None:
        """Let the provider have the money of one of the player's deposits, if there is one."""
        if waiting := self.books[who].waiting("pending"):
            chosen = waiting[number % len(waiting)]
            self.world.clock.advance(ms=PAID_AFTER_MS)
            deposit_id = self.id_of(who, chosen)
            self.act(
                trouble,
                lambda: self.world.follow_deposit(deposit_id),
                lambda: self.books[who].credit(chosen),
                repeatable=True,
            )

    @rule(who=who, amount=cents, trouble=troubles)
    def ask_for_withdrawal(self, who: int, amount: int, trouble: Trouble | None) -> None:
        key = self.new_name()
        self.act(
            trouble,
            lambda: self.players[who].ask_for_withdrawal(amount, key),
            lambda: self.books[who].ask_for_withdrawal(amount),
            repeatable=True,
        )

    @rule(who=who, number=which, trouble=troubles)
    def reject(self, who: int, number: int, trouble: Trouble | None) -> None:
        """Let staff reject one of the player's requests, if there is one."""
        if waiting := self.books[who].waiting("requested"):
            chosen = waiting[number % len(waiting)]
            withdrawal_id = self.id_of(who, chosen)
            self.act(
                trouble,
                lambda: self.players[who].decide("reject", withdrawal_id),
                lambda: self.books[who].reject(chosen),
            )

    @rule(who=who, number=which, trouble=troubles)
    def pay_out(self, who: int, number: int, trouble: Trouble | None) -> None:
        """Let one of the player's requests be approved and paid. After an interruption it goes on."""
        if waiting := self.books[who].waiting("requested"):
            chosen = waiting[number % len(waiting)]
            self.world.end_leases()
            assert self.players[who].decide("approve", self.id_of(who, chosen))
            self.world.send_payouts()
            self.world.clock.advance(ms=PAID_AFTER_MS)
            if (
                self.world.attempt(self.world.send_payouts, trouble and (trouble.kind, trouble.moment))
                is None
            ):
                self.recover()
                self.world.end_leases()
                self.world.clock.advance(ms=PAID_AFTER_MS)
                self.world.send_payouts()
            self.count(self.books[who].pay_out(chosen))

    def id_of(self, who: int, number: int) -> str:
        """The id of a deposit or withdrawal like this one."""
        wanted = self.books[who].asked[number]
        return self.players[who].payment_id(wanted.type, wanted.status, wanted.amount)

    @rule(who=who, sign=st.sampled_from([1, -1]), amount=cents, trouble=troubles)
    def adjust(self, who: int, sign: int, amount: int, trouble: Trouble | None) -> None:
        self.act(
            trouble,
            lambda: self.players[who].adjust(sign * amount),
            lambda: self.books[who].adjust(sign * amount),
        )

    @rule(who=who, wager=cents, wins=st.booleans(), trouble=troubles)
    def spin(self, who: int, wager: int, wins: bool, trouble: Trouble | None) -> None:
        # Small wagers win too rarely.
        wins = wins and wager >= LIKELY_CENTS
        name, seed = self.new_name(), self.players[who].seed_that(wins, wager)
        payout = PRICE * 100 if wins else 0
        self.act(
            trouble,
            lambda: self.players[who].spin(wager, seed, name),
            lambda: self.books[who].spin(wager, payout, self.world.clock()),
            repeatable=True,
        )

    @rule(who=who, case=st.integers(0, 3), wins=st.booleans(), trouble=troubles)
    def open(self, who: int, case: int, wins: bool, trouble: Trouble | None) -> None:
        opened = self.world.cases[case]
        item, payout = opened.dear if wins else opened.cheap
        name, seed = self.new_name(), self.players[who].seed_that_wins(item, opened)
        self.act(
            trouble,
            lambda: self.players[who].open(opened, seed, name),
            lambda: self.books[who].open(opened, payout, self.world.clock()),
            repeatable=True,
        )

    @rule(
        who=who,
        kind=st.sampled_from(bookkeeping.KINDS),
        period=st.sampled_from(bookkeeping.PERIODS),
        value=limit_values,
        trouble=troubles,
    )
    def limit(self, who: int, kind: str, period: str, value: int | None, trouble: Trouble | None) -> None:
        current = self.books[who].limits.get((kind, period))
        is_raise = current is not None and (value is None or value > current)
        self.act(
            # A request to raise a limit takes two transactions, of which the first changes nothing.
            None if is_raise else trouble,
            lambda: self.players[who].limit(kind, period, value),
            lambda: self.books[who].limit(kind, period, value, self.world.clock()),
        )

    @rule(who=who, asked=which, trouble=troubles)
    def confirm(self, who: int, asked: int, trouble: Trouble | None) -> None:
        """Confirm one of the player's requests, if there is one."""
        if pending := self.books[who].pending(self.world.clock()):
            key = pending[asked % len(pending)]
            self.act(
                trouble,
                lambda: self.players[who].confirm(*key),
                lambda: self.books[who].confirm(key, self.world.clock()),
            )

    @rule(who=who, more=st.integers(0, 1), trouble=troubles)
    def spin_for_all_that_the_limits_leave(self, who: int, more: int, trouble: Trouble | None) -> None:
        """Or for a cent more."""
        room = self.books[who].room(self.world.clock())
        if room is not None and 0 < room + more <= MOST_WAGER:
            self.spin(who, room + more, False, trouble)

    @rule(who=who, days=st.sampled_from([1, 7, 30]), trouble=troubles)
    def take_break(self, who: int, days: int, trouble: Trouble | None) -> None:
        duration = "24h" if days == 1 else f"{days}d"
        self.act(
            trouble,
            lambda: self.players[who].post("/limits/exclusion", duration=duration),
            lambda: self.books[who].take_break(days, self.world.clock()),
        )

    @rule(who=who, wager=cents)
    def spin_while_suspended(self, who: int, wager: int) -> None:
        """Without interruptions: a suspended player can't be shown any figure."""
        self.suspend(who, is_suspended=True, trouble=None)
        self.spin(who, wager, False, None)
        self.suspend(who, is_suspended=False, trouble=None)

    def suspend(self, who: int, *, is_suspended: bool, trouble: Trouble | None) -> None:
        self.act(
            trouble,
            lambda: self.players[who].suspend(is_suspended=is_suspended),
            lambda: self.books[who].suspend(is_suspended=is_suspended),
        )

    @rule(who=who, prize=which, trouble=troubles)
    def sell(self, who: int, prize: int, trouble: Trouble | None) -> None:
        self.act_on_a_prize(who, prize, trouble, lambda player, n: player.move(n, "sell"), Books.sell)

    @rule(who=who, prize=which, trouble=troubles)
    def ask_for_shipping(self, who: int, prize: int, trouble: Trouble | None) -> None:
        self.act_on_a_prize(
            who, prize, trouble, lambda player, n: player.move(n, "ship"), Books.ask_for_shipping
        )

    @rule(who=who, prize=which, trouble=troubles)
    def ship(self, who: int, prize: int, trouble: Trouble | None) -> None:
        self.act_on_a_prize(who, prize, trouble, Player.ship, Books.ship)

    def act_on_a_prize(
        self,
        who: int,
        prize: int,
        trouble: Trouble | None,
        do: Callable[[Player, int], bool],
        keep: Callable[[Books, int], bool],
    ) -> None:
        """Act on one of the player's prizes, if there is one."""
        if count := len(self.books[who].prizes):
            number = prize % count
            self.act(trouble, lambda: do(self.players[who], number), lambda: keep(self.books[who], number))

    @rule(who=who, trouble=troubles)
    def claim(self, who: int, trouble: Trouble | None) -> None:
        self.act(trouble, lambda: self.players[who].post("/affiliate/claim"), self.books[who].claim)

    @rule(who=who, amount=cents, hours=hours, trouble=troubles)
    def lock(self, who: int, amount: int, hours: int, trouble: Trouble | None) -> None:
        deadline = self.world.clock() + hours * HOUR_MS
        self.act(
            trouble,
            lambda: self.players[who].post("/profile/vault/lock", amount=amount / 100, deadline=deadline),
            lambda: self.books[who].lock(amount, deadline),
        )

    @rule(who=who, trouble=troubles)
    def unlock(self, who: int, trouble: Trouble | None) -> None:
        self.act(
            trouble,
            lambda: self.players[who].post("/profile/vault/unlock"),
            lambda: self.books[who].unlock(self.world.clock()),
        )

    @rule(hours=hours)
    def time_passes(self, hours: int) -> None:
        self.world.clock.advance(ms=hours * HOUR_MS)

    def act(
        self,
        trouble: Trouble | None,
        do: Callable[[], bool],
        keep: Callable[[], bool],
        *,
        repeatable: bool = False,
    ) -> None:
        """Do an action, and do it in the books. An interrupted action is done in both or in neither.

        ``repeatable``: an action that is repeated after a lost answer is done once.
        """
        before = copy.deepcopy(self.books)
        expected = keep()
        answered = self.world.attempt(do, trouble and (trouble.kind, trouble.moment))
        if answered is not None:
            self.count(expected)
            assert answered == expected
            return
        fuse = self.world.fuse
        self.recover()
        if not fuse.committed:
            self.books = before
        if trouble.again and repeatable:
            # The settling statement of a refused bet commits nothing.
            expected = (fuse.committed and expected) or keep()
            self.world.counts["asked again"] += 1
            assert self.world.attempt(do, None) == expected

    def recover(self) -> None:
        """After an interruption."""
        fuse = self.world.fuse
        self.world.counts[f"{fuse.burnt}, {'done' if fuse.committed else 'undone'}"] += 1
        if fuse.burnt is InterruptionKind.DIES:
            self.world.rebuild()

    def count(self, expected: bool) -> None:
        self.world.counts["actions done" if expected else "actions refused"] += 1

    def new_name(self) -> str:
        self.deeds += 1
        return f"{self.prefix}-{self.deeds}"

    @invariant()
    def the_books_are_right(self) -> None:
        held = [(books.balance, books.vault, books.deadline) for books in self.books]
        assert self.world.held(self.players) == held
        assert self.world.wrong() == []
        house = self.world.house()
        house.subtract(self.house_before)
        kept = bookkeeping.house(self.books)
        assert {name: house[name] for name in kept} == kept

    @invariant()
    def every_figure_is_the_one_kept_by_hand(self) -> None:
        assert [self.shown(player) for player in self.players] == [self.kept(books) for books in self.books]
        assert self.shown_to_all() == self.kept_of_all()
        self.world.counts["checks"] += 1

    def shown(self, player: Player) -> dict[str, Any]:
        """All figures that a player can see."""
        me = player.get("/auth/me")
        affiliates = player.get("/affiliate/stats")
        limits = player.get("/limits")
        limits["pending"] = sorted((each["kind"], each["period"]) for each in limits["pending"])
        return {
            "me": {name: me[name] for name in self.books[0].me()},
            "affiliates": [(row["deposited"], row["withdraws"], row["earned"]) for row in affiliates],
            "overview": player.get("/affiliate/overview"),
            "totals": player.get("/stats/profile"),
            "payments": sorted((each["type"], each["amount"], each["status"]) for each in player.payments()),
            "prizes": [(prize["value"], prize["status"]) for prize in player.prizes()],
            "limits": limits,
            "summary": player.get("/limits/summary"),
            "counts": (
                player.get("/stats/games")["data"]["totalGames"],
                player.get("/stats/payments")["data"]["totalPayments"],
            ),
        }

    def kept(self, books: Books) -> dict[str, Any]:
        return {
            "me": books.me(),
            "affiliates": books.affiliates(),
            "overview": books.overview(),
            "totals": books.totals(),
            "payments": books.payment_list(),
            "prizes": books.prize_list(),
            "limits": books.shown_limits(self.world.clock()),
            "summary": books.summary(self.world.clock()),
            "counts": books.counts(),
        }

    def shown_to_all(self) -> tuple[Any, ...]:
        """Both leaderboards, and the numbers of bets and high rolls since the players joined."""
        boards = [self.world.client.get(f"/leaderboard?period={name}").json for name in ("weekly", "monthly")]
        return (
            *([(entry["username"], entry["wager"]) for entry in board] for board in boards),
            self.live_bets() - self.bets_before,
        )

    def live_bets(self) -> Counter[str]:
        kinds = ("live-bets", "high-rolls")
        feeds = {kind: self.world.client.get(f"/stats/live-bets?type={kind}").json for kind in kinds}
        return Counter({kind: feed["data"]["total"] for kind, feed in feeds.items()})

    def kept_of_all(self) -> tuple[Any, ...]:
        now = self.world.clock()
        return (
            bookkeeping.leaders(self.books, "weekly", now),
            bookkeeping.leaders(self.books, "monthly", now),
            bookkeeping.live_bets(self.books, now - PROOF_DELAY_MS),
        )

    def teardown(self) -> None:
        result = self.world.app.test_cli_runner().invoke(args=["fairness", "audit"])
        assert result.exit_code == 0, result.output
