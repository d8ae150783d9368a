"""Every figure equals the books after any sequence of actions with interruptions.

With ``--effort 100`` there are 200 longer sequences, other ones each time or those of ``--hypothesis-seed``.
"""

import itertools

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.support.money.interruptions import InterruptionKind, Moment
from tests.support.money.model import Players, Trouble
from tests.support.money.world import SETTINGS, World

EXAMPLES, STEPS, MOST_STEPS = 2, 12, 30
FREE, IRL = 2, 3
"""Cases of the world."""


@pytest.fixture
def world(make_app, env, process_count):
    shared = {name: env[name] for name in ("REDIS_URL",) if process_count > 1}
    return World(lambda clock: make_app(clock=clock, **SETTINGS, **shared), processes=process_count)


@pytest.fixture
def model(world):
    return type("OnThisDatabase", (Players,), {"world": world})


@pytest.mark.guarantee("Every figure")
@pytest.mark.regulation("RTS 12B: kinds of limits")
@pytest.mark.thorough
def test_every_figure_equals_the_books(model, world, effort, note_figure):
    run_state_machine_as_test(
        model,
        settings=settings(
            max_examples=EXAMPLES * effort,
            stateful_step_count=STEPS if effort == 1 else MOST_STEPS,
            derandomize=effort == 1,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )

    assert world.counts["actions done"] > EXAMPLES
    note_figure(f"{dict(world.counts)}, 0 wrong")


def deeds(players):
    """One of each kind that can be done now, in two steps: what must be done before, and the deed.

    The deed takes what trouble it comes to.
    """

    def lock_for_an_hour():
        players.lock(1, 1, 1, None)
        players.time_passes(1)

    def kept_prize():
        held = players.books[0].prizes
        if all(prize.status != "kept" for prize in held):
            players.open(0, IRL, False, None)
        return next(number for number, prize in enumerate(held) if prize.status == "kept")

    def ship(trouble):
        held = players.books[0].prizes
        players.ship(0, next(n for n, prize in enumerate(held) if prize.status == "shipping"), trouble)

    def ask_to_raise_a_limit():
        players.limit(2, "loss", "day", 500, None)
        players.limit(2, "loss", "day", 600, None)
        players.time_passes(24)

    def deposit_and_lose():
        players.pay(0, "deposit", 500, None)
        players.spin(0, 1_000, False, None)

    return {
        "set limit": (nothing, lambda trouble: players.limit(2, "wager", "week", 100, trouble)),
        "confirm limit": (ask_to_raise_a_limit, lambda trouble: players.confirm(2, 0, trouble)),
        "take break": (nothing, lambda trouble: players.take_break(2, 1, trouble)),
        "suspend": (nothing, lambda trouble: players.suspend(2, is_suspended=True, trouble=trouble)),
        "resume": (nothing, lambda trouble: players.suspend(2, is_suspended=False, trouble=trouble)),
        "set code": (nothing, lambda trouble: players.set_code(2, "code3", trouble)),
        "use code": (nothing, lambda trouble: players.use_code(0, "CODE1", trouble)),
        "deposit": (nothing, lambda trouble: players.pay(0, "deposit", 500, trouble)),
        "withdraw": (nothing, lambda trouble: players.pay(0, "withdraw", 500, trouble)),
        "claim": (deposit_and_lose, lambda trouble: players.claim(1, trouble)),
        "adjust up": (nothing, lambda trouble: players.adjust(0, 1, 500, trouble)),
        "adjust down": (nothing, lambda trouble: players.adjust(0, -1, 500, trouble)),
        # Just a high roll.
        "spin lost": (nothing, lambda trouble: players.spin(0, 5_000, False, trouble)),
        "spin won": (nothing, lambda trouble: players.spin(0, 100_000, True, trouble)),
        "open free case": (nothing, lambda trouble: players.open(0, FREE, True, trouble)),
        "open irl case": (nothing, lambda trouble: players.open(0, IRL, True, trouble)),
        "sell": (kept_prize, lambda trouble: players.sell(0, kept_prize(), trouble)),
        "ask for shipping": (
            kept_prize,
            lambda trouble: players.ask_for_shipping(0, kept_prize(), trouble),
        ),
        "ship": (lambda: players.ask_for_shipping(0, kept_prize(), None), ship),
        "lock": (nothing, lambda trouble: players.lock(0, 100, 1, trouble)),
        "unlock": (lock_for_an_hour, lambda trouble: players.unlock(1, trouble)),
        **deeds_of_payments(players),
    }


def deeds_of_payments(players):
    def request():
        players.ask_for_withdrawal(0, 500, None)

    def decide(do):
        def decide_about_one(trouble):
            if not players.books[0].waiting("requested"):
                request()
            do(0, 0, trouble)

        return request, decide_about_one

    return {
        "ask for deposit": (nothing, lambda trouble: players.ask_for_deposit(0, 500, trouble)),
        "credit": (nothing, lambda trouble: players.credit(0, 0, trouble)),
        "ask for withdrawal": (nothing, lambda trouble: players.ask_for_withdrawal(0, 500, trouble)),
        "reject": decide(players.reject),
        "pay out": decide(players.pay_out),
    }


def nothing():
    """Some deeds need nothing before."""


@pytest.mark.guarantee("Every figure")
@pytest.mark.security("Coins")
@pytest.mark.regulation("2.5.6 Financial transactions")
@pytest.mark.thorough
def test_an_action_interrupted_at_any_statement_changes_nothing(model, world):
    players = model()
    players.join(2)
    statements, done = {}, set()

    for name, (prepare, do) in deeds(players).items():
        prepare()
        before = world.counts["the process dies, done"]
        for n in itertools.count(1):
            world.fuse.burnt = None
            # Dying at a read leaves behind the same as dying at the next write.
            do(Trouble(InterruptionKind.DIES, Moment(n, of_writes=True), again=False))
            if world.fuse.burnt is None:
                break
        # Whatever an interruption left wrong is still wrong now, and figures are still wrong at the end.
        players.the_books_are_right()
        statements[name] = n - 1
        if world.counts["the process dies, done"] > before:
            done.add(name)

    players.every_figure_is_the_one_kept_by_hand()
    # On PostgreSQL a bet is settled in one statement.
    assert {name for name, asked in statements.items() if asked <= 1} <= {
        "spin won",
        "spin lost",
        "open free case",
        "open irl case",
    }, statements
    # These commit more than once.
    assert done <= {"set limit", "confirm limit", "ask for deposit", "pay out"}


@pytest.mark.guarantee("Every figure")
@pytest.mark.security("Coins")
@pytest.mark.regulation("2.5.6 Financial transactions")
@pytest.mark.both_databases("money postings")
@pytest.mark.parametrize("after", [False, True], ids=["before the commit", "after the commit"])
def test_an_action_is_done_once_although_the_process_dies_at_its_commit(model, world, after):
    players = model()
    players.join(2)

    for prepare, do in deeds(players).values():
        prepare()
        do(Trouble(InterruptionKind.DIES, Moment(None, after=after), again=True))

    players.the_books_are_right()
    players.every_figure_is_the_one_kept_by_hand()
    # Some are refused when what came before was undone, such as ending a suspension.
    assert world.counts[f"the process dies, {'done' if after else 'undone'}"] > 20
