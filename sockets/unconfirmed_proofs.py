"""Which proofs were sent, and are not confirmed by a client yet."""

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from services.games.proofs import Proof


@dataclass(slots=True, eq=False)
class SentProof:
    """A proof on its way to one or more sockets. ``sent_at`` is by ``time.monotonic()``."""

    proof: Proof = field(repr=False)
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
        # Server seeds by the ids of the bets.
        self._confirmed: dict[int, str] = {}
        self._guard = threading.Lock()

    def add(self, proof: Proof, sids: Sequence[str]) -> SentProof | None:
        """Add a proof that is about to be sent to these sockets.

        None when it need not be sent: it is confirmed, or was sent to these sockets already.
        """
        with self._guard:
            sent = self._by_bet.get(proof.id)
            if sent is None:
                sent = SentProof(proof)
                self._by_bet[proof.id] = sent
            elif not sent.sids or sent.sids.issuperset(sids):
                return None
            # Nothing confirms it until it has been sent to these sockets as well.
            sent.sent_at = float("inf")
            sent.sids.update(sids)
            for sid in sids:
                self._by_socket.setdefault(sid, {})[proof.nonce] = sent
        return sent

    def acknowledged(self, sid: str, nonce: int) -> bool:
        """A socket acknowledged the proof with this nonce. False for one that it need not confirm."""
        with self._guard:
            sent = self._by_socket.get(sid, {}).get(nonce)
            if sent is not None:
                self._confirm([sent])
        return sent is not None

    def answered_ping(self, sid: str, pinged_at: float) -> None:
        """A socket answered a ping that was queued at this time, and so has received what was sent before."""
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
                    lost.append(sent.proof.id)
                    del self._by_bet[sent.proof.id]
        return lost

    def seeds(self) -> dict[int, str]:
        """The server seeds of all these proofs, by the ids of their bets."""
        with self._guard:
            return {bet_id: sent.proof.server_seed for bet_id, sent in self._by_bet.items()}

    def confirmed(self) -> dict[int, str]:
        """The server seeds of the confirmed proofs, by the ids of their bets; kept until ``forget``."""
        with self._guard:
            return dict(self._confirmed)

    def forget(self, marked: Iterable[int]) -> None:
        """Forget these confirmed proofs, which have been marked as delivered."""
        with self._guard:
            for bet_id in marked:
                del self._confirmed[bet_id], self._by_bet[bet_id]

    def __contains__(self, bet_id: int) -> bool:
        return bet_id in self._by_bet

    def __len__(self) -> int:
        return len(self._by_bet)

    def _confirm(self, received: Sequence[SentProof]) -> None:
        for sent in received:
            self._confirmed[sent.proof.id] = sent.proof.server_seed
            for sid in sent.sids:
                of_socket = self._by_socket[sid]
                del of_socket[sent.proof.nonce]
                if not of_socket:
                    del self._by_socket[sid]
            sent.sids.clear()
