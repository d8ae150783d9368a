"""The events by which players and spectators watch battles: all that are under way, or single ones.

A battle that changes is read from the database and sent to its watchers. Changes that come while others are
being sent are collected, so a watcher may miss a version, but never gets an older one after a newer one.
Other processes hear of changes by signals. A signal may be lost, and commands send none. So each process also
compares what it has sent with the database, every second while somebody is watching.
"""

import math
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from itertools import batched
from typing import TypeVar

from server.realtime.realtime import Event, Realtime
from server.realtime.repeated_task import RepeatedTask
from services.battles import queries
from services.battles.queries import ShownBattle
from services.container import Services
from services.shared.background import in_slices
from services.shared.errors import Refusal
from services.shared.signals import Tag, invalidate_here
from sockets.battle_schemas import LISTED_BATTLE, dump_battle
from sockets.player_state import PlayerState

BATTLES_CHANGED = "battles:changed"
BATTLE_CHANGED = "battle:changed"

MOST_WATCHED = 20
"""Battles that a socket may watch at once."""

LISTED = 100
"""Battles of each state in the answer to ``battles:watch``."""

COMPARE_SECONDS = 1.0

READ_AT_ONCE = 50
"""Battles in one query. A settled one with 50 cases and six seats takes about 2 ms to dump."""

COMPARED_AT_ONCE = 1_000

ATTEMPTS = 3

FAILED = "Something went wrong"

Found = TypeVar("Found")


class TooManyWatched(Refusal):
    """The socket watches as many battles as it may."""

    text = "Too many watched battles"


class BattleFeed:
    """Sends the events ``battles:changed`` and ``battle:changed``."""

    def __init__(self, realtime: Realtime, services: Services, state: PlayerState) -> None:
        self._realtime = realtime
        self._services = services
        self._state = state
        self._watchers_of_list: set[str] = set()
        self._watchers: defaultdict[int, set[str]] = defaultdict(set)
        # Of each socket: the public ids of the battles that it watches, and their internal ids.
        self._watched: defaultdict[str, dict[str, int]] = defaultdict(dict)
        # The versions that watchers know, of battles that may still change. Lower ones are never sent.
        self._versions: dict[int, int] = {}
        self._listed_versions: dict[int, int] = {}
        self._newest_listed = 0
        # Battles that have changed and are not sent yet, and those among them that this process has changed.
        self._waiting: deque[int] = deque()
        self._changed_here: deque[int] = deque()
        self._compared_at = -math.inf
        self.rounds = RepeatedTask(
            self._round, every_seconds=COMPARE_SECONDS, on_failure="battles not sent to their watchers"
        )

    # -- changes --------------------------------------------------------------------------------------

    def changed(self, battle_id: int) -> None:
        """Send a battle that this process has changed, and the balances of its players. Does not wait."""
        self._changed_here.append(battle_id)
        self.forward([battle_id])

    def forward(self, battle_ids: Iterable[int]) -> None:
        """Send battles that have changed. Does not wait."""
        self._waiting.extend(battle_ids)
        self.rounds.woken.set()

    def _round(self) -> None:
        """Send what has changed. What a failed round does not send, a later one finds in the database."""
        changed_here = _take_all(self._changed_here)
        changed = set(_take_all(self._waiting))
        if time.monotonic() >= self._compared_at + COMPARE_SECONDS:
            changed |= self._missed()
            self._compared_at = time.monotonic()
        if changed_here:
            self._state.refresh(queries.players_of(changed_here))
        for ids in batched(sorted(filter(self._is_watched, changed)), READ_AT_ONCE):
            self._send(queries.by_ids(ids))

    def _is_watched(self, battle_id: int) -> bool:
        return bool(self._watchers_of_list) or battle_id in self._watchers

    def _missed(self) -> set[int]:
        """The battles whose versions in the database differ from what watchers know."""
        missed = set()
        for ids in batched({*self._versions, *self._listed_versions}, COMPARED_AT_ONCE):
            for battle_id, version in queries.versions(ids).items():
                known = (
                    self._versions.get(battle_id, version),
                    self._listed_versions.get(battle_id, version),
                )
                missed |= {battle_id} if known != (version, version) else set()
        if self._watchers_of_list:
            missed.update(queries.newer_than(self._newest_listed))
        if missed.difference(self._waiting):
            # Responses over HTTP are as old as what was sent.
            invalidate_here(Tag.BATTLES)
        return missed

    def _send(self, battles: Sequence[ShownBattle]) -> None:
        """Send those that are new to their watchers: the short forms in one batch, then each battle."""
        listed = [battle for battle in battles if self._is_new_to_list(battle)]
        self._realtime.broadcast(
            [(BATTLES_CHANGED, LISTED_BATTLE.dump(battle)) for battle in listed], to=self._watchers_of_list
        )
        for battle in in_slices(battles, 1):
            if self._is_new(battle):
                event: Event = (BATTLE_CHANGED, dump_battle(battle))
                self._realtime.broadcast([event], to=self._watchers.get(battle.id, ()))

    def _is_new_to_list(self, battle: ShownBattle) -> bool:
        """Note the version of a battle as sent to the list's watchers; whether it was not before."""
        if not self._watchers_of_list or battle.is_private:
            return False
        self._newest_listed = max(self._newest_listed, battle.id)
        return _note(self._listed_versions, battle)

    def _is_new(self, battle: ShownBattle) -> bool:
        """Note the version of a battle as sent to its watchers; whether it was not before."""
        return battle.id in self._watchers and _note(self._versions, battle)
