"""Battles: what players do, from the creation until the last seat is taken.

Each change is one transaction that locks the row of the battle first. services/battles/ending.py has what
happens after the lock.
"""

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import peewee

from models import battles as sql
from models.battles import Battle, BattleCase, BattleSeat, BattleSnapshot, State
from models.cases import Case
from models.db.connection import reading, writing
from models.db.sql import execute
from models.log import let_wait
from services.accounts import users
from services.battles import offers, queries, seats
from services.battles.offers import Offer
from services.battles.queries import ShownBattle
from services.battles.refusals import (
    BattleBegun,
    BattleCancelled,
    BattlePriceChanged,
    BattlesOff,
    BattlesPaused,
    BattleTooDear,
    InvalidBattle,
    NoBots,
    NoSeat,
    NotTheCreator,
    TooManyBattles,
)
from services.battles.requests import NewBattle, SeatRequest
from services.battles.rules import Rules
from services.beacon.beacons import Beacons
from services.bets import rolls, snapshots
from services.bets.cases import Openings
from services.bets.terms import BetRequest, RequestIdReused
from services.log import entries
from services.log.bet_log import BetLog
from services.shared.clock import MINUTE_MS, Millis
from services.shared.encryption import Encrypter
from services.shared.errors import Refusal
from services.shared.money import Cents, is_amount
from services.shared.signals import Signal, Signals, Tag, invalidate
from settings import Settings

OPEN_MS = 60 * MINUTE_MS
"""How long a battle waits for its players."""

MOST_OPEN = 5
"""How many open battles a player may have created."""


class Battles:
    """Creates and fills battles."""

    def __init__(
        self,
        settings: Settings,
        *,
        openings: Openings,
        beacons: Beacons,
        encrypter: Encrypter,
        bet_log: BetLog,
        signals: Signals,
        clock: Callable[[], Millis],
    ) -> None:
        self._settings = settings
        self._openings = openings
        self._beacons = beacons
        self._encrypter = encrypter
        self._bet_log = bet_log
        self._signals = signals
        self._clock = clock
        self.on_changed: list[Callable[[int], None]] = []
        """Called with the internal id of a battle that has changed, after the commit. They never block."""

    def check_on(self) -> None:
        """Raises BattlesOff."""
        if not self._beacons.is_on:
            raise BattlesOff

    def create(self, request: NewBattle) -> ShownBattle:
        """Create a battle, in which the player has seat 0 and has paid for it.

        A request id that was used before changes nothing: returns its battle as it is now. Raises the
        refusals of services/battles/refusals.py, and then those of a bet.
        """
        self.check_on()
        self._beacons.want()
        rules, wanted = request.check()
        if earlier := _earlier(request):
            return earlier
        read = offers.read(self._openings, wanted)
        cost = offers.cost_of(read)
        if (
            cost > self._settings.battle_max_cost_cents
            or offers.most_of_pot(read, rules) > self._settings.battle_max_pot_cents
        ):
            raise BattleTooDear
        if not is_amount(request.price, cost):
            raise BattlePriceChanged
        offers.check_level(offers.required_level(self._openings, dict(wanted)), user_id=request.user_id)
        return self._once(request, lambda: self._insert(request, rules, read))

    def _insert(self, request: NewBattle, rules: Rules, read: Sequence[Offer]) -> int:
        server_seed = rolls.draw_server_seed()
        checkpoint = self._bet_log.checkpoint()
        with writing():
            # Locked, so that all battles that the player creates at once are counted.
            users.lock(request.user_id)
            own = Battle.select().where(Battle.state == State.OPEN, Battle.creator == request.user_id)
            if own.count() >= MOST_OPEN:
                raise TooManyBattles
            now = self._clock()
            _store_contents(read, now=now)
            battle: Battle = Battle.create(
                public_id=secrets.token_urlsafe(16),
                state=State.OPEN,
                version=1,
                mode=rules.mode,
                teams=rules.teams,
                is_crazy=rules.crazy,
                is_terminal=rules.terminal,
                is_players_only=request.players_only,
                is_private=request.private,
                cost_cents=offers.cost_of(read),
                counted_edge_ppm=min(self._settings.upgrader_house_edge_ppm, offers.house_edge_ppm(read)),
                creator=request.user_id,
                commitment=rolls.commitment_of(server_seed),
                encrypted_server_seed=self._encrypter.encrypt(server_seed),
                created_at_ms=now,
            )
            seats.lock_log_in_use(checkpoint)
            BattleCase.insert_many(_case_rows(battle, read)).execute()
            seats.seat_player(battle, 0, request, self._settings, now=now)
            return int(battle.id)

    def join(self, request: SeatRequest) -> ShownBattle:
        """Take a seat. The one who takes the last seat locks the battle. See ``create``."""
        self.check_on()
        request.check()
        if earlier := _earlier(request):
            return earlier
        battle = self._current(request.battle)
        level = offers.required_level(self._openings, (case.slug for case in battle.held))
        return self._once(request, lambda: self._join(request, level))

    def _join(self, request: SeatRequest, level: int) -> int:
        checkpoint = self._bet_log.checkpoint()
        with writing():
            battle = seats.lock_battle(Battle.public_id == request.battle)
            if not is_amount(request.price, Cents(battle.cost_cents)):
                raise BattlePriceChanged
            _check_not_cancelled(battle)
            seat = int(request.seat)  # type: ignore[call-overload]  # it was checked
            taken = seats.check_free(battle, seat, user_id=request.user_id)
            offers.check_level(level, user_id=request.user_id)
            now = self._clock()
            seats.lock_log_in_use(checkpoint)
            seats.seat_player(battle, seat, request, self._settings, now=now)
            self._seated(battle, len(taken) + 1)
            return int(battle.id)

    def call_bot(self, *, public_id: str, user_id: int, seat: object) -> ShownBattle:
        """Give a bot a free seat of a battle that the player has created. See ``create``."""
        self.check_on()
        if type(seat) is not int or seat < 0:
            raise InvalidBattle
        self._current(public_id)
        checkpoint = self._bet_log.checkpoint()
        with writing():
            battle = seats.lock_battle(Battle.public_id == public_id)
            _check_not_cancelled(battle)
            taken = seats.check_free(battle, seat, user_id=None)
            if battle.creator_id != user_id:
                raise NotTheCreator
            if battle.is_players_only:
                raise NoBots
            seats.lock_log_in_use(checkpoint)
            seats.seat_bot(battle, seat, now=self._clock())
            self._seated(battle, len(taken) + 1)
        self.changed(battle.id)
        return queries.get(public_id)

    def leave(self, *, public_id: str, user_id: int) -> ShownBattle:
        """Give the player's seat back. If the player has created the battle, that cancels it.

        Raises BattleNotFound, NoSeat, BattleBegun, BattleCancelled.
        """
        with writing():
            battle = seats.lock_battle(Battle.public_id == public_id)
            own = next((seat for seat in seats.taken_seats(battle) if seat.user_id == user_id), None)
            if own is None:
                raise NoSeat
            _check_not_cancelled(battle)
            if battle.state != State.OPEN:
                raise BattleBegun
            self._give_back(battle, own, now=self._clock())
        self.changed(battle.id)
        return queries.get(public_id)

    def take_back(self, *, user_id: int | None = None) -> None:
        """Take back the seats in open battles of players who may not bet any more, or of this player."""
        with reading():
            found = seats.to_take_back(user_id=user_id, now=self._clock())
        for battle_id, player in found:
            with writing():
                battle = seats.lock_battle(Battle.id == battle_id)
                # Another process may have been first, or the battle has begun.
                if battle.state == State.OPEN and not battle.is_restored:
                    self._take_back(battle, player, now=self._clock())
            self.changed(battle_id)

    def _take_back(self, battle: Battle, user_id: int, *, now: Millis) -> None:
        if seats.to_take_back(battle_id=battle.id, user_id=user_id, now=now):
            own = next(seat for seat in seats.taken_seats(battle) if seat.user_id == user_id)
            self._give_back(battle, own, now=now)

    def _give_back(self, battle: Battle, own: BattleSeat, *, now: Millis) -> None:
        """Refund a seat of an open battle whose row is locked."""
        if own.user_id == battle.creator_id:
            seats.cancel(battle, now=now)
            return
        seats.refund(battle, own, now=now)
        BattleSeat.update(left_at_ms=now).where(BattleSeat.id == own.id).execute()
        seats.change(battle)

    def _seated(self, battle: Battle, taken: int) -> None:
        """Note that a seat was taken, and lock the battle with the last one."""
        rules = Rules(mode=battle.mode, teams=battle.teams)
        if taken < len(rules.team_of_seats):
            seats.change(battle)
            return
        at = self._clock()
        if seats.to_take_back(battle_id=battle.id, now=at):
            # ``take_back`` comes a moment later.
            raise BattlesPaused
        if not self._beacons.is_fresh(at):
            raise BattlesPaused
        execute(sql.KEEP_SNAPSHOTS, {"battle_id": battle.id})
        if execute(sql.MISSING_SNAPSHOTS, {"battle_id": battle.id}).fetchone()[0]:
            raise BattleCancelled
        round_ = self._beacons.next_round_after_lock(at)
        entry = self._lock_entry(battle, rules, at=at, round_=round_)
        seats.change(
            battle,
            state=State.LOCKED,
            locked_at_ms=at,
            round=round_,
            lock_entry=let_wait(entry.decode()),
        )

    def _lock_entry(self, battle: Battle, rules: Rules, *, at: Millis, round_: int) -> bytes:
        team_of_seats, pseudonyms = rules.team_of_seats, self._bet_log.pseudonyms
        taken = sorted(seats.taken_seats(battle), key=lambda seat: seat.seat)
        held = BattleCase.select().where(BattleCase.battle == battle.id).order_by(BattleCase.position)
        return entries.battle_lock(
            at=at,
            battle=battle.public_id,
            chain=self._beacons.chain.hash,
            round_=round_,
            cases=[case.snapshot_hash for case in held for _ in range(case.count)],
            commitment=battle.commitment,
            crazy=battle.is_crazy,
            mode=battle.mode,
            players_only=battle.is_players_only,
            seats=[
                entries.LoggedSeat(
                    client_seed=seat.client_seed,
                    player=None if seat.user_id is None else pseudonyms.of_user(seat.user_id),
                    team=team_of_seats[seat.seat],
                )
                for seat in taken
            ],
            terminal=battle.is_terminal,
        )

    # -- seats that are taken back, and battles that are cancelled ----------------------------------------

    def _current(self, public_id: str) -> ShownBattle:
        """The battle; one that must not be locked any more is cancelled first. Raises BattleNotFound."""
        battle = queries.get(public_id)
        is_overdue = battle.created_at_ms <= self._clock() - OPEN_MS
        if battle.state == State.OPEN and (is_overdue or not self.is_offered(battle)):
            self.cancel(battle.id)
            raise BattleCancelled
        return battle

    def is_offered(self, battle: ShownBattle) -> bool:
        """Whether the cases of a battle can be opened now, with its items and chances."""
        return offers.are_offered(self._openings, battle.held)

    def cancel(self, battle_id: int) -> None:
        """Cancel a battle and refund its seats, if it is open. A restored one publishes its seed.

        The part of the log that was lost may have locked it, so that its seed is public.
        """
        with writing():
            battle = seats.lock_battle(Battle.id == battle_id)
            if battle.state != State.OPEN:
                return
            seed = self._encrypter.decrypt(battle.encrypted_server_seed) if battle.is_restored else None
            seats.cancel(battle, now=self._clock(), server_seed=seed)
        self.changed(battle_id)

    # -- once ---------------------------------------------------------------------------------------------

    def _once(self, request: BetRequest, take: Callable[[], int]) -> ShownBattle:
        """Take a seat and tell it, unless another request with the same id was first."""
        try:
            battle_id = take()
        except (Refusal, peewee.IntegrityError):
            if earlier := _earlier(request):
                return earlier
            raise
        self.changed(battle_id)
        return queries.by_ids([battle_id])[0]

    def changed(self, battle_id: int) -> None:
        """Tell everybody that a battle has changed, after the commit."""
        invalidate(Tag.BATTLES)
        self._signals.publish(Signal.BATTLES, [battle_id])
        for tell in self.on_changed:
            tell(battle_id)


def _check_not_cancelled(battle: Battle) -> None:
    # One from before a restore is cancelled a moment later.
    if battle.state == State.CANCELLED or (battle.state == State.OPEN and battle.is_restored):
        raise BattleCancelled


@reading()
def _earlier(request: BetRequest) -> ShownBattle | None:
    """The battle in which the player has used this request id. Raises RequestIdReused."""
    if request.request_id is None:
        return None
    is_same = (BattleSeat.user == request.user_id) & (BattleSeat.request_id == request.request_id)
    seat = BattleSeat.get_or_none(is_same)
    if seat is None:
        return None
    if seat.request_digest != request.digest(sql.BATTLE):
        raise RequestIdReused
    return queries.by_ids([seat.battle_id])[0]


def _case_rows(battle: Battle, read: Sequence[Offer]) -> list[dict[str, object]]:
    ids = [offer.case.row_id for offer in read]
    named: Any = Case.select(Case.id, Case.name).where(Case.id.in_(ids))
    names = dict(named.tuples())
    return [
        {
            "battle": battle.id,
            "position": position,
            "count": offer.times,
            "case_id": offer.case.row_id,
            "slug": offer.content.case_id,
            "name": names[offer.case.row_id],
            "price_cents": offer.content.price_cents,
            "snapshot_id": snapshots.id_of(offer.content.hash),
            "snapshot_hash": offer.content.hash,
        }
        for position, offer in enumerate(read)
    ]


def _store_contents(read: Iterable[Offer], *, now: Millis) -> None:
    """Store the contents of the cases. In the order of their ids, so that two creations do not deadlock."""
    contents = {snapshots.id_of(offer.content.hash): offer.content for offer in read}
    for snapshot_id, content in sorted(contents.items()):
        BattleSnapshot.insert(
            id=snapshot_id, hash=content.hash, content=content.text, used_at_ms=now
        ).on_conflict(conflict_target=[BattleSnapshot.id], update={BattleSnapshot.used_at_ms: now}).execute()
