"""The events by which players and spectators watch battles: all that are under way, or single ones.

A battle that changes is read from the database and sent to its watchers. Changes that come while others are
being sent are collected, so a watcher may miss a version, but never gets an older one after a newer one.
Other processes hear of changes by signals. A signal may be lost, and commands send none. So each process also
compares what it has sent with the database, every second while somebody is watching.
"""

import math
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

import peewee
from cachetools import TTLCache, cachedmethod

from models.battles import State
from server.logs import clients_log
from server.realtime.realtime import Event, Realtime, Received
from server.realtime.repeated_task import RepeatedTask
from services.battles import queries, receipts
from services.battles.queries import ListedState, ShownBattle
from services.battles.refusals import BattleNotFound
from services.bets.terms import InvalidRequest
from services.container import Services
from services.log.bet_log import ReceiptNotFound
from services.shared.background import in_slices
from services.shared.errors import Failure, Refusal
from services.shared.locks import BuildCondition
from services.shared.pagination import Place
from services.shared.signals import Signal, Tag, invalidate, invalidate_here, tag_versions
from sockets.battle_schemas import LISTED_BATTLE, BattleReceiptSchema, dump_battle
from sockets.live_feed import LiveFeed
from sockets.player_state import PlayerState

BATTLES_CHANGED = "battles:changed"
BATTLE_CHANGED = "battle:changed"
RECEIPT = "log:receipt"

MOST_WATCHED = 20
"""Battles that a socket may watch at once."""

LISTED = Place(number=1, limit=100)
"""Of each state, the battles in the answer to ``battles:watch``."""

COMPARE_SECONDS = 1.0

READ_AT_ONCE = 50
"""Battles in one query."""

COMPARED_AT_ONCE = 1_000

ATTEMPTS = 3
"""How often what was read is read again because it has changed meanwhile."""

PUBLIC_ID = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)

FAILED = {"status": False, "error": "Something went wrong"}

RECEIPT_PAYLOAD = BattleReceiptSchema()

Found = TypeVar("Found")
Answer = dict[str, Any]


class TooManyWatched(Refusal):
    """The socket watches as many battles as it may."""

    text = "Too many watched battles"


class Watchers:
    """The sockets of this process that watch battles."""

    def __init__(self) -> None:
        self.of_list: set[str] = set()
        self._of_battles: dict[int, set[str]] = {}
        # The internal ids of the battles that each socket watches, by their public ids.
        self._watched: dict[str, dict[str, int]] = {}

    def of(self, battle_id: int) -> set[str]:
        """The watchers of a battle."""
        return self._of_battles.get(battle_id, set())

    def add(self, sid: str, public_id: str, battle_id: int) -> None:
        """Raises TooManyWatched."""
        own = self._watched.setdefault(sid, {})
        if public_id not in own and len(own) >= MOST_WATCHED:
            raise TooManyWatched
        own[public_id] = battle_id
        self._of_battles.setdefault(battle_id, set()).add(sid)

    def remove(self, sid: str, public_id: str) -> None:
        """Do nothing if the socket does not watch this battle."""
        battle_id = self._watched.get(sid, {}).pop(public_id, None)
        if battle_id is not None:
            self._of_battles[battle_id].discard(sid)
            if not self._of_battles[battle_id]:
                del self._of_battles[battle_id]

    def forget(self, sid: str) -> None:
        """Remove a socket that has gone."""
        self.of_list.discard(sid)
        for public_id in list(self._watched.get(sid, ())):
            self.remove(sid, public_id)
        self._watched.pop(sid, None)


class Versions(dict[int, int]):
    """The versions that watchers know, by the ids of battles that may still change."""

    def note(self, battle: ShownBattle) -> bool:
        """Note what is being sent; whether its version differs from that which was known."""
        is_new: bool = self.get(battle.id) != battle.version
        if battle.state in (State.OPEN, State.LOCKED):
            self[battle.id] = battle.version
        else:
            self.pop(battle.id, None)
        return is_new

    def differ(self, battle_id: int, version: int) -> bool:
        """Whether watchers know another version."""
        return self.get(battle_id, version) != version


class BattleFeed:
    """Sends the events ``battles:changed`` and ``battle:changed``, and what follows a change for its players.

    One task sends all changes. No other task runs between the read of a battle that is watched from now on
    and the acknowledgement with it, so watchers get every later version.
    """

    def __init__(self, realtime: Realtime, services: Services, state: PlayerState, live: LiveFeed) -> None:
        self._realtime = realtime
        self._services = services
        self._state = state
        self._live = live
        self._watchers = Watchers()
        self._versions, self._listed_versions = Versions(), Versions()
        self._newest_listed = 0
        # Battles that have changed, and those among them that this process has changed.
        self._changed: deque[int] = deque()
        self._changed_here: deque[int] = deque()
        # Battles whose receipts are due, and the bets of battles that this process has settled.
        self._in_time: deque[int] = deque()
        self._bets: deque[int] = deque()
        self._compared_at = -math.inf
        self._lists: TTLCache[Any, list[Answer]] = TTLCache(1, COMPARE_SECONDS)
        self._building_list = BuildCondition()
        self.rounds = RepeatedTask(
            self._round, every_seconds=COMPARE_SECONDS, on_failure="battles not sent to their watchers"
        )
        self.receipts = RepeatedTask(
            self._send_receipts, every_seconds=COMPARE_SECONDS, on_failure="receipts of battles not sent"
        )

    # -- what has changed, told by other parts. None of these waits. ----------------------------------------

    def changed(self, battle_id: int) -> None:
        """This process has changed a battle, and perhaps the balances of its players."""
        self._changed_here.append(battle_id)
        self.forward([battle_id])

    def forward(self, battle_ids: Iterable[int]) -> None:
        """Battles have changed, here or in another process."""
        self._changed.extend(battle_ids)
        self.rounds.woken.set()

    def settled(self, bet_ids: Iterable[int]) -> None:
        """This process has settled a battle with these bets, which become live bets."""
        self._bets.extend(bet_ids)
        self.rounds.woken.set()

    def decided(self, battle_id: int, is_in_time: bool) -> None:  # noqa: FBT001  # a hook's signature
        """This process has decided whether the lock of a battle was signed in time."""
        invalidate(Tag.BATTLES)
        self.forward([battle_id])
        self._services.signals.publish(Signal.BATTLES, [battle_id])
        if is_in_time:
            self._services.signals.publish(Signal.BATTLE_RECEIPTS, [battle_id])
            self.forward_receipts([battle_id])

    def forward_receipts(self, battle_ids: Iterable[int]) -> None:
        """The locks of these battles are in a signed checkpoint."""
        self._in_time.extend(battle_ids)
        self.receipts.woken.set()

    # -- rounds ---------------------------------------------------------------------------------------------

    def _round(self) -> None:
        """Send what has changed. What a failed round does not send, a later one finds in the database."""
        changed_here, changed = _take(self._changed_here), set(_take(self._changed))
        if time.monotonic() >= self._compared_at + COMPARE_SECONDS:
            missed = self._missed() - changed
            if missed:
                # Cached responses are as old.
                invalidate_here(Tag.BATTLES)
            changed |= missed
            self._compared_at = time.monotonic()
        if changed_here:
            self._state.refresh(queries.players_of(changed_here))
        watched = sorted(each for each in changed if self._watchers.of_list or self._watchers.of(each))
        for ids in peewee.chunked(watched, READ_AT_ONCE):
            self._send(queries.by_ids(ids))
        if bets := _take(self._bets):
            self._live.announce_settled(bets)

    def _missed(self) -> set[int]:
        """The battles whose versions in the database differ from those that watchers know."""
        for battle_id in [each for each in self._versions if not self._watchers.of(each)]:
            del self._versions[battle_id]
        if not self._watchers.of_list:
            self._listed_versions.clear()
        missed = set()
        for ids in peewee.chunked({*self._versions, *self._listed_versions}, COMPARED_AT_ONCE):
            for battle_id, version in queries.versions(ids).items():
                if self._versions.differ(battle_id, version) or self._listed_versions.differ(
                    battle_id, version
                ):
                    missed.add(battle_id)
        if self._watchers.of_list:
            missed.update(queries.newer_than(self._newest_listed))
        return missed

    def _send(self, battles: Sequence[ShownBattle]) -> None:
        """Send those that are new to their watchers: all short forms, then each battle."""
        listed = [battle for battle in battles if not battle.is_private and self._watchers.of_list]
        events: list[Event] = [
            (BATTLES_CHANGED, LISTED_BATTLE.dump(battle))
            for battle in listed
            if self._listed_versions.note(battle)
        ]
        self._newest_listed = max([self._newest_listed, *(battle.id for battle in listed)])
        self._realtime.broadcast(events, to=self._watchers.of_list)
        for battle in in_slices(battles, 1):
            if self._watchers.of(battle.id) and self._versions.note(battle):
                self._realtime.broadcast(
                    [(BATTLE_CHANGED, dump_battle(battle))], to=self._watchers.of(battle.id)
                )

    def _send_receipts(self) -> None:
        """Send the players in this process the proofs that the locks of their battles are in the log."""
        for battle in queries.by_ids(_take(self._in_time)):
            for user_id in battle.players:
                if sids := self._realtime.connections.sids_of(user_id):
                    self._send_receipt(battle, user_id, sids)

    def _send_receipt(self, battle: ShownBattle, user_id: int, sids: Sequence[str]) -> None:
        try:
            proof = receipts.receipt(battle, user_id=user_id, bet_log=self._services.log)
        except ReceiptNotFound:
            # A restore has lost the lock.
            return
        payload = RECEIPT_PAYLOAD.dump({"battle": battle.public_id, "proof": proof})
        self._realtime.broadcast([(RECEIPT, payload)], to=sids)

    # -- watching -------------------------------------------------------------------------------------------

    def listen(self) -> None:
        """Handle the events of clients."""
        for name, handle in {
            "battles:watch": self._watch_list,
            "battles:unwatch": self._unwatch_list,
            "battle:watch": self._watch,
            "battle:unwatch": self._unwatch,
        }.items():
            self._realtime.handlers[name] = partial(self._acknowledge, name, handle)

    def _acknowledge(self, name: str, handle: Callable[[str, object], Answer], event: Received) -> None:
        """Handle an event and acknowledge it with ``{status, ...}``."""
        answer = FAILED
        try:
            event.check_rate()
            answer = {"status": True, **handle(event.sid, event.payload)}
        except Refusal as refusal:
            if isinstance(refusal, Failure):
                clients_log.exception("event failed", extra={"event": name})
            else:
                answer = {"status": False, "error": refusal.text}
        except Exception:  # noqa: BLE001  # the client gets an answer in any case
            clients_log.exception("event failed", extra={"event": name})
        self._realtime.send(event.sid, event.acknowledgement(answer))

    def left(self, sid: str) -> None:
        """Forget a socket that has gone. One that has become a spectator's goes on watching."""
        if self._realtime.connections.get(sid) is None:
            self._watchers.forget(sid)

    def _watch_list(self, sid: str, _payload: object) -> Answer:
        self._services.battles.check_on()
        versions, listed = self._read_unchanged(self._list)
        if self._is_here(sid):
            self._watchers.of_list.add(sid)
            for battle_id, version in versions.items():
                self._listed_versions.setdefault(battle_id, version)
            self._newest_listed = max([self._newest_listed, *versions])
        return {"battles": listed}

    def _unwatch_list(self, sid: str, _payload: object) -> Answer:
        self._watchers.of_list.discard(sid)
        return {}

    def _watch(self, sid: str, payload: object) -> Answer:
        public_id = _public_id(payload)
        battle, dumped = self._read_unchanged(lambda: _read(public_id))
        if self._is_here(sid):
            self._watchers.add(sid, public_id, battle.id)
            if battle.state in (State.OPEN, State.LOCKED):
                self._versions.setdefault(battle.id, battle.version)
        return {"battle": dumped}

    def _unwatch(self, sid: str, payload: object) -> Answer:
        self._watchers.remove(sid, _public_id(payload))
        return {}

    def _is_here(self, sid: str) -> bool:
        """Whether the socket has not gone during the query."""
        return self._realtime.connections.get(sid) is not None

    def _list(self) -> tuple[dict[int, int], list[Answer]]:
        """The public battles under way, newest first, and their versions. Read once for many sockets."""
        return self._read_list(tag_versions([Tag.BATTLES]))

    @cachedmethod(lambda self: self._lists, condition=lambda self: self._building_list)
    def _read_list(self, _version: object) -> tuple[dict[int, int], list[Answer]]:
        battles = [
            battle
            for state in (ListedState.OPEN, ListedState.RUNNING)
            for battle in queries.listed(state=state, place=LISTED).rows
        ]
        battles.sort(key=lambda battle: battle.id, reverse=True)
        return {battle.id: battle.version for battle in battles}, [*map(LISTED_BATTLE.dump, battles)]

    @staticmethod
    def _read_unchanged(read: Callable[[], Found]) -> Found:
        """What this reads, without a change that may have been sent before: the tag is changed first."""
        for _ in range(ATTEMPTS):
            before = tag_versions([Tag.BATTLES])
            found = read()
            if tag_versions([Tag.BATTLES]) == before:
                break
        return found


def _take(waiting: deque[int]) -> list[int]:
    """Remove all that is waiting, and return it. Others may add to it meanwhile."""
    return [waiting.popleft() for _ in range(len(waiting))]


def _read(public_id: str) -> tuple[ShownBattle, Answer]:
    battle = queries.get(public_id)
    return battle, dump_battle(battle)


def _public_id(payload: object) -> str:
    """Raises InvalidRequest, and BattleNotFound for a text that is no id."""
    public_id = payload.get("id") if isinstance(payload, dict) else None
    if not isinstance(public_id, str):
        raise InvalidRequest
    if not PUBLIC_ID.fullmatch(public_id):
        raise BattleNotFound
    return public_id
