"""Sends each proof to its player when it is due, and again until a client confirms it.

docs/architecture.md draws the states of a proof. The database knows them. So a process may forget all that it
has in memory: another one, or this one after a restart, finds each proof by the row of its bet.
"""

import heapq
import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import NamedTuple

import peewee

from models import proof_queries
from models.bets import Bet
from models.proof_queries import FOUND_AT_ONCE, UndeliveredBet
from server.realtime.repeated_task import RepeatedTask
from server.realtime.server import Event, Realtime
from services.container import Services
from services.games.bet_settler import SettledBet
from services.games.proofs import BATCH, Proof
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

OVERDUE_SECONDS = 2.0
"""Any process claims a bet that is later than this, since its own has stopped or is slow."""

LATE_SECONDS = 1.0
"""How late a scheduled proof counts as overdue in the metrics."""

BEFORE_START_SECONDS = 10.0
"""Bets that were due longer than this before the start are not announced: each new socket gets a list."""

STOP_SECONDS = 10.0
"""How long a stop waits for the round that is running. A round takes as long as its queries."""

PLAYERS_AT_ONCE = 2_000
"""Players in one query for undelivered proofs."""

WATCH_SECONDS = 10.0
"""How often the database is compared with the record of the seeds that were revealed."""

ANY_SOCKET = "any"
"""In place of a socket: all of a player's undelivered proofs are wanted, for all of the player's sockets."""

SPIN_PROOF = ProofSchema()
OPENING_PROOF = OpeningProofSchema()


class Scheduled(NamedTuple):
    """When a proof is due, by ``time.monotonic()``, and the socket that placed the bet, if it is known."""

    due_at: float
    sid: str | None


class ProofDelivery:
    """Claims proofs when they are due, sends them, and releases those that no client confirms.

    One task does all of this in rounds. Work leaves a queue when the database has answered, so a round that
    fails is repeated. Delays go by ``time.monotonic()``: a change of the system's clock neither delays nor
    hastens a proof.
    """

    look_up_seconds = 2.0
    """How often the database is asked for overdue bets. There are hardly ever any."""

    def __init__(self, running: Realtime, services: Services, live_feed: LiveFeed) -> None:
        self._running = running
        self._connections = running.connections
        self._services = services
        self._proofs = services.proofs
        self._live_feed = live_feed
        self._started_at = time.monotonic()
        self._looked_up_at: float | None = None
        # Bets that are not due yet, and the heap of the times at which to claim them.
        self._scheduled: dict[int, Scheduled] = {}
        self._claim_times: list[tuple[float, int]] = []
        # Bets to claim now.
        self._due: dict[int, Scheduled] = {}
        # Players whose undelivered proofs are to be looked up: with a socket that has just connected or
        # ANY_SOCKET all of them, with None those that no live process holds.
        self._players: dict[int, str | None] = {}
        self._sent = SentProofs()
        # Claimed proofs that no socket here can confirm.
        self._lost: dict[int, Proof] = {}
        self._undecryptable: set[int] = set()
        self.rounds = RepeatedTask(
            self._round,
            every_seconds=ROUND_SECONDS,
            on_failure="proofs delayed",
            logger=log,
            at_end=self._finish,
            stop_seconds=STOP_SECONDS,
        )

    def schedule(self, bet: Bet, *, sid: str | None) -> None:
        """Send this bet's proof when it is due: to this socket, or else to any of its player's."""
        if bet.id not in self._sent:
            due_at = self._due_at(bet.completed_at_ms)
            self._schedule(bet.id, Scheduled(due_at, sid), claim_at=due_at)

    def after_bet(self, sid: str, played: SettledBet) -> None:
        """Send this bet's proof when it is due: to this socket, or else to any of its player's."""
        self.schedule(played.bet, sid=sid)

    def joined(self, sid: str) -> None:
        """Send a socket that has just joined the player's proofs that were never confirmed."""
        user_id = self._connections.player_of(sid)
        if user_id is not None:
            self._players[user_id] = sid

    def note_players(self, user_ids: Iterable[int]) -> None:
        """Look for released proofs of these players, of whom some may have no socket here."""
        for user_id in user_ids:
            self._players.setdefault(user_id, None)

    def note_connected(self) -> None:
        """Look for released proofs of all players with sockets here, after a signal may have been lost."""
        self.note_players(self._connections.players())

    def answered_ping(self, sid: str, pinged_at: float) -> None:
        """Mark as delivered what was sent to this socket before this ping."""
        self._sent.answered_ping(sid, pinged_at)

    def left(self, sid: str) -> None:
        """Release what this socket did not confirm: to the player's others, or until the next connection."""
        self._lost.update((proof.id, proof) for proof in self._sent.left(sid))

    @property
    def scheduled(self) -> int:
        """How many bets have a proof that is not due yet."""
        return len(self._scheduled)

    @property
    def overdue(self) -> int:
        """How many proofs wait to be claimed or released although they are due. It is 0 most of the time."""
        before = time.monotonic() - LATE_SECONDS
        late = sum(claim_at < before for claim_at, _ in list(self._claim_times))
        return late + len(self._due) + len(self._lost)

    @property
    def unconfirmed(self) -> int:
        """How many proofs were sent and are not confirmed by a client yet."""
        return len(self._sent)

    @property
    def undecryptable(self) -> int:
        """How many proofs can't be sent because no key decrypts their seeds. The log names their bets."""
        return len(self._undecryptable)

    def _round(self) -> None:
        if self._looked_up_at is None or time.monotonic() - self._looked_up_at >= self.look_up_seconds:
            self._look_up()
            self._looked_up_at = time.monotonic()
        self._mark_delivered()
        self._send_due()
        self._send_to_players()
        self._release_lost()

    def _finish(self) -> None:
        """After the last round: release what is not confirmed by then."""
        try:
            self._mark_delivered()
            for sid in self._connections.sids():
                self.left(sid)
            self._release_lost()
            self._services.seeds.witness.cover_all()
        except Exception:  # the others find what is held by a process that is not live
            log.exception("proofs not written")

    def _look_up(self) -> None:
        """Schedule bets that nobody has claimed: their commit was not answered, or their process has stopped.

        At the start these are all, so that a clock that was set back delays none, and later those that are
        overdue. The process that has settled a bet knows its socket, so it gets time to claim it first.
        """
        overdue = self._services.clock() - int(OVERDUE_SECONDS * 1000)
        found = proof_queries.unclaimed(due_by=None if self._looked_up_at is None else overdue)
        for bet_id, completed_at in in_slices(found, PROOFS_AT_ONCE):
            if bet_id not in self._scheduled and bet_id not in self._due:
                due_at = self._due_at(completed_at)
                self._schedule(bet_id, Scheduled(due_at, None), claim_at=due_at + OVERDUE_SECONDS)

    def _schedule(self, bet_id: int, scheduled: Scheduled, *, claim_at: float) -> None:
        self._scheduled[bet_id] = scheduled
        heapq.heappush(self._claim_times, (claim_at, bet_id))

    def _due_at(self, completed_at: int) -> float:
        """When a bet is due, by ``time.monotonic()``, so that later changes of the clock do not matter."""
        # A bet that is due later than any delay was settled before the clock was set back.
        ahead_ms = min(completed_at - self._services.clock(), self._services.settings.upgrader_proof_delay_ms)
        return time.monotonic() + ahead_ms / 1000

    def _take_due(self) -> None:
        now = time.monotonic()
        while self._claim_times and self._claim_times[0][0] <= now:
            _, bet_id = heapq.heappop(self._claim_times)
            # A bet whose settlement was answered late may be in the heap twice.
            if scheduled := self._scheduled.pop(bet_id, None):
                self._due[bet_id] = scheduled

    def _mark_delivered(self) -> None:
        if confirmed := self._sent.confirmed():
            self._proofs.mark_delivered(confirmed, now=self._services.clock())
            self._sent.forget(confirmed)

    def _send_due(self) -> None:
        """Claim and send what is due, and announce the live bets of what was claimed."""
        self._take_due()
        while self._due and not self.rounds.stopping.is_set():
            some = dict(islice(self._due.items(), PROOFS_AT_ONCE))
            claimed = self._proofs.claim(dict.fromkeys(some))
            for bet_id in some:
                del self._due[bet_id]
            since = self._started_at - BEFORE_START_SECONDS
            self._live_feed.announce([bet for bet in claimed if some[bet.id].due_at >= since])
            self._send(claimed, {bet_id: scheduled.sid for bet_id, scheduled in some.items()})
            pause()
            self._take_due()

    def _send_to_players(self) -> None:
        """Claim and send undelivered proofs of the players that were noted."""
        players = self._take_players()
        try:
            self._send_undelivered(players)
        except Exception:
            # The claim may have been made although it was not answered, so all are wanted.
            self._note_again({user_id: sid or ANY_SOCKET for user_id, sid in players.items()})
            raise
        if self._players:
            self.rounds.woken.set()

    def _note_again(self, players: Mapping[int, str | None]) -> None:
        for user_id, sid in players.items():
            self._players[user_id] = self._players.get(user_id) or sid

    def _take_players(self) -> dict[int, str | None]:
        """Take the first noted players from the queue, without those who have no socket here."""
        taken = {user_id: self._players.pop(user_id) for user_id in list(self._players)[:PLAYERS_AT_ONCE]}
        return {user_id: sid for user_id, sid in taken.items() if self._connections.sids_of(user_id)}

    def _send_undelivered(self, players: Mapping[int, str | None]) -> None:
        for some in peewee.chunked(self._find_undelivered(players), PROOFS_AT_ONCE):
            if self.rounds.stopping.is_set():
                return
            claimed = self._proofs.claim({bet.id: bet.held_by for bet in some})
            self._send(claimed, {bet.id: players[bet.user_id] for bet in some})
            pause()
            # A player may have missed thousands.
            self._send_due()

    def _find_undelivered(self, players: Mapping[int, str | None]) -> list[UndeliveredBet]:
        if not players:
            return []
        of_all = {user_id for user_id, sid in players.items() if sid is not None}
        found = self._proofs.undelivered(players, of_all=of_all)
        if len(found) == FOUND_AT_ONCE:
            # There may be more, of the last player and of those after that one.
            last = found[-1].user_id
            rest = {user_id: sid for user_id, sid in players.items() if user_id > last}
            self._note_again(rest | {last: None})
        return [bet for bet in found if bet.id not in self._undecryptable]

    def _send(self, claimed: Iterable[Proof], sids: Mapping[int, str | None]) -> None:
        """Send each proof to its socket, or to all of its player's if that has gone."""
        to_send: defaultdict[str, list[Proof]] = defaultdict(list)
        for proof in claimed:
            if not proof.server_seed:
                self._undecryptable.add(proof.id)
                continue
            for receiver in self._receivers(proof, sids[proof.id]):
                to_send[receiver].append(proof)
        for receiver, proofs in to_send.items():
            self._running.send(receiver, [_event(proof) for proof in proofs])
            self._sent.add(receiver, proofs, sent_at=time.monotonic())
            if self._connections.player_of(receiver) is None:
                # It or its session ended before the proofs were added, so that end did not report them.
                self.left(receiver)

    def _receivers(self, proof: Proof, sid: str | None) -> list[str]:
        """The sockets to send this proof to, without those that have it. If there are none, it is lost."""
        connected = self._connections.sids_of(proof.user_id)
        if not connected:
            self._lost[proof.id] = proof
        return self._sent.without(proof.id, [sid] if sid in connected else connected)

    def _release_lost(self) -> None:
        """Release what no socket here can confirm, and tell all processes whose proofs these are."""
        while self._lost:
            some = [self._lost.pop(bet_id) for bet_id in list(self._lost)[:BATCH]]
            # What was sent to another socket meanwhile is lost only when that one leaves.
            lost = {proof.id: proof for proof in some if proof.id not in self._sent}
            try:
                self._proofs.release({bet_id: proof.server_seed for bet_id, proof in lost.items()})
            except Exception:
                self._lost.update(lost)
                raise
            players = sorted({proof.user_id for proof in lost.values()})
            self.note_players(players)
            self._services.signals.publish(Signal.PROOFS, players)


def _event(proof: Proof) -> Event:
    schema = SPIN_PROOF if proof.snapshot is None else OPENING_PROOF
    return f"{proof.game}:proof", schema.dump(proof)
