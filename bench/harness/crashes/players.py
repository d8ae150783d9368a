"""The players of a crash storm: each socket has a thread that makes one request after the other.

The storm's seed and the socket's name decide which requests it makes.
"""

import itertools
from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

from bench.harness.crashes.client import (
    CODE_USED,
    FAILED,
    IN_PROGRESS,
    PATIENCE_SECONDS,
    PRIZE_GONE,
    PlayerClient,
    StormState,
)
from bench.harness.crashes.memory import Act, ActKind, Memory, Outcome
from bench.harness.players import Player, create_player, import_case, import_prices
from models.db.connection import UNAVAILABLE
from services.cases.irl import importing as irl_importing
from services.shared.clock import now_ms

PRICES = (2, 10, 20, 100)
CASE, IRL_CASE, CASE_CENTS = "box", "shelf", 400
"""Both cases cost the same: 95% of 4 coins is 0.775 * 2 + 0.225 * 10."""

LOCKED_MS = 1500
"""Always the same: a deadline before the current one would be refused."""


class Actor:
    """One socket of a player, and its requests over the socket and over HTTP."""

    def __init__(
        self, state: StormState, memory: Memory, *, name: str, number: int, of: int, seed: str
    ) -> None:
        self.newcomers: list[Memory] = []
        self.repeated = 0
        self._state = state
        self._memory = memory
        self._name = name
        self._amounts = itertools.count(number + 1, of)
        self._serials = itertools.count(1)
        self._random = Random(f"{seed}/{name}")
        self._settled: list[Act] = []
        self._prizes: list[str] = []
        self._client = PlayerClient(state, memory)

    def play(self) -> None:
        """Make requests until the storm ends; an exception before is recorded as a contradiction."""
        steps: list[Callable[[], None]] = [
            self.spin,
            self.open_case,
            self.open_irl_case,
            self.sell,
            self.claim,
            self.lock,
            self.unlock,
            self.repeat,
            self.deposit,
            self.invite,
            self.limit,
            self.take_break,
        ]
        try:
            while not self._state.ending.is_set():
                # Without a server every request would only have an unknown outcome.
                self._state.open.wait(PATIENCE_SECONDS)
                self._random.choices(steps, weights=[50, 15, 15, 10, 3, 6, 6, 4, 3, 3, 3, 1])[0]()
        except Exception as failure:  # noqa: BLE001  # a thread has nobody else to tell
            self._memory.contradict(f"socket {self._name} gave up: {failure!r}")
        finally:
            self._client.leave()

    def spin(self) -> None:
        """Spin with a new client seed; three of four spins have a request id and can be repeated."""
        wager = self._random.randint(1, 150)
        request = {"amount": Decimal(wager) / 100, "item": f"Item of {self._random.choice(PRICES)}"}
        self._bet(ActKind.SPIN, wager, request)

    def open_case(self) -> None:
        self._bet(ActKind.OPENING, CASE_CENTS, {"case": CASE}, game="case")

    def open_irl_case(self) -> None:
        act = self._bet(ActKind.OPENING, CASE_CENTS, {"case": IRL_CASE}, game="irl")
        if act.outcome is Outcome.ACKNOWLEDGED:
            self._prizes.append(act.answer["result"]["prizeId"])

    def sell(self) -> None:
        """Sell the oldest prize of this socket, if there is one."""
        if self._prizes:
            act = self._memory.begin(Act(ActKind.SALE, self._prizes.pop(0)))
            self._client.send(act, f"/prizes/{act.key}/sell", repeated=True, done_before=PRIZE_GONE)

    def claim(self) -> None:
        act = self._memory.begin(Act(ActKind.CLAIM, "claim"))
        self._client.send(act, "/affiliate/claim")

    def _bet(self, kind: ActKind, cents: int, request: dict[str, Any], *, game: str = "upgrader") -> Act:
        name = self._new_name()
        request["clientSeed"] = name
        if self._random.random() < 0.75:
            request["requestId"] = name
        if self._random.random() < 0.25 and (commitment := self._memory.newest_commitment()):
            request["serverSeedCommitment"] = commitment
        act = self._memory.begin(Act(kind, name, cents, game, request))
        self._client.bet(act)
        if act.outcome is Outcome.ACKNOWLEDGED and act.repeatable:
            self._settled.append(act)
        return act

    def last_spin(self) -> Act:
        """Spin once more, and read all proofs that are left.

        Only a limit, a break or a stale spin lock can refuse the spin.
        """
        request = {"amount": Decimal("0.01"), "item": "Item of 2", "clientSeed": self._name}
        act = self._memory.begin(
            Act(ActKind.SPIN, self._name, 1, request=request | {"requestId": self._name})
        )
        self._client.bet(act)
        # The newest nonce is that of the next bet.
        self._client.hear_proofs(self._memory.newest_nonce - 1)
        self._client.leave()
        return act

    def repeat(self) -> None:
        """Repeat an answered request: the answer must be the first one, whatever was killed since."""
        if not self._settled:
            return
        act = self._random.choice(self._settled)
        answer = self._client.emit(act)
        if answer == act.answer:
            self.repeated += 1
        elif answer is not None and answer.get("error") not in (IN_PROGRESS, FAILED):
            self._memory.contradict(f"request {act.key} was answered in two ways")

    def lock(self) -> None:
        """Lock an amount for a moment; a player never locks the same amount twice."""
        cents = next(self._amounts)
        body = {"amount": cents / 100, "deadline": now_ms() + LOCKED_MS}
        act = self._memory.begin(Act(ActKind.LOCK, str(cents), cents))
        self._client.send(act, "/profile/vault/lock", body)

    def unlock(self) -> None:
        act = self._memory.begin(Act(ActKind.UNLOCK, "unlock"))
        self._client.send(act, "/profile/vault/unlock")

    def deposit(self, payer: Memory | None = None) -> None:
        payer = payer or self._memory
        act = payer.begin(Act(ActKind.DEPOSIT, self._new_name(), self._random.randint(1, 2000)))
        self._client.record(act, payer)

    def limit(self) -> None:
        """Let one of four players limit what is wagered in a month to an amount that the storm reaches."""
        if self._memory.user_id % 4 == 0:
            cents = self._random.randint(1_000, 10_000)
            body = {"kind": "wager", "period": "month", "value": cents / 100}
            act = self._memory.begin(Act(ActKind.LIMIT, "limit", cents))
            self._client.send(act, "/limits", body, method="PUT", repeated=True)

    def take_break(self) -> None:
        """Let another of four players take a break, which outlasts the storm."""
        if self._memory.user_id % 4 == 1:
            act = self._memory.begin(Act(ActKind.BREAK, "break"))
            self._client.send(act, "/limits/exclusion", {"duration": "24h"}, repeated=True)

    def invite(self) -> None:
        """Let a new user use the player's promo code and pay, of which the player earns a part."""
        try:
            newcomer = memory_of(create_player(self._state.app, self._new_name(), coins=0))
        except UNAVAILABLE:
            return
        self.newcomers.append(newcomer)
        act, path = newcomer.begin(Act(ActKind.CODE, self._memory.code)), "/affiliate/use-code"
        self._client.send(act, path, {"code": act.key}, by=newcomer, repeated=True, done_before=CODE_USED)
        self.deposit(newcomer)

    def _new_name(self) -> str:
        return f"{self._name}-{next(self._serials)}"


def memory_of(player: Player) -> Memory:
    """The memory of a new player."""
    return Memory(player, began_with=player.user.balance_cents)


def import_items() -> None:
    """Import the items that the players spin for, and the cases that they open."""
    import_prices({f"Item of {price}": price for price in PRICES})
    import_case("Box", {"Item of 2": 77.5, "Item of 10": 22.5})
    prizes = [
        {"name": "Lamp", "image": "", "price": 10, "percentage": 20},
        {"name": "Pen", "image": "", "price": 1, "percentage": 80},
    ]
    shelf = {"id": IRL_CASE, "name": "Shelf", "price": CASE_CENTS // 100, "items": prizes}
    irl_importing.import_cases([shelf], now=now_ms())
