"""The records of a crash storm's players: their requests, the answers, commitments and proofs.

The clients keep them, so they survive every kill of the server. Shares nothing with the code under test.
"""

import hashlib
import threading
from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from services.shared.clock import now_ms
from tests.harness.players import Player


class Outcome(StrEnum):
    """What a player knows about a request. UNKNOWN: the answer was lost with the server."""

    ACKNOWLEDGED = "acknowledged"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class ActKind(StrEnum):
    SPIN = "spin"
    OPENING = "opening"
    SALE = "prize sale"
    CLAIM = "claim"
    LOCK = "vault lock"
    UNLOCK = "vault unlock"
    DEPOSIT = "deposit"
    CODE = "promo code"
    LIMIT = "limit"
    BREAK = "break"
    SEAT = "seat"
    LEAVE = "leave"
    BOT = "bot"
    REWARD = "reward"


@dataclass
class Act:
    """One request of a player, which is repeated if it has a request id.

    ``key`` identifies its rows in the database: a bet's client seed, a prize's id, a lock's amount, a
    deposit's txhash, a seat's request id, a reward's id. ``cents`` is what it takes from the balance, what a
    deposit or a reward adds, or a limit on the wagers of a month. ``game`` is that of a bet.
    """

    kind: ActKind
    key: str
    cents: int = 0
    game: str = "upgrader"
    request: dict[str, Any] = field(default_factory=dict)
    outcome: Outcome = Outcome.UNKNOWN
    answer: Any = None
    answered_at_ms: int = 0
    attempts: int = 0

    @property
    def repeatable(self) -> bool:
        return "requestId" in self.request

    @property
    def event(self) -> str:
        """The event that makes this bet."""
        return "upgrader:spin" if self.kind is ActKind.SPIN else f"{self.game}:open"


@dataclass
class Memory:
    """One player: the account, first balance, and everything that was requested and received since."""

    player: Player
    began_with: int = 0
    code: str = ""
    rewards: deque[tuple[str, int]] = field(default_factory=deque)
    """What staff have granted and nobody has asked for yet: the id, and the cents, 0 for an opening."""
    acts: list[Act] = field(default_factory=list)
    announced: dict[int, str] = field(default_factory=dict)
    proven: dict[int, str] = field(default_factory=dict)
    proven_at_ms: dict[int, int] = field(default_factory=dict)
    """When a socket received the proof of each nonce."""
    contradictions: list[str] = field(default_factory=list)
    newest_nonce: int = 0
    _guard: threading.Lock = field(default_factory=threading.Lock)

    @property
    def user_id(self) -> int:
        return self.player.id

    @property
    def headers(self) -> dict[str, str]:
        return self.player.headers

    def begin(self, act: Act) -> Act:
        with self._guard:
            self.acts.append(act)
        return act

    def newest_commitment(self) -> str | None:
        """The newest commitment that any socket of the player has received."""
        with self._guard:
            return self.announced.get(self.newest_nonce)

    def hear(self, event: str, payload: Any) -> None:
        """Record an event of a socket, and a contradiction to an earlier one."""
        name = event.partition(":")[2]
        if name in ("commitment", "pf"):
            self._announced(payload["nonce"], payload["serverSeedCommitment"])
        elif name == "proof":
            self._announced(payload["nonce"], payload["serverSeedCommitment"])
            self.prove(payload["nonce"], payload["serverSeed"])

    def prove(self, nonce: int, server_seed: str) -> None:
        """Compare a revealed seed with the commitment that was announced for its nonce."""
        with self._guard:
            self.proven_at_ms.setdefault(nonce, now_ms())
            announced = self.announced.get(nonce)
            if announced not in (None, hashlib.sha256(server_seed.encode()).hexdigest()):
                self._contradiction(f"the seed of nonce {nonce} does not hash to what was announced")
            if self.proven.setdefault(nonce, server_seed) != server_seed:
                self._contradiction(f"two seeds were revealed for nonce {nonce}")

    def contradict(self, what: str) -> None:
        with self._guard:
            self._contradiction(what)

    def _announced(self, nonce: int, commitment: str) -> None:
        with self._guard:
            if self.announced.setdefault(nonce, commitment) != commitment:
                self._contradiction(f"nonce {nonce} was announced with two commitments")
            self.newest_nonce = max(self.newest_nonce, nonce)

    def _contradiction(self, what: str) -> None:
        self.contradictions.append(what)
