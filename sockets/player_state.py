"""Keeps every socket of a player up to date with the player's commitment and balances, in all processes.

The process that changes them sends them to its own sockets and to the other processes, which forward them.
Such a signal may be lost, and so may the answer to a commit. So each process compares what its sockets were
last sent with the database (``tasks/table.py``).
"""

from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import Any, cast

import peewee
from flask import current_app

from models.users import Balances, ChangedState, SentState, User, find_changed
from server.realtime.realtime import Event, Realtime
from services.accounts import users
from services.bets.seeds import Commitment
from services.container import Services
from services.log.restore import BetsPaused
from services.shared.background import pause
from services.shared.signals import Signal
from sockets.schemas import BalanceSchema, CommitmentSchema

COMMITMENT = "upgrader:commitment"
BALANCE = "balance"

COMMITMENT_PAYLOAD = CommitmentSchema()
BALANCE_PAYLOAD = BalanceSchema()

SOCKETS_AT_ONCE = 1_000
"""Sockets in one query."""

Revision = tuple[int, str]
"""Identifies an event. The number grows, but stays the same when a commitment is drawn anew."""

UNSENT: Revision = (-1, "")

REVISIONS: dict[str, Callable[[Any], Revision]] = {
    COMMITMENT: lambda payload: (index(payload["nonce"]), payload["serverSeedCommitment"]),
    BALANCE: lambda payload: (index(payload["version"]), ""),
}


class PlayerState:
    """Sends the events ``upgrader:commitment`` and ``balance``."""

    def __init__(self, realtime: Realtime, services: Services) -> None:
        self._realtime = realtime
        self._connections = realtime.connections
        self._services = services

    def send(self, user_id: int, *changed: Commitment | Balances | User) -> None:
        """Send what has changed to all sockets of the player, here and in other processes. Never waits."""
        events = [_event(each) for each in changed]
        for sid in self._connections.sids_of(user_id):
            self._send(sid, events)
        self._services.signals.publish(Signal.PLAYER_STATE, {"player": user_id, "events": events})

    def refresh(self, user_ids: Iterable[int]) -> None:
        """Send these players' balances as they are now, to their sockets here and in other processes."""
        for user in users.get_all(user_ids):
            event = _event(user)
            for sid in self._connections.sids_of(user.id):
                self._send(sid, [event], unless_older=True)
            self._services.signals.publish(Signal.PLAYER_STATE, {"player": user.id, "events": [event]})

    def joined(self, sid: str) -> None:
        """Send a new socket its player's commitment and balances. Raises UserNotFound.

        While bets are paused the commitment may have to be replaced, so it is sent when they go on.
        """
        user_id = self._connections.player_of(sid)
        if user_id is None:
            return
        events = [*self._commitment(user_id), _event(users.get_by_id(user_id))]
        # During the queries the token may have been revoked, or a bet may have sent newer ones.
        if self._connections.player_of(sid) == user_id:
            self._send(sid, events, unless_older=True)

    def forward(self, signal: Any) -> None:
        """Send the events of another process to those sockets of the player that have no newer ones."""
        for sid in self._connections.sids_of(signal["player"]):
            self._send(sid, signal["events"], unless_older=True)

    def compare(self) -> None:
        """Send what the database has and the sockets of this process were not sent.

        Sockets whose tokens were revoked, by any process or command, become spectators.
        """
        for sids in peewee.chunked(self._connections.sids(), SOCKETS_AT_ONCE):
            sent = {sid: state for sid in sids if (state := self._sent_state(sid))}
            for changed in find_changed(list(sent.values())):
                if changed.token_number > sent[changed.sid].token_number:
                    self._realtime.make_spectators(changed.user_id, before=changed.token_number)
                else:
                    self._send_changed(changed, before=sent[changed.sid])
            pause()

    def _send_changed(self, changed: ChangedState, *, before: SentState) -> None:
        if changed.user_id in self._services.player_locks:
            # A bet is running. It sends these events itself, in the promised order.
            return
        # A restored database may announce a seed that was revealed: this redraws it.
        commitment = self._commitment(changed.user_id)
        if self._sent_state(changed.sid) == before:
            self._send(changed.sid, commitment, unless_older=True)
            self._send(changed.sid, [(BALANCE, BALANCE_PAYLOAD.dump(changed))])

    def _commitment(self, user_id: int) -> list[Event]:
        """The event with the player's commitment; none while bets are paused."""
        try:
            return [_event(self._services.seeds.announced(user_id=user_id))]
        except BetsPaused:
            return []

    def _sent_state(self, sid: str) -> SentState | None:
        """None for a spectator."""
        connection, user_id = self._connections.get(sid), self._connections.player_of(sid)
        if connection is None or user_id is None:
            return None
        last = connection.last_sent
        (version, _), (_, commitment) = last.get(BALANCE, UNSENT), last.get(COMMITMENT, UNSENT)
        return SentState(sid, user_id, connection.token_number, version, commitment)

    def _send(self, sid: str, events: Sequence[Event], *, unless_older: bool = False) -> None:
        """Send the events to a socket, except those that it was sent last, and optionally older ones."""
        last = self._last_sent(sid)
        unsent = []
        # Before anything is noted as sent: another program's event may have no revision.
        revised = [(name, payload, REVISIONS[name](payload)) for name, payload in events]
        for name, payload, revision in revised:
            before = last.get(name, UNSENT)
            if revision != before and not (unless_older and revision[0] < before[0]):
                last[name] = revision
                unsent.append((name, payload))
        self._realtime.send(sid, unsent)

    def _last_sent(self, sid: str) -> dict[str, Revision]:
        connection = self._connections.get(sid)
        return connection.last_sent if connection else {}


def _event(changed: Commitment | Balances | User) -> Event:
    if isinstance(changed, Commitment):
        return COMMITMENT, COMMITMENT_PAYLOAD.dump(changed)
    return BALANCE, BALANCE_PAYLOAD.dump(changed)


def player_state() -> PlayerState:
    """The PlayerState of the running app."""
    return cast("PlayerState", current_app.extensions["player_state"])
