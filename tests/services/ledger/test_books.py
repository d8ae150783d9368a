"""Every figure equals the books after any sequence of actions with interruptions.

``python -m bench.money_model`` looks for longer.
"""

import itertools

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from bench.harness.money.interruptions import Kind, Moment
from bench.harness.money.model import HOUR_MS, Players, Trouble
from bench.harness.money.world import SETTINGS, World
from models.bets import Bet
from models.case_spins import CaseSpins
from models.db.connection import database, writing
from models.prizes import Prize
from models.users import User

pytestmark = pytest.mark.slow

EXAMPLES, STEPS = 6, 12
FREE, IRL = 2, 3
"""Cases of the world."""


@pytest.fixture
def world(make_app, env, process_count):
    shared = {name: env[name] for name in ("REDIS_URL",) if process_count > 1}
    return World(lambda clock: make_app(clock=clock, **SETTINGS, **shared), processes=process_count)


@pytest.fixture
def model(world):
    return type("OnThisDatabase", (Players,), {"world": world})


@pytest.fixture
def players(model):
    """Three players who own a code each and have done nothing else."""
    players = model()
    players.join(3)
    return players


def test_every_figure_equals_the_books(model, world):
    run_state_machine_as_test(
        model,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )

    assert world.counts["actions done"] > EXAMPLES


def deeds(players):
    """One of each kind that can be done now; they take what trouble they come to."""

    def unlock(trouble):
        players.lock(1, 1, 1, None)
        players.time_passes(1)
        players.unlock(1, trouble)

    def claim(trouble):
        players.pay(0, "deposit", 500, None)
        players.claim(1, trouble)

    def kept_prize():
        held = players.books[0].prizes
        if all(prize.status != "kept" for prize in held):
            players.open(0, IRL, False, None)
        return next(number for number, prize in enumerate(held) if prize.status == "kept")

    def ship(trouble):
        held = players.books[0].prizes
        if all(prize.status != "shipping" for prize in held):
            players.ask_for_shipping(0, kept_prize(), None)
        players.ship(0, next(n for n, prize in enumerate(held) if prize.status == "shipping"), trouble)

    def confirm(trouble):
        players.limit(2, "loss", "day", 500, None)
        players.limit(2, "loss", "day", 600, None)
        players.time_passes(24)
        players.confirm(2, 0, trouble)

    # A suspended player can't be shown the figures, which are compared after each deed.
    def suspend(trouble):
        players.suspend(2, is_suspended=True, trouble=trouble)
        players.suspend(2, is_suspended=False, trouble=None)

    def resume(trouble):
        players.suspend(2, is_suspended=True, trouble=None)
        players.suspend(2, is_suspended=False, trouble=trouble)

    return {
        "set limit": lambda trouble: players.limit(2, "wager", "week", 100, trouble),
        "confirm limit": confirm,
        "take break": lambda trouble: players.take_break(2, 1, trouble),
        "suspend": suspend,
        "resume": resume,
        "set code": lambda trouble: players.set_code(2, "code3", trouble),
        "use code": lambda trouble: players.use_code(0, "CODE1", trouble),
        "deposit": lambda trouble: players.pay(0, "deposit", 500, trouble),
        "withdraw": lambda trouble: players.pay(0, "withdraw", 500, trouble),
        # Just a high roll.
        "spin lost": lambda trouble: players.spin(0, 5_000, False, trouble),
        "spin won": lambda trouble: players.spin(0, 100_000, True, trouble),
        "open free case": lambda trouble: players.open(0, FREE, True, trouble),
        "open irl case": lambda trouble: players.open(0, IRL, True, trouble),
        "sell": lambda trouble: players.sell(0, kept_prize(), trouble),
        "ask for shipping": lambda trouble: players.ask_for_shipping(0, kept_prize(), trouble),
        "ship": ship,
        "claim": claim,
        "lock": lambda trouble: players.lock(0, 100, 1, trouble),
        "unlock": unlock,
    }


def test_an_action_interrupted_at_any_statement_changes_nothing(model, world):
    players = model()
    players.join(2)
    statements, done = {}, set()

    for name, do in deeds(players).items():
        before = world.counts["the process dies, done"]
        for n in itertools.count(1):
            world.fuse.burnt = None
            do(Trouble(Kind.DIES, Moment(n), again=False))
            players.the_books_are_right()
            if world.fuse.burnt is None:
                break
        players.every_figure_is_the_one_kept_by_hand()
        statements[name] = n - 1
        if world.counts["the process dies, done"] > before:
            done.add(name)

    # On PostgreSQL a bet is settled in one statement.
    assert {name for name, asked in statements.items() if asked <= 5} <= {
        "set code",
        "spin won",
        "spin lost",
        "open free case",
        "open irl case",
        "ask for shipping",
        "ship",
    }, statements
    # These read their answer after the commit.
    assert done <= {"set limit", "confirm limit", "suspend", "resume"}


def test_an_action_whose_answer_is_lost_after_its_commit_is_done_once(model, world):
    players = model()
    players.join(2)

    for do in deeds(players).values():
        do(Trouble(Kind.DIES, Moment(None, after=True), again=True))
        players.the_books_are_right()

    players.every_figure_is_the_one_kept_by_hand()
    assert world.counts["the process dies, done"] == len(deeds(players))


def coin_out_of_nowhere():
    User.update(balance_cents=User.balance_cents + 1).execute()


def locked_for_longer():
    User.update(vault_deadline_ms=User.vault_deadline_ms + HOUR_MS).execute()


def experience_for_nothing():
    User.update(wagered_cents=User.wagered_cents + 100).execute()


def bet_of_more():
    Bet.update(wager_cents=Bet.wager_cents + 1).execute()


def bonus_still_to_come():
    User.update(deposit_bonus=False).execute()


def prize_of_more():
    Prize.update(value_cents=Prize.value_cents + 1).execute()


def shipped_for_nothing():
    Prize.update(status="shipped", sealed_address="sealed").execute()


def wager_of_the_day_too_little():
    User.update(day_wagered_cents=User.day_wagered_cents - 1).execute()


def limit_of_more():
    User.update(month_loss_limit_cents=User.month_loss_limit_cents + 1).execute()


def opening_too_many():
    CaseSpins.update(spins=CaseSpins.spins + 1).execute()


def test_every_wrong_balance_or_total_is_reported(players):
    players.lock(0, 100, 1, None)
    players.use_code(0, "CODE1", None)
    players.spin(0, 100, False, None)
    players.open(0, IRL, False, None)
    players.limit(0, "loss", "month", 500_000, None)

    unnoticed = []
    for falsify in (
        coin_out_of_nowhere,
        locked_for_longer,
        experience_for_nothing,
        bet_of_more,
        bonus_still_to_come,
        prize_of_more,
        shipped_for_nothing,
        wager_of_the_day_too_little,
        limit_of_more,
        opening_too_many,
    ):
        with writing(), database.atomic() as savepoint:
            falsify()
            try:
                players.the_books_are_right()
                players.every_figure_is_the_one_kept_by_hand()
                unnoticed.append(falsify.__name__)
            except AssertionError:
                pass
            savepoint.rollback()

    assert unnoticed == []
