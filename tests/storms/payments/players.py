"""The players of a storm of payments: each is a thread that deposits, withdraws and looks.

They use the public API, as a front end does, and the storm's seed decides what they do. What they remember
outlives every kill of the server, and shares nothing with the code under test.
"""

import itertools
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import requests

from tests.harness.players import Player
from tests.storms.payments.scene import Scene


class Kind(StrEnum):
    DEPOSIT = "deposit"
    WITHDRAWAL = "withdrawal"


ANSWER_SECONDS = 25
"""An invoice and a check may take ten seconds each."""

PATIENCE_SECONDS = 90
PAUSE_SECONDS = 0.2
THOUGHT_SECONDS = 1.2
METHODS = {Kind.DEPOSIT: "btcpay", Kind.WITHDRAWAL: "BTC-CHAIN"}
AT_ONCE = 3
LARGE_CENTS = 20_000
"""More than is approved automatically."""

LEAST_CENTS = 10
"""The wallet of BTCPay does not send what is a little more than the platform's minimum."""

SHARED_ADDRESSES = 2
REUSED = "Idempotency key was used for another request"

NEXT: Mapping[Kind, Mapping[str, set[str]]] = {
    Kind.DEPOSIT: {
        "created": {"pending", "failed"},
        "pending": {"confirming", "expired", "credited", "review", "failed"},
        "confirming": {"credited", "review", "failed"},
        "expired": {"review"},
        "failed": {"review"},
        "review": {"credited", "failed"},
        "credited": set(),
    },
    Kind.WITHDRAWAL: {
        "requested": {"approved", "rejected"},
        "approved": {"sending"},
        "sending": {"sent", "completed", "failed"},
        "sent": {"completed", "failed"},
        "completed": set(),
        "rejected": set(),
        "failed": set(),
    },
}
"""The steps between the statuses. A player may miss some of them."""


def may_follow(kind: Kind, before: str, after: str) -> bool:
    """Whether a row may have one status and later the other."""
    reached, ahead = {before}, [before]
    while ahead:
        new = NEXT[kind][ahead.pop()] - reached
        reached |= new
        ahead += new
    return after in reached


@dataclass
class Act:
    """One deposit or withdrawal that a player wants. No two of a player have the same amount.

    With an idempotency key it is repeated until it is answered, also by several requests at once.
    """

    kind: Kind
    cents: int
    key: str | None = None
    to: str = ""
    ids: set[str] = field(default_factory=set)
    """Of the rows that were answered."""

    errors: list[str] = field(default_factory=list)
    unavailable: int = 0
    """Answers 502 and 503. A row may have been made and have failed."""

    unknown: int = 0
    """Requests whose answer was lost."""

    attempts: int = 0


class Actor:
    """A player, who remembers everything that was requested and answered."""

    def __init__(self, scene: Scene, player: Player, *, began_with_cents: int) -> None:
        self.player = player
        self.began_with_cents = began_with_cents
        self.acts: list[Act] = []
        self._statuses: dict[tuple[Kind, str], str] = {}
        """The last known status of each deposit and withdrawal."""

        self._scene = scene
        self._random = scene.random(player.username)
        self._serials = itertools.count(1)
        self._small = 0

    def play(self) -> None:
        steps = [self.deposit, self.withdraw, self.look, self.look_at_list, self.reuse_key]
        while not self._scene.ending.is_set():
            self._scene.open.wait(PATIENCE_SECONDS)
            self._random.choices(steps, weights=[5, 5, 6, 1, 1])[0]()
            self._scene.ending.wait(self._random.uniform(0, THOUGHT_SECONDS))

    def deposit(self) -> None:
        for payment in self._do(Act(Kind.DEPOSIT, 1_000 + 7 * next(self._serials), self._new_key())):
            self._scene.to_pay.put((payment["id"], payment["checkoutUrl"]))

    def withdraw(self) -> None:
        """Mostly to an own address, sometimes to one that others use at the same time, or to none."""
        serial = next(self._serials)
        draw = self._random.random()
        cents, to = 500 + 3 * serial, self._scene.fake.address(f"{self.player.username}/{serial}")
        if draw < 0.15:
            to = self._scene.fake.address(f"shared {self._random.randrange(SHARED_ADDRESSES)}")
        elif draw < 0.20:
            cents += LARGE_CENTS
        elif draw < 0.23:
            to = f"no address {serial}"
        elif draw < 0.26 and serial // 10 > self._small:
            self._small += 1
            cents = LEAST_CENTS + self._small
        self._do(Act(Kind.WITHDRAWAL, cents, self._new_key(), to))

    def look(self) -> None:
        """Ask for a deposit or withdrawal that may have changed."""
        unfinished = [(kind, key) for (kind, key), status in self._statuses.items() if NEXT[kind][status]]
        if not unfinished:
            return
        kind, key = self._random.choice(unfinished)
        answer = self._get(f"/payments/{kind}s/{key}")
        if answer is not None and answer.status_code == 200:
            payment = answer.json()[kind]
            self._saw(kind, payment)
            if kind is Kind.DEPOSIT and payment["status"] == "pending":
                self._scene.to_pay.put((payment["id"], payment["checkoutUrl"]))
        elif answer is not None and answer.status_code < 500:
            self._contradict(f"{kind} {key} was answered with {answer.status_code}")

    def look_at_list(self) -> None:
        answer = self._get("/payments?limit=50")
        if answer is None or answer.status_code >= 500:
            return
        seen = [payment["id"] for payment in answer.json()["data"]["payments"]]
        if len(seen) != len(set(seen)):
            self._contradict("a list has a payment twice")

    def reuse_key(self) -> None:
        """Use the key of a withdrawal for another amount: that must be refused."""
        used = [act for act in self.acts if act.kind is Kind.WITHDRAWAL and act.key and act.ids]
        if not used:
            return
        act = self._random.choice(used)
        wrong = Act(act.kind, act.cents + 1, act.key, act.to)
        self._try(wrong)
        if wrong.ids or any(error != REUSED for error in wrong.errors):
            self._contradict(f"the key {act.key} was used for two amounts: {wrong.errors}")

    def _do(self, act: Act) -> list[Any]:
        """Send a request: once, or until it is answered if it has a key. Returns the row, if there is one."""
        self.acts.append(act)
        payments: list[Any] = []
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            payments += self._try_at_once(act) if act.key and self._random.random() < 0.3 else self._try(act)
            if act.key is None or payments or act.errors or time.monotonic() > until:
                break
            time.sleep(PAUSE_SECONDS)
            self._scene.open.wait(PATIENCE_SECONDS)
        if act.key and payments and self._random.random() < 0.3:
            self._try(act)
        return payments[:1]

    def _try_at_once(self, act: Act) -> list[Any]:
        """Send the same request several times at once. Returns the rows of the answers."""
        with ThreadPoolExecutor(AT_ONCE) as together:
            answers = list(together.map(lambda _: self._try(act, at_once=True), range(AT_ONCE)))
        return [payment for payments in answers for payment in payments]

    def _try(self, act: Act, *, at_once: bool = False) -> list[Any]:
        """Send a request. Returns the row of the answer, if there is one."""
        act.attempts += 1
        body = {"method": METHODS[act.kind], "amount": act.cents / 100}
        if act.kind is Kind.WITHDRAWAL:
            body["to"] = act.to
        headers = self.player.headers | ({"Idempotency-Key": act.key} if act.key else {})
        try:
            url = f"{self._scene.servers.url}/payments/{act.kind}s"
            answer = requests.post(url, json=body, headers=headers, timeout=ANSWER_SECONDS)
        except OSError:  # RequestException is one
            act.unknown += 1
            return []
        if answer.status_code in (200, 201):
            payment = answer.json()[act.kind]
            act.ids.add(payment["id"])
            if round(payment["amount"] * 100) != act.cents:
                self._contradict(f"{act.kind} of {act.cents} cents was answered with {payment['amount']}")
            if not at_once:
                # Of requests at once, the order of the answers is not known.
                self._saw(act.kind, payment)
            return [payment]
        if answer.status_code in (502, 503):
            act.unavailable += 1
        elif answer.status_code >= 500:
            act.unknown += 1
        else:
            act.errors.append(answer.json().get("error", answer.text))
        return []

    def _saw(self, kind: Kind, payment: Mapping[str, Any]) -> None:
        """Compare a status with the one that was seen before."""
        key, status = payment["id"], payment["status"]
        before = self._statuses.get((kind, key), status)
        self._statuses[kind, key] = status
        if not may_follow(kind, before, status):
            self._contradict(f"{kind} {key} was {before}, and then {status}")
        if kind is Kind.DEPOSIT and (payment["credited"] is not None) != (status == "credited"):
            self._contradict(f"deposit {key} is {status} and has credited {payment['credited']}")

    def _contradict(self, what: str) -> None:
        self._scene.problems.append(f"player {self.player.id}: {what}")

    def _get(self, path: str) -> requests.Response | None:
        try:
            url = f"{self._scene.servers.url}{path}"
            return requests.get(url, headers=self.player.headers, timeout=ANSWER_SECONDS)
        except OSError:
            return None

    def _new_key(self) -> str | None:
        """Half of the requests have a key."""
        key = f"{self.player.username}-{self._random.getrandbits(64):x}"
        return key if self._random.random() < 0.5 else None


def tally(actors: list[Actor]) -> Counter[str]:
    """Count the acts by kind and by how they ended."""
    counts: Counter[str] = Counter()
    for act in (act for actor in actors for act in actor.acts):
        end = "answered" if act.ids else "refused" if act.errors else "unknown"
        counts[f"{act.kind}s {end}"] += 1
    return counts
