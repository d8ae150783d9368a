"""Sends each proof to its player when it is due, and again until a client confirms it.

docs/architecture.md draws the states of a proof, which are stored with its bet. So a process may forget all
that it has in memory: another one, or this one after a restart, finds each proof by the row of its bet. A
process that is paused for six seconds counts as dead. Others claim what it holds, and what it releases later
changes nothing.
"""

import heapq
import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import NamedTuple

from models import proof_queries
from models.proof_queries import FOUND_AT_ONCE, Proof
from server.realtime.realtime import Event, Realtime
from server.realtime.repeated_task import RepeatedTask
from services.bets.settlement import SettledBet
from services.container import Services
from services.shared.background import in_slices, pause
from services.shared.signals import Signal
from sockets.live_feed import LiveFeed
from sockets.schemas import OpeningProofSchema, ProofSchema
from sockets.sent_proofs import SentProofs

log = logging.getLogger("platform.proofs")

ROUND_SECONDS = 0.05
"""Proofs that fall due within this time are sent together."""

PROOFS_AT_ONCE = 100
"""Proofs that are sent without a pause for other tasks; they take about 7 ms."""

TAKE_OVER_SECONDS = 2.0
"""Any process claims a bet that is later than this, since its own has stopped or is slow."""

OVERDUE_SECONDS = 1.0
"""A proof that is later than this counts as overdue in the metrics."""

LOOK_UP_SECONDS = 2.0
"""How often the database is asked for bets to take over. There are hardly ever any."""

BEFORE_START_SECONDS = 10.0
"""Bets that were due longer than this before the start are not announced: each new socket gets a list."""

STOP_SECONDS = 10.0
"""How long a stop waits for the round that is running. A round takes as long as its queries."""

PLAYERS_AT_ONCE = 2_000
"""Players in one query for undelivered proofs."""

SPIN_PROOF = ProofSchema()
OPENING_PROOF = OpeningProofSchema()


class Claim(NamedTuple):
    """A claim to make: when, by ``time.monotonic()``, and the socket to send the proof to, if it is known."""

    at: float
    sid: str | None
    holder: int | None = None
    """Who holds the proof, if it was claimed before."""


class ProofDelivery:
    """Claims proofs when they are due, sends them, and releases those that no client confirms.

    A bet of this process is ``_scheduled`` until its proof falls due, and is then in ``_due``. A proof that
    was claimed before, and that no client of its player has confirmed, is in ``_missed``. Both are claimed
    and sent. What was sent is in ``_sent`` until a client confirms it; then it is marked as delivered. If its
    sockets leave before that, it is in ``_to_release``; then any process may send it.

    One task does all of this in rounds. Work leaves a queue when the database has answered, so a round that
    fails is repeated. Delays go by ``time.monotonic()``: a change of the system's clock neither delays nor
    hastens a proof.
    """

    def __init__(self, realtime: Realtime, services: Services, live_feed: LiveFeed) -> None:
        self._realtime = realtime
        self._connections = realtime.connections
        self._services = services
        self._proofs = services.proofs
        self._live_feed = live_feed
        self._started_at = time.monotonic()
        self._looked_up_at: float | None = None
        # Bets that are not due yet, and the heap of the times at which to claim them.
        self._scheduled: dict[int, Claim] = {}
        self._claim_times: list[tuple[float, int]] = []
        # Bets to claim now: those that have fallen due, and then proofs that players have missed.
        self._due: dict[int, Claim] = {}
        self._missed: dict[int, Claim] = {}
        # Players whose missed proofs are to be looked up: all of them for a socket that has just connected,
        # and for None those that no live process holds.
        self._players: dict[int, str | None] = {}
        self._sent = SentProofs()
        # Claimed proofs that no socket here can confirm.
        self._to_release: dict[int, Proof] = {}
        self._undecryptable: set[int] = set()
        self.rounds = RepeatedTask(
            self._round,
            every_seconds=ROUND_SECONDS,
            on_failure="proofs delayed",
            logger=log,
            at_end=self._finish,
            stop_seconds=STOP_SECONDS,
        )

    def after_bet(self, sid: str, played: SettledBet) -> None:
        """Send this bet's proof when it is due: to this socket, or else to any of its player's."""
        self._schedule(played.bet.id, Claim(self._due_at(played.bet.proof_due_at_ms), sid))

    def joined(self, sid: str) -> None:
        """Send a socket that has just joined the player's proofs that were never confirmed."""
        user_id = self._connections.player_of(sid)
        if user_id is not None:
            self._players[user_id] = sid

    def look_for(self, user_ids: Iterable[int]) -> None:
        """Let the next round look for proofs of these players that no live process holds.

        Some of the players may have no socket here.
        """
        self._look_for({user_id: None for user_id in user_ids if self._connections.sids_of(user_id)})

    def look_for_connected(self) -> None:
        """Take over the proofs of stopped and paused processes, and those whose signal was lost."""
        self.look_for(self._connections.players())

    def answered_ping(self, sid: str, pinged_at: float) -> None:
        """Note as confirmed what was sent to this socket before this ping; the next round writes it."""
        self._sent.answered_ping(sid, pinged_at)

    def left(self, sid: str) -> None:
        """Release what this socket did not confirm: to the player's others, or until the next connection."""
        self._to_release.update((proof.id, proof) for proof in self._sent.left(sid))

    @property
    def scheduled(self) -> int:
        """How many bets have a proof that is not due yet."""
        return len(self._scheduled)

    @property
    def overdue(self) -> int:
        """How many proofs wait to be claimed or released although they are due. It is 0 most of the time."""
        before = time.monotonic() - OVERDUE_SECONDS
        late = sum(at < before for at, _ in list(self._claim_times))
        return late + len(self._due) + len(self._missed) + len(self._to_release)

    @property
    def unconfirmed(self) -> int:
        """How many proofs were sent and are not confirmed by a client yet."""
        return len(self._sent)

    @property
    def undecryptable(self) -> int:
        """How many proofs can't be sent because no key decrypts their seeds. The log names their bets."""
        return len(self._undecryptable)

    def _round(self) -> None:
        if self._looked_up_at is None or time.monotonic() - self._looked_up_at >= LOOK_UP_SECONDS:
            self._schedule_unclaimed()
            self._looked_up_at = time.monotonic()
        self._mark_delivered()
        self._send_due()
        self._find_missed()
        self._release()

    def _finish(self) -> None:
        """After the last round: release what is not confirmed by then."""
        try:
            self._mark_delivered()
            for sid in self._connections.sids():
                self.left(sid)
            self._release()
            self._services.log.append_waiting()
        except Exception:  # the others find what is held by a process that is not live
            log.exception("proofs not written")

    def _schedule_unclaimed(self) -> None:
        """Schedule bets that nobody has claimed: their commit was not answered, or their process has stopped.

        At the start these are all, so that a clock that was set back delays none, and later those that are
        late. The process that has settled a bet knows its socket, so it gets time to claim it first.
        """
        late = self._services.clock() - int(TAKE_OVER_SECONDS * 1000)
        found = proof_queries.unclaimed(due_by=None if self._looked_up_at is None else late)
        others_first = TAKE_OVER_SECONDS if self._services.signals.is_cluster else 0
        for bet_id, completed_at in in_slices(found, PROOFS_AT_ONCE):
            if bet_id not in self._scheduled and bet_id not in self._due:
                self._schedule(bet_id, Claim(self._due_at(completed_at) + others_first, None))

    def _schedule(self, bet_id: int, claim: Claim) -> None:
        self._scheduled[bet_id] = claim
        heapq.heappush(self._claim_times, (claim.at, bet_id))

    def _due_at(self, completed_at: int) -> float:
        """When a bet is due, by ``time.monotonic()``, so that later changes of the clock do not matter."""
        # A bet that is due later than any delay was settled before the clock was set back.
        ahead_ms = min(completed_at - self._services.clock(), self._services.settings.upgrader_proof_delay_ms)
        return time.monotonic() + ahead_ms / 1000

    def _mark_delivered(self) -> None:
        if confirmed := self._sent.confirmed():
            proof_queries.mark_delivered(confirmed, delivered_at=self._services.clock())
            self._sent.forget(confirmed)

    def _send_due(self) -> None:
        """Claim and send what is due, and announce the live bets that this process is the first to claim.

        What has just fallen due comes before missed proofs, of which there may be thousands. What falls due
        meanwhile waits for the next round: otherwise a round whose claims are slow would never end.
        """
        self._take_due()
        while self._due and not self.rounds.stopping.is_set():
            self._send_some(self._due)
        if self._missed and not self.rounds.stopping.is_set():
            self._send_some(self._missed)
            self.rounds.woken.set()

    def _send_some(self, queue: dict[int, Claim]) -> None:
        some = dict(islice(queue.items(), PROOFS_AT_ONCE))
        # After a claim that was not answered, the next round makes it again.
        claimed = self._proofs.claim({bet_id: claim.holder for bet_id, claim in some.items()})
        for bet_id in some:
            del queue[bet_id]
            # A missed proof may have been scheduled here, for a later time than that of the database.
            self._scheduled.pop(bet_id, None)
        first = [bet for bet in claimed if some[bet.id].holder is None]
        since = self._started_at - BEFORE_START_SECONDS
        try:
            self._live_feed.announce([bet for bet in first if some[bet.id].at >= since])
            self._send_claimed(claimed, some)
        except Exception:
            # Nobody would send what this process holds and does not remember.
            self._to_release.update((proof.id, proof) for proof in claimed if proof.server_seed)
            raise
        pause()

    def _take_due(self) -> None:
        now = time.monotonic()
        while self._claim_times and self._claim_times[0][0] <= now:
            _, bet_id = heapq.heappop(self._claim_times)
            # A bet whose settlement was answered late may be in the heap twice, or may have been found and
            # sent already.
            claim = self._scheduled.pop(bet_id, None)
            if claim is not None and bet_id not in self._sent:
                self._due[bet_id] = claim

    def _find_missed(self) -> None:
        """Look up the missed proofs of ``_players``, which the next round claims and sends."""
        if not self._players:
            return
        self.rounds.woken.set()
        players = {user_id: self._players.pop(user_id) for user_id in list(self._players)[:PLAYERS_AT_ONCE]}
        try:
            found = self._proofs.undelivered({user_id: sid is not None for user_id, sid in players.items()})
        except Exception:
            self._look_for(players)
            raise
        now = time.monotonic()
        for bet in found:
            if bet.id not in self._undecryptable:
                self._missed[bet.id] = Claim(now, players[bet.user_id], bet.held_by)
        if len(found) == FOUND_AT_ONCE:
            # There may be more, of the last player and of those after that one.
            last = found[-1].user_id
            self._look_for(
                {user_id: sid for user_id, sid in players.items() if user_id > last} | {last: None}
            )

    def _look_for(self, players: Mapping[int, str | None]) -> None:
        for user_id, sid in players.items():
            self._players[user_id] = self._players.get(user_id) or sid

    def _send_claimed(self, claimed: Iterable[Proof], claims: Mapping[int, Claim]) -> None:
        """Send each proof to its socket, or to all of its player's if that has gone."""
        to_send: defaultdict[str, list[Proof]] = defaultdict(list)
        for proof in claimed:
            if not proof.server_seed:
                self._undecryptable.add(proof.id)
                continue
            for receiver in self._receivers(proof, claims[proof.id].sid):
                to_send[receiver].append(proof)
        for receiver, proofs in to_send.items():
            self._realtime.send(receiver, [_event(proof) for proof in proofs])
            self._sent.add(receiver, proofs, sent_at=time.monotonic())
            if self._connections.player_of(receiver) is None:
                # Its end, or that of its token, came before the proofs were added, and did not report them.
                self.left(receiver)

    def _receivers(self, proof: Proof, sid: str | None) -> list[str]:
        """The sockets to send this proof to, without those that have it. It is released if there are none."""
        connected = self._connections.sids_of(proof.user_id)
        if not connected:
            self._to_release[proof.id] = proof
        return self._sent.without(proof.id, [sid] if sid in connected else connected)

    def _release(self) -> None:
        """Release what no socket here can confirm, and send all processes the ids of the players."""
        taken = [self._to_release.pop(bet_id) for bet_id in list(self._to_release)]
        # What was sent to another socket meanwhile is released only when that one leaves.
        proofs = {proof.id: proof for proof in taken if proof.id not in self._sent}
        if not proofs:
            return
        try:
            self._proofs.release({bet_id: proof.server_seed for bet_id, proof in proofs.items()})
        except Exception:
            self._to_release.update(proofs)
            raise
        players = sorted({proof.user_id for proof in proofs.values()})
        self.look_for(players)
        self._services.signals.publish(Signal.PROOFS, players)


def _event(proof: Proof) -> Event:
    schema = SPIN_PROOF if proof.snapshot is None else OPENING_PROOF
    return f"{proof.game}:proof", schema.dump(proof)
