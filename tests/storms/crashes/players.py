"""The players of a crash storm: each socket has a thread that makes one request after the other.

The storm's seed and the socket's name decide which requests it makes. A player whose answer was lost with the
server connects again and repeats the request where a request id or a transaction hash makes that safe. The
outcome of a request that can't be repeated stays unknown.
"""

import itertools
import threading
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Any

import requests
import websocket
from flask import Flask

from models.db.connection import UNAVAILABLE
from models.payments import PaymentType
from models.users import User
from services.cases import irl as irl_importing
from services.payments import transfers as payments
from services.payments.transfers import Transfer
from services.rewards import grants
from services.rewards.free_openings import case_to_give
from services.shared.clock import now_ms
from services.shared.money import Cents
from tests.harness.cluster import Cluster
from tests.harness.players import Player, create_player, import_case, import_prices
from tests.harness.sockets import Closed, Refused, Socket
from tests.storms.crashes.memory import Act, ActKind, Memory, Outcome

PRICES = (2, 10, 20, 100)
CASE, IRL_CASE, CASE_CENTS = "box", "shelf", 400
"""Both cases cost the same: 95% of 4 coins is 0.775 * 2 + 0.225 * 10."""

REWARDS = 24
"""Of each player; every other one is a free opening."""

LOCKED_MS = 1500
"""Always the same: a deadline before the current one would be refused."""

GONE = (Closed, Refused, OSError, websocket.WebSocketException)
"""The errors of a socket while the server or its database is down."""

FAILED = "Something went wrong"
IN_PROGRESS = "A spin is already in progress"
CODE_USED = "You've already used a promo code."
NOTHING_TO_CLAIM = "There is nothing to claim"
PRIZE_GONE = "Prize is no longer available"
PATIENCE_SECONDS = 60
PAUSE_SECONDS = 0.1

PAUSED = "Battles are paused"
SEATS = {"1v1": 2, "1v1v1": 3, "2v2": 4}
MODES: tuple[dict[str, Any], ...] = (
    {"mode": "normal"},
    {"mode": "normal", "crazy": True, "terminal": True},
    {"mode": "jackpot"},
)
OPEN_AT_ONCE = 20
"""Battles that players look at when they want to join one."""


class NoAnswer(Exception):
    """The server did not answer for as long as a player waits."""


@dataclass
class StormState:
    """What the players share: the servers, and how many answers they have given."""

    app: Flask
    """On the same database as the servers, in this process."""
    servers: Cluster
    answers: int = 0
    open: threading.Event = field(default_factory=threading.Event)
    ending: threading.Event = field(default_factory=threading.Event)
    moved: threading.Condition = field(default_factory=threading.Condition)
    battles: deque[dict[str, Any]] | None = None
    """The newest battles, as they were created; None if the players have none."""

    def answered(self) -> None:
        with self.moved:
            self.answers += 1
            self.moved.notify_all()

    def wait_for_answers(self, count: int, *, seconds: float) -> None:
        """Return after this many more answers, or when the time is over."""
        with self.moved:
            wanted = self.answers + count
            self.moved.wait_for(lambda: self.answers >= wanted, seconds)


class PlayerSocket(Socket):
    """A socket that records its events in its player's memory."""

    def __init__(self, url: str, memory: Memory) -> None:
        self._memory = memory
        super().__init__(url, auth={"token": memory.player.token})

    def _event(self, packet: str) -> tuple[str, Any]:
        if packet.startswith('42["live-bets'):
            # Every socket receives every bet; parsing them would take most of the storm's time.
            return "live-bets", None
        event, payload = super()._event(packet)
        self._memory.hear(event, payload)
        return event, payload


class Actor:
    """One socket of a player, opened again whenever it ends, and the player's requests over HTTP."""

    def __init__(
        self, state: StormState, memory: Memory, *, name: str, seed: str, number: int = 0, of: int = 1
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
        self._own_battle: dict[str, Any] | None = None
        self._socket: PlayerSocket | None = None
        self._trouble = ""

    def play(self) -> None:
        """Make requests until the storm ends; an exception before is recorded as a contradiction."""
        steps = {
            self.spin: 50,
            self.open_case: 15,
            self.open_irl_case: 15,
            self.sell: 10,
            self.claim: 3,
            self.lock: 6,
            self.unlock: 6,
            self.repeat: 4,
            self.deposit: 3,
            self.invite: 3,
            self.limit: 3,
            self.take_break: 1,
            self.use_reward: 6,
        }
        if self._state.battles is not None:
            steps |= {self.create_battle: 5, self.join_battle: 12, self.leave_battle: 1, self.call_bot: 4}
        try:
            while not self._state.ending.is_set():
                # Without a server every request would only have an unknown outcome.
                self._state.open.wait(PATIENCE_SECONDS)
                self._random.choices([*steps], weights=[*steps.values()])[0]()
        except Exception as failure:  # noqa: BLE001  # a thread has nobody else to tell
            self._memory.contradict(f"socket {self._name} gave up: {failure!r}")
        finally:
            self._leave()

    # Bets

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

    def last_spin(self) -> Act:
        """Spin once more, and read all proofs that are left.

        Only a limit, a break or a stale spin lock can refuse the spin.
        """
        request = {"amount": Decimal("0.01"), "item": "Item of 2", "clientSeed": self._name}
        request["requestId"] = self._name
        act = self._memory.begin(Act(ActKind.SPIN, self._name, 1, request=request))
        self._send_bet(act)
        try:
            # The newest nonce is that of the next bet.
            while self._socket is not None and len(self._memory.proven) < self._memory.newest_nonce - 1:
                self._socket.next()
        except GONE:
            pass
        self._leave()
        return act

    def repeat(self) -> None:
        """Repeat an answered request: the answer must be the first one, whatever was killed since."""
        if not self._settled:
            return
        act = self._random.choice(self._settled)
        answer = self._emit(act)
        if answer == act.answer:
            self.repeated += 1
        elif answer is not None and answer.get("error") not in (IN_PROGRESS, FAILED):
            self._memory.contradict(f"request {act.key} was answered in two ways")

    def _bet(self, kind: ActKind, cents: int, request: dict[str, Any], *, game: str = "upgrader") -> Act:
        name = self._new_name()
        request["clientSeed"] = name
        if self._random.random() < 0.75:
            request["requestId"] = name
        if self._random.random() < 0.25 and (commitment := self._memory.newest_commitment()):
            request["serverSeedCommitment"] = commitment
        act = self._memory.begin(Act(kind, name, cents, game, request))
        self._send_bet(act)
        if act.outcome is Outcome.ACKNOWLEDGED and act.repeatable:
            self._settled.append(act)
        return act

    def _send_bet(self, act: Act) -> None:
        """Send a spin or an opening once; one with a request id until it is answered."""
        while True:
            answer = self._emit(act)
            error = FAILED if answer is None else answer.get("error")
            # After a lost answer, "in progress" may be about the first attempt of this same bet.
            if error != FAILED and not (act.attempts > 1 and error == IN_PROGRESS):
                act.answer = answer
                act.outcome = Outcome.ACKNOWLEDGED if answer["status"] else Outcome.REFUSED
                if answer["status"] and act.attempts == 1:
                    self._hear_what_follows(act)
                if error != IN_PROGRESS:
                    self._state.answered()
                # The spin lock has no queue: a socket that spins again at once would keep the others out.
                time.sleep(self._random.uniform(0, PAUSE_SECONDS))
                return
            if answer is not None:
                self._trouble = str(error)
            self._pause(act)
            if not act.repeatable:
                return

    def _emit(self, act: Act) -> Any:
        """Send a bet; returns the acknowledgement, or None when the socket ends."""
        act.attempts += 1
        try:
            if self._socket is None:
                self._socket = PlayerSocket(self._state.servers.url, self._memory)
            return self._socket.call(act.event, act.request)
        except GONE as gone:
            self._trouble = repr(gone)
            self._leave()
            return None

    def _hear_what_follows(self, act: Act) -> None:
        """Read the events after a bet, up to the next commitment, which the next bet may name."""
        try:
            if self._socket is not None:
                while self._socket.expect(f"{act.game}:pf")["clientSeed"] != act.request["clientSeed"]:
                    pass
                self._socket.expect("upgrader:commitment")
        except GONE:
            self._leave()

    def _leave(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    # Requests over HTTP

    def sell(self) -> None:
        """Sell the oldest prize of this socket, if there is one."""
        if self._prizes:
            act = self._memory.begin(Act(ActKind.SALE, self._prizes.pop(0)))
            self._send(act, f"/prizes/{act.key}/sell", repeated=True, done_before=PRIZE_GONE)

    def claim(self) -> None:
        self._send(self._memory.begin(Act(ActKind.CLAIM, "claim")), "/affiliate/claim")

    def use_reward(self) -> None:
        """Claim the next coins that staff have granted, or open the next case with a free opening."""
        try:
            reward, cents = self._memory.rewards.popleft()
        except IndexError:
            return
        if cents:
            act = self._memory.begin(Act(ActKind.REWARD, reward, cents))
            self._send(act, f"/rewards/{reward}/claim", repeated=True, done_before=NOTHING_TO_CLAIM)
        else:
            self._bet(ActKind.OPENING, 0, {"case": CASE, "reward": reward}, game="case")

    # Battles

    def create_battle(self) -> None:
        """Create a battle in the case, which others then may join."""
        teams = self._random.choice([*SEATS])
        request = {"cases": [{"case": CASE, "count": 2}], "teams": teams, "price": 2 * CASE_CENTS / 100}
        act = self._take_seat("/battles", request | self._random.choice(MODES))
        if act.outcome is Outcome.ACKNOWLEDGED:
            self._battles.append(act.answer)
            self._own_battle = act.answer

    def join_battle(self) -> None:
        if self._battles:
            battle = self._random.choice([*self._battles])
            seat = self._random.randrange(1, SEATS[battle["teams"]])
            self._take_seat(f"/battles/{battle['id']}/join", {"seat": seat, "price": battle["cost"]})

    def leave_battle(self) -> None:
        if self._battles:
            self.leave_battles([self._random.choice([*self._battles])["id"]])

    def leave_battles(self, battle_ids: Iterable[str]) -> None:
        """Leave these battles, and so cancel those that the player has created."""
        for battle_id in battle_ids:
            act = self._memory.begin(Act(ActKind.LEAVE, battle_id))
            self._send(act, f"/battles/{battle_id}/leave", repeated=True)

    def call_bot(self) -> None:
        """Call a bot into the newest battle of this socket, if a seat of it is free."""
        if battle := self._own_battle:
            act = self._memory.begin(Act(ActKind.BOT, battle["id"]))
            body = {"seat": self._random.randrange(1, SEATS[battle["teams"]])}
            self._send(act, f"/battles/{battle['id']}/bots", body, repeated=True)

    @property
    def _battles(self) -> deque[dict[str, Any]]:
        assert self._state.battles is not None
        return self._state.battles

    def _take_seat(self, path: str, request: dict[str, Any]) -> Act:
        name = self._new_name()
        act = self._memory.begin(Act(ActKind.SEAT, name))
        act.request = request | {"clientSeed": name, "requestId": name}
        self._send(act, path, act.request, repeated=True)
        return act

    def lock(self) -> None:
        """Lock an amount for a moment; a player never locks the same amount twice."""
        cents = next(self._amounts)
        body = {"amount": cents / 100, "deadline": now_ms() + LOCKED_MS}
        self._send(self._memory.begin(Act(ActKind.LOCK, str(cents), cents)), "/profile/vault/lock", body)

    def unlock(self) -> None:
        self._send(self._memory.begin(Act(ActKind.UNLOCK, "unlock")), "/profile/vault/unlock")

    def limit(self) -> None:
        """Let one of four players limit what is wagered in a month to an amount that the storm reaches."""
        if self._memory.user_id % 4 == 0:
            cents = self._random.randint(1_000, 10_000)
            body = {"kind": "wager", "period": "month", "value": cents / 100}
            act = self._memory.begin(Act(ActKind.LIMIT, "limit", cents))
            self._send(act, "/limits", body, method="PUT", repeated=True)

    def take_break(self) -> None:
        """Let another of four players take a break, which outlasts the storm."""
        if self._memory.user_id % 4 == 1:
            act = self._memory.begin(Act(ActKind.BREAK, "break"))
            self._send(act, "/limits/exclusion", {"duration": "24h"}, repeated=True)

    def invite(self) -> None:
        """Let a new user use the player's promo code and pay, of which the player earns a part."""
        try:
            newcomer = memory_of(create_player(self._state.app, self._new_name(), coins=0))
        except UNAVAILABLE:
            return
        self.newcomers.append(newcomer)
        act, path = newcomer.begin(Act(ActKind.CODE, self._memory.code)), "/affiliate/use-code"
        self._send(act, path, {"code": act.key}, by=newcomer, repeated=True, done_before=CODE_USED)
        self.deposit(newcomer)

    def deposit(self, payer: Memory | None = None) -> None:
        """Record a deposit as the operator's command does, repeated until it is recorded."""
        payer = payer or self._memory
        act = payer.begin(Act(ActKind.DEPOSIT, self._new_name(), self._random.randint(1, 2000)))
        user, transfer, usd = User(id=payer.user_id), Transfer(txhash=act.key), Cents(act.cents)
        while act.outcome is Outcome.UNKNOWN:
            act.attempts += 1
            try:
                payments.record(
                    user=user, type_=PaymentType.DEPOSIT, usd=usd, transfer=transfer, now=now_ms()
                )
                act.outcome = Outcome.ACKNOWLEDGED
            except UNAVAILABLE:
                self._pause(act)
        self._state.answered()

    def _send(
        self,
        act: Act,
        path: str,
        body: Any = None,
        *,
        method: str = "POST",
        by: Memory | None = None,
        repeated: bool = False,
        done_before: str = "",
    ) -> None:
        """Send a request of this player, or of another one, once or ``repeated`` until it is answered.

        ``done_before`` is the refusal that may follow a lost answer.
        """
        headers = (by or self._memory).headers
        while (answer := self._attempt(act, method, path, body, headers)) is None:
            self._pause(act)
            if not repeated:
                return
        act.answered_at_ms = now_ms()
        act.answer = answer.json()
        was_done = act.attempts > 1 and done_before in (act.answer.get("error"), act.answer.get("message"))
        # A limit that is not lower is only requested, and its answer is the request.
        done = answer.status_code == 200 and "confirmableAt" not in act.answer
        act.outcome = Outcome.ACKNOWLEDGED if done or was_done else Outcome.REFUSED
        self._state.answered()

    def _attempt(
        self, act: Act, method: str, path: str, body: Any, headers: dict[str, str]
    ) -> requests.Response | None:
        """Send a request; returns None when its outcome is unknown."""
        act.attempts += 1
        try:
            url = self._state.servers.url + path
            answer = requests.request(method, url, json=body, headers=headers, timeout=10)
        except OSError:  # RequestException is one
            return None
        # Nothing is wrong with a server that waits for beacons.
        return answer if answer.status_code < 500 or PAUSED in answer.text else None

    def _pause(self, act: Act) -> None:
        """Wait for a moment, and until there is a server.

        Raises NoAnswer after PATIENCE_SECONDS of such moments.
        """
        if act.attempts * PAUSE_SECONDS > PATIENCE_SECONDS:
            raise NoAnswer(f"{act.kind} {act.key} after {act.attempts} attempts, the last: {self._trouble}")
        time.sleep(PAUSE_SECONDS)
        self._state.open.wait(PATIENCE_SECONDS)

    def _new_name(self) -> str:
        return f"{self._name}-{next(self._serials)}"


def memory_of(player: Player) -> Memory:
    """The memory of a new player."""
    return Memory(player, began_with=player.user.balance_cents)


def grant_rewards(memory: Memory) -> None:
    """Grant coins and openings of the case to a player, as staff do."""
    for number in range(1, REWARDS + 1):
        given = {"coins": Cents(number)} if number % 2 else {"case": case_to_give(CASE)}
        reward = grants.grant(user_id=memory.user_id, reason="The storm", now=now_ms(), **given)
        memory.rewards.append((str(reward.id), given.get("coins", 0)))


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
