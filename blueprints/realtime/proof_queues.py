"""Which proofs are not due yet, and which have been sent without a confirmation from the client."""

import heapq
import itertools
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from services.clock import Millis
from services.upgrader.proofs import Proof


class ProofSchedule:
    """Bets that are not over yet, by their ids, with the sockets that placed them.

    A bet is due by the system clock, in ms, or by a monotonic timer, in seconds, whichever comes first.
    """

    def __init__(self) -> None:
        self._sids: dict[int, str | None] = {}
        self._by_clock: list[tuple[int, int]] = []
        self._by_timer: list[tuple[float, int]] = []
        # In order. A bet that is due stays here until it is taken.
        self._due: dict[int, None] = {}
        self._guard = threading.Lock()

    def add(self, bet_id: int, *, due_at_ms: int, due_at: float, sid: str | None) -> None:
        """Add a bet, or the socket of one that was added without."""
        with self._guard:
            if bet_id not in self._sids:
                heapq.heappush(self._by_clock, (due_at_ms, bet_id))
                heapq.heappush(self._by_timer, (due_at, bet_id))
            self._sids[bet_id] = sid or self._sids.get(bet_id)

    def due(self, *, now: Millis, timer: float) -> list[int]:
        """The bets that are due and have not been taken."""
        with self._guard:
            for heap, time in ((self._by_clock, now), (self._by_timer, timer)):
                while heap and heap[0][0] <= time:
                    _, bet_id = heapq.heappop(heap)
                    if bet_id in self._sids:
                        self._due[bet_id] = None
            return list(self._due)

    def take(self, bet_ids: Sequence[int]) -> dict[int, str | None]:
        """Remove these due bets; returns their sockets."""
        with self._guard:
            for bet_id in bet_ids:
                self._due.pop(bet_id, None)
            return {bet_id: self._sids.pop(bet_id) for bet_id in bet_ids}

    def seconds_ahead(self, *, now: Millis, timer: float) -> float | None:
        """Seconds until the next bet is due, 0 or less when one is overdue. None without any bet."""
        with self._guard:
            if not self._sids:
                return None
            if self._due:
                return 0
            for heap in (self._by_clock, self._by_timer):
                # Drop those that the other clock made due.
                while heap[0][1] not in self._sids:
                    heapq.heappop(heap)
            return min((self._by_clock[0][0] - now) / 1000, self._by_timer[0][0] - timer)

    def __len__(self) -> int:
        return len(self._sids)


@dataclass(slots=True, eq=False)
class SentProof:
    """A proof on its way to one or more sockets. ``sent_at`` is by ``time.monotonic()``."""

    bet_id: int
    nonce: int
    proof: Proof | None
    """Kept until its seed is written to the database; None afterwards, to save memory."""
    sent_at: float = float("inf")
    sids: set[str] = field(default_factory=set)


class UnconfirmedProofs:
    """Proofs that were sent and are not yet marked as delivered in the database.

    A proof is confirmed when one of its sockets acknowledges it, or answers a ping that was queued after it.
    When its last socket ends before that, it is undelivered. Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._by_bet: dict[int, SentProof] = {}
        self._by_socket: dict[str, dict[int, SentProof]] = {}
        self._unwritten: dict[int, SentProof] = {}
        self._confirmed: list[SentProof] = []
        self._guard = threading.Lock()

    def add(self, proof: Proof, sids: Sequence[str]) -> SentProof | None:
        """Add a proof that is about to be sent to these sockets.

        None when it need not be sent: it is confirmed, or these sockets were sent it already.
        """
        with self._guard:
            sent = self._by_bet.get(proof.bet_id)
            if sent is None:
                sent = SentProof(proof.bet_id, proof.nonce, proof)
                self._by_bet[proof.bet_id] = self._unwritten[proof.bet_id] = sent
            elif not sent.sids or sent.sids.issuperset(sids):
                return None
            # Nothing confirms it until it has been sent to these sockets as well.
            sent.sent_at = float("inf")
            sent.sids.update(sids)
            for sid in sids:
                self._by_socket.setdefault(sid, {})[proof.nonce] = sent
        return sent

    def acknowledged(self, sid: str, nonce: int) -> None:
        """A socket acknowledged the proof with this nonce. An unknown one is ignored."""
        with self._guard:
            sent = self._by_socket.get(sid, {}).get(nonce)
            if sent is not None:
                self._confirm([sent])

    def answered_ping(self, sid: str, pinged_at: float) -> None:
        """A socket answered a ping that was queued at this time, and so has what was sent before it."""
        with self._guard:
            received = self._by_socket.get(sid, {}).values()
            self._confirm([sent for sent in received if sent.sent_at < pinged_at])

    def socket_gone(self, sid: str) -> list[int]:
        """Forget a socket; returns the bets whose proofs no other socket may still confirm."""
        lost = []
        with self._guard:
            for sent in self._by_socket.pop(sid, {}).values():
                sent.sids.discard(sid)
                if not sent.sids:
                    lost.append(sent.bet_id)
                    self._unwritten.pop(sent.bet_id, None)
                    del self._by_bet[sent.bet_id]
        return lost

    def confirmed(self) -> list[SentProof]:
        """The proofs to mark as delivered; they stay here until ``forget``."""
        with self._guard:
            return list(self._confirmed)

    def unwritten(self, *, sent_before: float) -> list[Proof]:
        """Proofs that were sent before this time, unconfirmed, and whose seeds are to be written."""
        with self._guard:
            # In the order of sending.
            old = itertools.takewhile(lambda sent: sent.sent_at < sent_before, self._unwritten.values())
            return [sent.proof for sent in old if sent.proof is not None]

    def written(self, proofs: Sequence[Proof]) -> None:
        """The seeds of these proofs are in the database."""
        with self._guard:
            for proof in proofs:
                sent = self._unwritten.pop(proof.bet_id, None)
                if sent is not None:
                    sent.proof = None

    def forget(self, marked: Sequence[SentProof]) -> None:
        """These are marked as delivered in the database."""
        with self._guard:
            del self._confirmed[: len(marked)]
            for sent in marked:
                del self._by_bet[sent.bet_id]

    def __contains__(self, bet_id: int) -> bool:
        return bet_id in self._by_bet

    def __len__(self) -> int:
        return len(self._by_bet)

    def _confirm(self, received: Sequence[SentProof]) -> None:
        for sent in received:
            self._confirmed.append(sent)
            self._unwritten.pop(sent.bet_id, None)
            for sid in sent.sids:
                of_socket = self._by_socket[sid]
                del of_socket[sent.nonce]
                if not of_socket:
                    del self._by_socket[sid]
            sent.sids.clear()
