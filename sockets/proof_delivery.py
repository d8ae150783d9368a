"""Reveals the seed of each bet that is due: the proof to its player, the live bet to everybody.

The database holds when each proof is due and whether it was delivered. This process only remembers which
socket placed a bet and which proofs no client has confirmed yet. What is lost with the process is sent again
when the player next connects.
"""

import logging
import time
from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from itertools import islice

import peewee

from models.bets import Bet
from server.realtime.repeated_task import RepeatedTask
from server.realtime.server import AcknowledgedEvent, Realtime
from services.container import Services
from services.games.play import PlayedBet
from services.games.proofs import Proof
from services.shared.background import in_slices, pause
from services.shared.clock import Millis
from sockets.live_feed import LiveFeed
from sockets.schemas import OpeningProofSchema, ProofSchema
from sockets.unconfirmed_proofs import SentProof, UnconfirmedProofs

log = logging.getLogger("platform.proofs")

ROUND_SECONDS = 0.05
"""Proofs that fall due within this time are sent together."""

PROOFS_AT_ONCE = 100
"""Proofs that are sent without a pause for other tasks; they take about 7 ms."""

OVERDUE_SECONDS = 1.0
"""How late a scheduled proof counts as overdue."""

STOP_SECONDS = 10.0
"""How long a stop waits for the round that is running. A round takes as long as its queries."""

PLAYERS_AT_ONCE = 2_000
"""Players in one query for undelivered proofs."""

SPIN_PROOF = ProofSchema()
OPENING_PROOF = OpeningProofSchema()


class ProofDelivery:
    """Sends proofs when they are due, and again until a client confirms them. One task sends all of them.

    It begins with the bets that a stopped server left unrevealed.

    Delays go by ``time.monotonic()``: a change of the system's clock neither delays nor hastens a proof.
    """

    look_up_seconds = 10.0
    """How often the database is asked for bets that nobody has scheduled. There are hardly ever any."""

    def __init__(self, running: Realtime, services: Services, live_feed: LiveFeed) -> None:
        self._running = running
        self._connections = running.connections
        self._services = services
        self._live_feed = live_feed
        # Due times that are later than in the database, by their bets.
        self._postponed: dict[int, Millis] = {}
        # Bets that are not due yet: when they are, and the sockets that placed them. Each is due after those
        # before it, or up to the time of a slow settlement earlier.
        self._scheduled: OrderedDict[int, tuple[float, str | None]] = OrderedDict()
        self._unconfirmed = UnconfirmedProofs()
        # Proofs to send now, by their bets, and the sockets that get them first.
        self._due: dict[int, str | None] = {}
        self._missed: dict[int, str | None] = {}
        # Players with new sockets, whose undelivered proofs are not looked up yet.
        self._joined: dict[int, str] = {}
        self._looked_up_at: float | None = None
        running.manager.acknowledged = self._unconfirmed.acknowledged
        self.answered_ping = self._unconfirmed.answered_ping
        self.rounds = RepeatedTask(
            self._round,
            every_seconds=ROUND_SECONDS,
            on_failure="proofs delayed",
            logger=log,
            at_end=self._finish,
            stop_seconds=STOP_SECONDS,
        )

    def schedule(self, bet: Bet, *, sid: str | None, is_late: bool = False) -> None:
        """Send this bet's proof when it is due: to this socket, or else to any of its player's.

        With ``is_late`` its due time is later than in the database, and is written.
        """
        if is_late:
            self._postponed[bet.id] = Millis(bet.completed_at_ms)
        self._scheduled[bet.id] = self._due_at(bet.completed_at_ms), sid

    def after_bet(self, sid: str, played: PlayedBet) -> None:
        """Send this bet's proof to this socket when it is due."""
        self.schedule(played.bet, sid=sid, is_late=played.is_late)

    def joined(self, sid: str) -> None:
        """Send a socket that has just connected the player's proofs that were never confirmed."""
        user_id = self._connections.player_of(sid)
        if user_id is not None:
            self._joined[user_id] = sid

    def note_players(self, user_ids: Iterable[int]) -> None:
        """A single process has no signals of others."""

    def left(self, sid: str) -> None:
        """Send what this socket did not confirm to the player's others, or at the next connection."""
        self._missed.update(dict.fromkeys(self._unconfirmed.socket_gone(sid)))

    @property
    def scheduled(self) -> int:
        """How many bets have a proof that is not due yet."""
        return len(self._scheduled)

    @property
    def overdue(self) -> int:
        """How many proofs wait to be sent although they are due. It is 0 most of the time."""
        before = time.monotonic() - OVERDUE_SECONDS
        late = sum(due_at < before for due_at, _ in list(self._scheduled.values()))
        return late + len(self._due) + len(self._missed)

    @property
    def unconfirmed(self) -> int:
        """How many proofs were sent and are not confirmed by a client yet."""
        return len(self._unconfirmed)

    def _round(self) -> None:
        self._postpone()
        if self._looked_up_at is None or time.monotonic() - self._looked_up_at >= self.look_up_seconds:
            self._look_up()
            self._looked_up_at = time.monotonic()
        self._mark_confirmed()
        self._take_due()
        self._send_due()
        self._find_missed()
        if self._missed:
            self._send_some(self._missed, announce=False)
            # The next round sends more of them, after what has fallen due: a player may miss thousands.
            self.rounds.woken.set()

    def _finish(self) -> None:
        """After the last round. What is not confirmed by then is sent again after the next start."""
        try:
            self._postpone()
            self._mark_confirmed()
            self._leave_unconfirmed()
            self._services.seeds.witness.cover_all()
        except Exception:  # as the docstring says
            log.exception("proofs not written")

    def _leave_unconfirmed(self) -> None:
        self._services.proofs.write_seeds(self._unconfirmed.seeds())

    def _postpone(self) -> None:
        postponed = dict(self._postponed)
        self._services.proofs.postpone(postponed)
        for bet_id in postponed:
            del self._postponed[bet_id]

    def _look_up(self) -> None:
        """Find bets that nobody has scheduled: their commit was not answered, or their process has died.

        At the start these are all that are not revealed, and later those that are due. The latter are not
        announced: the lists of live bets contain them.
        """
        self._services.seeds.witness.watch()
        now = self._services.clock()
        due_by = None if self._looked_up_at is None else now
        for bet_id, completed_at in in_slices(self._services.proofs.pending(due_by=due_by), PROOFS_AT_ONCE):
            if bet_id in self._scheduled or bet_id in self._due or bet_id in self._unconfirmed:
                continue
            if completed_at > now:
                self._scheduled[bet_id] = self._due_at(completed_at), None
            else:
                self._missed.setdefault(bet_id, None)

    def _due_at(self, completed_at: int) -> float:
        """When a bet is due, by ``time.monotonic()``, so that later changes of the clock do not matter."""
        # A bet that is due later than any delay was settled before the clock was set back.
        ahead_ms = min(completed_at - self._services.clock(), self._services.settings.upgrader_proof_delay_ms)
        return time.monotonic() + ahead_ms / 1000

    def _take_due(self) -> None:
        while due := self._first_due():
            for bet_id in due:
                # Also one that was sent already, to a new socket: it is not announced yet.
                _, self._due[bet_id] = self._scheduled.pop(bet_id)

    def _first_due(self) -> list[int]:
        """The bets that are due, of those that were scheduled first."""
        now = time.monotonic()
        first = list(islice(self._scheduled.items(), PROOFS_AT_ONCE))
        return [bet_id for bet_id, (due_at, _) in first if due_at <= now]

    def _mark_confirmed(self) -> None:
        confirmed = self._unconfirmed.confirmed()
        if confirmed:
            self._services.proofs.mark_delivered(confirmed, now=self._services.clock())
            self._unconfirmed.forget(confirmed)

    def _send_due(self) -> None:
        while self._due and not self.rounds.stopping.is_set():
            self._send_some(self._due, announce=True)

    def _find_missed(self) -> None:
        """Find what the players of new sockets have missed. If this fails, the next round tries again."""
        joined = dict(self._joined)
        for some in peewee.chunked(joined, PLAYERS_AT_ONCE):
            missed = self._services.proofs.undelivered(some, now=self._services.clock())
            self._missed.update((bet_id, joined[user_id]) for bet_id, user_id in missed)
            for user_id in some:
                if self._joined[user_id] == joined[user_id]:
                    del self._joined[user_id]

    def _send_some(self, queue: dict[int, str | None], *, announce: bool) -> None:
        """Send the first proofs of a queue.

        A bet leaves the queue once its seed was decrypted. If the database fails, the next round tries again.
        """
        some = list(queue)[:PROOFS_AT_ONCE]
        opened = self._services.proofs.open(some)
        sids = {bet_id: queue.pop(bet_id) for bet_id in some}
        if announce:
            self._live_feed.announce(opened)
        unreachable = self._send((proof, sids[proof.id]) for proof in opened)
        self._services.proofs.write_seeds({proof.id: proof.server_seed for proof in unreachable})
        # A player who connected meanwhile may have looked for the proof before its seed was written.
        again = (proof.id for proof in unreachable if self._connections.sids_of(proof.user_id))
        self._missed.update(dict.fromkeys(again))
        pause()

    def _send(self, proofs: Iterable[tuple[Proof, str | None]]) -> list[Proof]:
        """Send each to its socket, or to the player's others if that has gone, unless it is confirmed.

        Returns those whose players have no socket. A proof that is on its way is sent to one more socket
        that was named: after a broken network the client is back before the server notices that its old
        connection is dead.
        """
        unreachable: list[Proof] = []
        on_their_way: list[SentProof] = []
        events: defaultdict[str, list[AcknowledgedEvent]] = defaultdict(list)
        for proof, sid in proofs:
            if proof.proof_delivered_at_ms is not None or (sid is None and proof.id in self._unconfirmed):
                continue
            connected = self._connections.sids_of(proof.user_id)
            receivers = [sid] if sid in connected else connected
            if not receivers:
                unreachable.append(proof)
            elif sent := self._unconfirmed.add(proof, receivers):
                on_their_way.append(sent)
                schema = SPIN_PROOF if proof.snapshot is None else OPENING_PROOF
                for receiver in receivers:
                    # The client may acknowledge it, which confirms the proof.
                    events[receiver].append((f"{proof.game}:proof", schema.dump(proof), proof.nonce))
        for receiver, some in events.items():
            self._running.send(receiver, some)
        for sent in on_their_way:
            sent.sent_at = time.monotonic()
        for receiver in events:
            if self._connections.player_of(receiver) is None:
                # It or its session ended before the proof was added, so that end did not report the proof.
                self.left(receiver)
        return unreachable
