"""Which proofs were sent to which sockets, and are not confirmed yet."""

import threading
from collections import defaultdict
from collections.abc import Iterable

from models.proof_queries import Proof


class SentProofs:
    """Proofs that were sent and are not yet marked as delivered in the database.

    A proof is confirmed when one of its sockets answers a ping that was sent after it. Times are of
    ``time.monotonic()``. Safe to use from several threads.
    """

    def __init__(self) -> None:
        # By socket and bet, with the time at which it was sent.
        self._by_socket: defaultdict[str, dict[int, tuple[Proof, float]]] = defaultdict(dict)
        self._sockets: defaultdict[int, set[str]] = defaultdict(set)
        # Server seeds by the ids of the bets.
        self._confirmed: dict[int, str] = {}
        self._guard = threading.Lock()

    def without(self, bet_id: int, sids: Iterable[str]) -> list[str]:
        """Those of these sockets that this proof was not sent to; none when it is confirmed."""
        if bet_id in self._confirmed:
            return []
        return [sid for sid in sids if sid not in self._sockets.get(bet_id, ())]

    def add(self, sid: str, proofs: Iterable[Proof], *, sent_at: float) -> None:
        """Add proofs that were sent to this socket before ``sent_at``."""
        with self._guard:
            for proof in proofs:
                self._by_socket[sid][proof.id] = proof, sent_at
                self._sockets[proof.id].add(sid)

    def answered_ping(self, sid: str, pinged_at: float) -> None:
        """A socket answered a ping that was queued at this time, and so has received what was sent before."""
        with self._guard:
            for proof, sent_at in list(self._by_socket.get(sid, {}).values()):
                if sent_at < pinged_at:
                    self._confirm(proof)

    def _confirm(self, proof: Proof) -> None:
        self._confirmed[proof.id] = proof.server_seed
        for sid in self._sockets.pop(proof.id):
            del self._by_socket[sid][proof.id]
            if not self._by_socket[sid]:
                del self._by_socket[sid]

    def left(self, sid: str) -> list[Proof]:
        """Forget a socket; returns the proofs that no other socket may still confirm."""
        lost = []
        with self._guard:
            for proof, _ in self._by_socket.pop(sid, {}).values():
                self._sockets[proof.id].discard(sid)
                if not self._sockets[proof.id]:
                    del self._sockets[proof.id]
                    lost.append(proof)
        return lost

    def confirmed(self) -> dict[int, str]:
        """The server seeds of the confirmed proofs, by the ids of their bets; kept until ``forget``."""
        with self._guard:
            return dict(self._confirmed)

    def forget(self, marked: Iterable[int]) -> None:
        """Forget these confirmed proofs, which have been marked as delivered."""
        with self._guard:
            for bet_id in marked:
                del self._confirmed[bet_id]

    def __contains__(self, bet_id: int) -> bool:
        return bet_id in self._sockets or bet_id in self._confirmed

    def __len__(self) -> int:
        return len(self._sockets) + len(self._confirmed)
