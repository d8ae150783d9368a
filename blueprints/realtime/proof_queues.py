"""Which proofs wait until they are due, and which were handed to a socket lately.

Both in the order of their times, so that a round takes as long as there are proofs in it. With 1,200 spins a
second 72,000 are of the last minute: to look at each twenty times a second took a fifth of the server.
"""

import heapq
import itertools
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from services.clock import Millis
from services.upgrader.proofs import Proof


class Waiting:
    """Bets that are not over, by their ids, and the sockets that asked for them.

    A bet is due by two clocks, of which the one that comes first counts: the system's, in ms, and a timer
    that nobody sets, in seconds.
    """

    def __init__(self) -> None:
        self._asked_by: dict[int, str | None] = {}
        self._by_clock: list[tuple[int, int]] = []
        self._by_timer: list[tuple[float, int]] = []
        # In order; what is due stays here until it is taken.
        self._due: dict[int, None] = {}

    def add(self, bet_id: int, *, due_at_ms: int, due_at: float, sid: str | None) -> None:
        """Once for each bet; a socket that asked is added to one that nobody had asked for."""
        if bet_id not in self._asked_by:
            heapq.heappush(self._by_clock, (due_at_ms, bet_id))
            heapq.heappush(self._by_timer, (due_at, bet_id))
        self._asked_by[bet_id] = sid or self._asked_by.get(bet_id)

    def due(self, *, now: Millis, timer: float) -> list[int]:
        """What is due, until it is taken."""
        for heap, time in ((self._by_clock, now), (self._by_timer, timer)):
            while heap and heap[0][0] <= time:
                _, bet_id = heapq.heappop(heap)
                if bet_id in self._asked_by:
                    self._due[bet_id] = None
        return list(self._due)

    def take(self, bet_ids: Sequence[int]) -> dict[int, str | None]:
        """No longer wait for these; the socket that asked for each."""
        for bet_id in bet_ids:
            self._due.pop(bet_id, None)
        return {bet_id: self._asked_by.pop(bet_id) for bet_id in bet_ids}

    def seconds_ahead(self, *, now: Millis, timer: float) -> float | None:
        """Until the next one is due, negative when it is overdue; None when none waits."""
        if not self._asked_by:
            return None
        if self._due:
            return 0
        for heap in (self._by_clock, self._by_timer):
            # The other clock came first.
            while heap[0][1] not in self._asked_by:
                heapq.heappop(heap)
        return min((self._by_clock[0][0] - now) / 1000, self._by_timer[0][0] - timer)

    def __len__(self) -> int:
        return len(self._asked_by)


@dataclass
class Sent:
    """What a socket was handed, and when by the timer; the proof itself until it is marked as delivered."""

    bet_id: int
    sid: str
    sent_at: float
    proof: Proof | None


class SentLately:
    """Proofs whose sockets may still turn out to be dead."""

    def __init__(self) -> None:
        self._by_bet: dict[int, Sent] = {}
        self._by_socket: dict[str, dict[int, Sent]] = {}
        self._unmarked: deque[Sent] = deque()

    def add(self, sent: Sent) -> None:
        # The last one sent is the last one in order.
        self._drop(sent.bet_id)
        self._by_bet[sent.bet_id] = sent
        self._by_socket.setdefault(sent.sid, {})[sent.bet_id] = sent
        self._unmarked.append(sent)

    def __contains__(self, bet_id: int) -> bool:
        return bet_id in self._by_bet

    def __len__(self) -> int:
        return len(self._by_bet)

    def to_socket(self, sid: str, *, since: float) -> list[int]:
        """The bets whose proofs this socket was handed after this time."""
        return [sent.bet_id for sent in self._by_socket.get(sid, {}).values() if sent.sent_at > since]

    def take_back(self, bet_ids: Sequence[int]) -> None:
        for bet_id in bet_ids:
            self._drop(bet_id)

    def unmarked(self, *, until: float) -> list[Proof]:
        """Those that were sent by this time and are still here, not marked as delivered yet."""
        sent_by_then = itertools.takewhile(lambda sent: sent.sent_at <= until, self._unmarked)
        return [sent.proof for sent in sent_by_then if sent.proof and self._by_bet.get(sent.bet_id) is sent]

    def mark(self, proofs: Sequence[Proof]) -> None:
        """These are marked as delivered."""
        for proof in proofs:
            sent = self._by_bet.get(proof.bet_id)
            if sent is not None:
                sent.proof = None
        while self._unmarked and self._is_settled(self._unmarked[0]):
            self._unmarked.popleft()

    def forget(self, *, until: float) -> None:
        """Those that were sent by this time, and are marked."""
        while self._by_bet:
            first = next(iter(self._by_bet.values()))
            if first.proof is not None or first.sent_at > until:
                break
            self._drop(first.bet_id)

    def _drop(self, bet_id: int) -> None:
        sent = self._by_bet.pop(bet_id, None)
        if sent is not None:
            of_socket = self._by_socket[sent.sid]
            del of_socket[bet_id]
            if not of_socket:
                del self._by_socket[sent.sid]

    def _is_settled(self, sent: Sent) -> bool:
        return sent.proof is None or self._by_bet.get(sent.bet_id) is not sent
