"""What players do with battles: seats and coins, however they race."""

from functools import partial

import pytest

from services.accounts import access
from services.battles import queries
from services.battles.refusals import (
    AlreadySeated,
    BattleBegun,
    BattleCancelled,
    BattleNotFound,
    BattlePriceChanged,
    BattlesOff,
    BattlesPaused,
    BattleTooDear,
    InvalidBattle,
    NoBots,
    NoSeat,
    NotTheCreator,
    SeatTaken,
    TooManyBattles,
)
from services.bets.cases import LevelTooLow
from services.bets.terms import InvalidClientSeed, InvalidRequest, RequestIdReused
from services.cases.retiring import retire_case
from services.items import selling
from services.limits import exclusions
from services.limits.exclusions import TakingABreak
from services.limits.limits import LimitReached
from services.shared.errors import (
    AccountSuspended,
    CaseNotAvailable,
    CaseNotFound,
    InsufficientBalance,
    Refusal,
)
from tests.harness.players import import_case, import_prices
from tests.support.apps import import_irl_case
from tests.support.arena import cents, escrow_cents, held_cents, stored_rows
from tests.support.at_once import all_at_once

STARTS_WITH = 100_00
COST = 4_00


@pytest.fixture
def audited(run):
    """Asserts that the books agree."""
    yield
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.usefixtures("audited")
@pytest.mark.both_databases("services/battles/seats.py")
def test_of_twenty_who_race_for_the_last_seat_one_has_it_and_the_others_pay_nothing(arena, alice, new_player):
    battle = arena.create(alice)
    racers = [new_player(f"racer-{number}") for number in range(20)]

    def join(racer):
        try:
            arena.join(battle, racer)
        except SeatTaken:
            return False
        return True

    results = all_at_once([partial(join, racer) for racer in racers])

    assert results.count(True) == 1
    paid = {racer.id: STARTS_WITH - cents(racer) for racer in racers}
    winner = arena.now(battle).seats[1].user_id
    assert paid == dict.fromkeys(paid, 0) | {winner: COST}
    assert arena.now(battle).state == "locked"
    assert escrow_cents() == 2 * COST


@pytest.mark.usefixtures("audited")
@pytest.mark.both_databases("services/battles/service.py")
def test_one_player_who_joins_from_many_places_at_once_has_one_seat(arena, alice, bob):
    battle = arena.create(alice, teams="3v3")

    def join(seat):
        try:
            arena.join(battle, bob, seat)
        except (AlreadySeated, SeatTaken):
            return False
        return True

    results = all_at_once([partial(join, 1 + number % 5) for number in range(10)])

    assert results.count(True) == 1
    assert cents(bob) == STARTS_WITH - COST


@pytest.mark.usefixtures("audited")
@pytest.mark.both_databases("a repeated request of a battle")
def test_a_request_that_is_sent_many_times_at_once_creates_one_battle(arena, alice):
    create = partial(arena.create, alice, request_id="one")

    battles = all_at_once([create] * 8)

    assert len({battle.public_id for battle in battles}) == 1
    assert cents(alice) == STARTS_WITH - COST


def test_a_repeated_request_answers_with_the_battle_as_it_is_now(arena, alice, bob):
    battle = arena.create(alice, request_id="one")
    arena.join(battle, bob, request_id="two")
    rows = stored_rows()

    assert arena.create(alice, request_id="one").state == "locked"
    assert arena.join(battle, bob, request_id="two").public_id == battle.public_id
    assert stored_rows() == rows


def test_a_player_who_has_left_is_not_seated_again_by_the_same_request(arena, alice, bob):
    battle = arena.create(alice, teams="1v1v1")
    arena.join(battle, bob, request_id="one")
    arena.leave(battle, bob)

    assert arena.join(battle, bob, request_id="one").seat_of(bob.id) is None
    assert cents(bob) == STARTS_WITH


@pytest.mark.parametrize(
    "change", [{"mode": "jackpot"}, {"private": True}, {"client_seed": "other"}], ids=str
)
def test_a_request_id_with_another_content_is_refused(arena, alice, change):
    arena.create(alice, request_id="one")

    with pytest.raises(RequestIdReused):
        arena.create(alice, request_id="one", **change)

    assert cents(alice) == STARTS_WITH - COST


@pytest.mark.usefixtures("audited")
def test_a_player_who_leaves_has_all_coins_again_and_may_come_back(arena, alice, bob):
    battle = arena.create(alice, teams="1v1v1")
    arena.join(battle, bob)

    arena.leave(battle, bob)

    assert (cents(bob), held_cents(bob), escrow_cents()) == (STARTS_WITH, 0, COST)
    assert arena.join(battle, bob, 2).seat_of(bob.id).seat == 2


@pytest.mark.usefixtures("audited")
def test_the_creator_who_leaves_cancels_the_battle_for_everybody(arena, alice, bob):
    battle = arena.create(alice, teams="2v2")
    arena.join(battle, bob)
    arena.call_bot(battle, alice, 2)

    arena.leave(battle, alice)

    assert arena.now(battle).state == "cancelled"
    assert (cents(alice), cents(bob), escrow_cents()) == (STARTS_WITH, STARTS_WITH, 0)


@pytest.mark.usefixtures("audited")
def test_the_house_pays_the_seats_of_bots(arena, alice):
    battle = arena.locked(alice, None, None)

    assert battle.state == "locked"
    assert [seat.client_seed for seat in battle.seats[1:]] == ["bot-1", "bot-2"]
    assert (cents(alice), escrow_cents()) == (STARTS_WITH - COST, 3 * COST)


def test_who_leaves_and_joins_again_has_wagered_nothing(arena, alice, bob, me):
    battle = arena.create(alice, teams="1v1v1")
    before = me(bob)

    for _ in range(3):
        arena.join(battle, bob)
        arena.leave(battle, bob)

    assert me(bob) == before


# -- refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"cases": []},
        {"cases": "box"},
        {"cases": [{"case": "box", "count": 51}]},
        {"cases": [{"case": "box", "count": 26}, {"case": "box", "count": 25}]},
        {"cases": [{"case": "box", "count": 0}]},
        {"cases": [{"case": "box", "count": True}]},
        {"cases": [{"case": 5}]},
        {"mode": "other"},
        {"mode": 1},
        {"teams": "1v2"},
        {"teams": "7"},
        {"mode": "shared", "teams": "2v2"},
        {"mode": "shared", "crazy": True},
        {"mode": "shared", "terminal": True},
        {"crazy": "yes"},
        {"players_only": 1},
        {"private": None},
        {"price": None},
    ],
    ids=str,
)
def test_a_battle_that_there_can_not_be_is_invalid(arena, alice, change):
    with pytest.raises(InvalidBattle, match=r"^Invalid battle$"):
        arena.create(alice, **change)

    assert cents(alice) == STARTS_WITH


def test_fifty_cases_are_allowed(arena, new_player):
    battle = arena.create(new_player("rich", coins=1_000), times=50)

    assert battle.case_count == 50


@pytest.mark.parametrize("seat", [2, -1, "1", 1.0, True, None])
def test_a_seat_that_there_is_not_is_invalid(arena, alice, bob, seat):
    battle = arena.create(alice)

    with pytest.raises(InvalidBattle):
        arena.join(battle, bob, seat)
    with pytest.raises(InvalidBattle):
        arena.call_bot(battle, alice, seat)

    assert cents(bob) == STARTS_WITH


@pytest.mark.settings(BATTLE_MAX_COST="8")
def test_a_seat_may_not_cost_more_than_the_setting(arena, alice):
    assert arena.create(alice, times=2).cost_cents == 8_00
    with pytest.raises(BattleTooDear, match=r"^Battle is too dear$"):
        arena.create(alice, times=3)


@pytest.mark.settings(BATTLE_MAX_POT="40")
def test_the_dearest_items_of_all_seats_may_not_be_worth_more_than_the_setting(arena, alice):
    assert arena.create(alice, teams="2v2").state == "open"
    with pytest.raises(BattleTooDear):
        arena.create(alice, teams="1v1v1", times=2)


def free_case(_arena):
    import_case("Gift", {"Item of 2": 100}, kind="free")
    return "free-case"


def irl_case(_arena):
    import_irl_case("desk", price=4)
    return "desk"


def case_without_a_price(_arena):
    import_case("Cheap", {"Item of 2": 100})
    import_prices({"Item of 2": None})
    return "cheap"


@pytest.mark.parametrize(
    ("case", "refusal", "text"),
    [
        (free_case, CaseNotAvailable, "Case is not available"),
        (irl_case, CaseNotFound, "Case not found"),
        (case_without_a_price, CaseNotAvailable, "Case is not available"),
        (lambda _arena: "nothing", CaseNotFound, "Case not found"),
    ],
)
def test_a_case_that_is_not_for_battles_is_refused(arena, alice, case, refusal, text):
    slug = case(arena)
    arena.services.case_openings.forget_cached()

    with pytest.raises(refusal, match=rf"^{text}$"):
        arena.create(alice, cases=[{"case": "box"}, {"case": slug}])


def test_everybody_who_joins_needs_the_level_of_the_cases(arena, alice, new_player):
    import_case("Silver", {"Item of 2": 50, "Item of 10": 50}, kind="level", level=3)
    cases = {"cases": [{"case": "box"}, {"case": "silver"}], "price": 10.32}
    with pytest.raises(LevelTooLow):
        arena.create(alice, **cases)
    veterans = [new_player(f"veteran-{number}", level=3) for number in range(2)]
    battle = arena.create(veterans[0], **cases)

    with pytest.raises(LevelTooLow):
        arena.join(battle, alice)

    assert arena.join(battle, veterans[1]).state == "locked"


def test_a_player_has_five_open_battles_at_the_most(arena, alice, bob):
    battles = [arena.create(alice) for _ in range(5)]

    with pytest.raises(TooManyBattles, match=r"^Too many open battles$"):
        arena.create(alice)
    arena.join(battles[0], bob)

    assert arena.create(alice).state == "open"
    assert cents(alice) == STARTS_WITH - 6 * COST


@pytest.mark.both_databases("open battles are counted")
def test_of_many_battles_that_a_player_creates_at_once_five_are_open(arena, alice):
    def create():
        try:
            arena.create(alice)
        except TooManyBattles:
            return False
        return True

    assert all_at_once([create] * 10).count(True) == 5
    assert cents(alice) == STARTS_WITH - 5 * COST


def seats_of(arena, battle, alice, bob):
    """What is refused, in the order of the checks: each with the calls that it is refused for."""
    return [
        (BattleNotFound, "Battle not found", lambda: arena.services.battles.leave(public_id="x", user_id=1)),
        (BattlePriceChanged, "Battle price has changed", lambda: arena.join(battle, bob, 0, price=5)),
        (SeatTaken, "Seat is taken", lambda: arena.join(battle, alice, 0)),
        (AlreadySeated, "You already have a seat", lambda: arena.join(battle, alice, 1)),
        (NoSeat, "You have no seat", lambda: arena.leave(battle, bob)),
        (SeatTaken, "Seat is taken", lambda: arena.call_bot(battle, bob, 0)),
        (NotTheCreator, "Only the creator can call bots", lambda: arena.call_bot(battle, bob, 1)),
        (NoBots, "No bots in this battle", lambda: arena.call_bot(battle, alice, 1)),
    ]


def test_the_refusals_of_an_open_battle(arena, alice, bob):
    battle = arena.create(alice, players_only=True)
    rows = stored_rows()

    for refusal, text, call in seats_of(arena, battle, alice, bob):
        with pytest.raises(refusal, match=rf"^{text}$"):
            call()

    assert stored_rows() == rows


def test_the_refusals_of_a_locked_and_of_a_cancelled_battle(arena, alice, bob, new_player):
    locked, cancelled, other = arena.locked(alice, bob), arena.create(alice), new_player("other")
    arena.leave(cancelled, alice)
    rows = stored_rows()

    with pytest.raises(BattleBegun, match=r"^Battle has begun$"):
        arena.leave(locked, alice)
    with pytest.raises(SeatTaken):
        arena.join(locked, other)
    with pytest.raises(SeatTaken):
        arena.call_bot(locked, alice)
    for call in (arena.leave, arena.join, arena.call_bot):
        with pytest.raises(BattleCancelled, match=r"^Battle is cancelled$"):
            call(cancelled, alice)

    assert stored_rows() == rows


@pytest.mark.parametrize(
    ("change", "refusal"),
    [({"client_seed": "a b"}, InvalidClientSeed), ({"request_id": ""}, InvalidRequest)],
    ids=str,
)
def test_the_seeds_and_ids_of_requests_are_checked(arena, alice, bob, change, refusal):
    battle = arena.create(alice)

    with pytest.raises(refusal):
        arena.join(battle, bob, **change)


def test_a_player_who_can_not_pay_is_refused_and_the_seat_stays_free(arena, alice, new_player):
    battle, poor = arena.create(alice), new_player("poor", coins=3)

    with pytest.raises(InsufficientBalance):
        arena.join(battle, poor)

    assert (cents(poor), arena.now(battle).seats_taken) == (3_00, 1)


@pytest.mark.usefixtures("audited")
def test_a_revoked_token_takes_no_seat(arena, alice, bob, clock):
    battle = arena.create(alice)
    access.log_out_everywhere(user_id=bob.id, now=clock())

    with pytest.raises(Refusal):
        arena.join(battle, bob)

    assert cents(bob) == STARTS_WITH


# -- limits, breaks and suspensions -----------------------------------------------------------------------


def test_what_open_seats_cost_counts_for_limits(arena, alice, bob, send):
    send(bob, "PUT", "/limits", {"kind": "wager", "period": "day", "value": 10})
    first, second, third = (arena.create(alice) for _ in range(3))
    arena.join(first, bob)
    locked = arena.join(second, bob)

    with pytest.raises(LimitReached):
        arena.join(third, bob)

    arena.end(locked)
    with pytest.raises(LimitReached):
        arena.join(third, bob)


def test_a_seat_that_is_left_does_not_count_for_limits(arena, alice, bob, send):
    send(bob, "PUT", "/limits", {"kind": "loss", "period": "month", "value": 5})
    first, second = arena.create(alice, teams="1v1v1"), arena.create(alice, teams="1v1v1")
    arena.join(first, bob)
    with pytest.raises(LimitReached):
        arena.join(second, bob)

    arena.leave(first, bob)

    assert arena.join(second, bob).seats_taken == 2


def begin_break(send, bob, _run):
    send(bob, "POST", "/limits/exclusion", {"duration": "24h"})


def lower_limit(send, bob, _run):
    send(bob, "PUT", "/limits", {"kind": "wager", "period": "week", "value": 7.99})


def suspend(_send, bob, run):
    run("users", "suspend", bob.platform_id)


@pytest.mark.usefixtures("audited")
@pytest.mark.both_databases("services/battles/upkeep.py")
@pytest.mark.parametrize("restrict", [begin_break, lower_limit, suspend])
def test_a_player_who_may_not_bet_any_more_has_open_seats_back_at_once(
    arena, alice, bob, send, run, restrict
):
    locked, joined, own = arena.locked(alice, bob), arena.create(alice, teams="2v2"), arena.create(bob)
    arena.join(joined, bob)

    restrict(send, bob, run)

    assert arena.now(joined).seat_of(bob.id) is None
    assert arena.now(own).state == "cancelled"
    assert arena.now(locked).state == "locked"
    assert (cents(bob), held_cents(bob)) == (STARTS_WITH - COST, COST)
    assert arena.end(locked).state == "settled"


@pytest.mark.parametrize(
    ("restrict", "refusal"),
    [
        (begin_break, TakingABreak),
        (suspend, AccountSuspended),
    ],
)
def test_a_player_who_may_not_bet_takes_no_seat(arena, alice, bob, send, run, restrict, refusal):
    battle = arena.create(alice)
    restrict(send, bob, run)

    with pytest.raises(refusal):
        arena.join(battle, bob)

    assert cents(bob) == STARTS_WITH


@pytest.mark.usefixtures("audited")
def test_no_battle_is_locked_with_a_player_whose_seat_is_to_be_taken_back(arena, alice, bob, clock):
    battle = arena.create(alice)
    # Another process has not come to the seats yet.
    exclusions.exclude(user_id=alice.id, duration="24h", now=clock())

    with pytest.raises(BattlesPaused):
        arena.join(battle, bob)
    arena.cancel_due(battle)

    assert arena.now(battle).state == "cancelled"
    assert (cents(alice), cents(bob)) == (STARTS_WITH, STARTS_WITH)


# -- battles that are cancelled ---------------------------------------------------------------------------


def retire(arena):
    retire_case(name="Box", now=arena.clock())


def change_chances(arena):
    arena.import_box(30)


def lose_a_price(arena):
    import_prices({"Item of 2": None}, now=arena.clock())


def retire_item(arena):
    selling.retire(name="Item of 10", now=arena.clock())


@pytest.mark.usefixtures("audited")
@pytest.mark.parametrize("change", [retire, change_chances, lose_a_price, retire_item])
@pytest.mark.parametrize("who", ["the task", "a join"])
def test_a_case_that_is_not_what_it_was_cancels_its_open_battles(arena, alice, bob, change, who):
    battle, locked = arena.create(alice, teams="1v1v1"), arena.locked(alice, bob)
    arena.join(battle, bob)
    arena.services.battle_upkeep.cancel_due()

    change(arena)

    arena.services.case_openings.forget_cached()
    if who == "the task":
        arena.services.battle_upkeep.cancel_due()
    else:
        with pytest.raises(BattleCancelled):
            arena.call_bot(battle, alice, 2)
    assert arena.now(battle).state == "cancelled"
    assert (cents(alice), cents(bob)) == (STARTS_WITH - COST, STARTS_WITH - COST)
    assert arena.end(locked).state == "settled"


@pytest.mark.usefixtures("audited")
def test_a_new_price_cancels_no_battle_and_changes_none(arena, alice, bob):
    battle = arena.create(alice)
    import_prices({"Item of 2": 3, "Item of 10": 50}, now=arena.clock())
    arena.import_box()

    assert arena.cancel_due(battle).state == "open"
    settled = arena.end(arena.join(battle, bob))

    assert settled.state == "settled"
    assert settled.cost_cents == COST
    assert {item.price_cents for seat in settled.drawn for item in seat} <= {2_00, 10_00}


@pytest.mark.usefixtures("audited")
@pytest.mark.parametrize("who", ["the task", "a join"])
def test_a_battle_that_nobody_completes_for_an_hour_is_cancelled(arena, alice, bob, clock, who):
    battle = arena.create(alice)
    clock.advance(minutes=60, ms=-1)
    assert arena.cancel_due(battle).state == "open"
    clock.advance(ms=1)

    if who == "the task":
        arena.cancel_due(battle)
    else:
        with pytest.raises(BattleCancelled):
            arena.join(battle, bob)

    assert arena.now(battle).state == "cancelled"
    assert (cents(alice), escrow_cents()) == (STARTS_WITH, 0)


@pytest.mark.usefixtures("audited")
def test_a_battle_that_was_open_when_the_server_stopped_for_hours_is_cancelled(arena, alice, clock):
    battle = arena.create(alice)
    clock.advance(hours=3)
    queries.content_of.cache_clear()
    arena.services.battle_upkeep.forget_contents()

    assert arena.cancel_due(battle).state == "cancelled"
    assert cents(alice) == STARTS_WITH


# -- beacons that do not come -----------------------------------------------------------------------------


def nothing_for_six_seconds(arena):
    arena.clock.advance(ms=6_001)


def clock_is_behind(arena):
    # The newest beacon seems to come from the future.
    arena.clock.advance(ms=-3_000)


def came_too_late(arena):
    arena.clock.advance(seconds=30)
    due = arena.services.beacons.next_round_after_lock(arena.clock()) - 3
    late = arena.services.beacons._demo._sign(due)
    arena.clock.now = arena.services.beacons.chain.time_ms(due) + 3_001
    arena.services.beacons.keep(late.round, late.signature)


@pytest.mark.usefixtures("audited")
@pytest.mark.parametrize("trouble", [nothing_for_six_seconds, clock_is_behind, came_too_late])
def test_no_last_seat_is_taken_while_beacons_do_not_come_in_time(arena, alice, bob, trouble):
    battle, larger = arena.create(alice), arena.create(alice, teams="1v1v1")
    trouble(arena)
    rows = stored_rows()

    with pytest.raises(BattlesPaused, match=r"^Battles are paused$"):
        arena.join(battle, bob)
    with pytest.raises(BattlesPaused):
        arena.call_bot(battle, alice)

    assert stored_rows() == rows
    assert cents(bob) == STARTS_WITH
    assert arena.now(battle).seats_taken == 1
    # Other seats can be taken.
    assert arena.join(larger, bob).seats_taken == 2


def test_battles_begin_again_with_the_next_beacon(arena, alice, bob):
    battle = arena.create(alice)
    arena.clock.advance(seconds=30)
    with pytest.raises(BattlesPaused):
        arena.join(battle, bob)

    arena.poll()

    assert arena.join(battle, bob).state == "locked"


@pytest.mark.settings(BEACON_URLS="")
def test_without_relays_there_are_no_battles(app, new_player, clock):
    with pytest.raises(BattlesOff):
        app.extensions["services"].battles.check_on()


@pytest.mark.usefixtures("audited")
def test_open_battles_are_cancelled_when_battles_are_turned_off(arena, alice, make_app, clock):
    battle = arena.create(alice)

    make_app(clock=clock, BEACON_URLS="").extensions["services"].battle_upkeep.cancel_due()

    assert arena.now(battle).state == "cancelled"
    assert (cents(alice), escrow_cents()) == (STARTS_WITH, 0)
