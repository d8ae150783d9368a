"""The feed's turns: on time, conditional, one for all processes, and not for ever to a feed that fails."""

import itertools

import pytest

from bench.harness.price_sources import feed, tagged_feed, text
from services.prices import feed_update
from services.prices.errors import Stopped
from tests.prices.conftest import HOUR, START


def conditions(source):
    return [ask.headers.get("If-None-Match") for ask in source.asks]


def test_the_first_turn_is_due_at_once_and_the_next_an_hour_later(prices, source, clock, add, standing):
    add({"One": 1})
    source.answer = feed({"One": 150})
    asks = []

    for step in (0, 0, HOUR - 1, 1):
        clock.forward(ms=step)
        prices.run_due()
        asks.append(len(source.asks))

    assert asks == [1, 1, 1, 2]
    assert standing() == {"One": 150}


def test_a_restart_keeps_the_time_of_the_next_turn(prices, source, clock, restart):
    source.answer = feed({})
    prices.run_due()
    again = restart()

    clock.forward(minutes=59)
    again.run_due()
    early = len(source.asks)
    clock.forward(minutes=1)
    again.run_due()

    assert (early, len(source.asks)) == (1, 2)


def test_another_period_counts_from_the_last_turn(prices, source, clock, restart):
    source.answer = feed({})
    prices.run_due()
    clock.forward(minutes=2)

    restart(PRICE_REFRESH_SECONDS="60").run_due()

    assert len(source.asks) == 2


def test_another_address_is_asked_at_once_and_unconditionally(prices, source, restart):
    source.answer = tagged_feed({})
    prices.run_due()

    restart(PRICE_FEED_URL=source.url + "?other").run_due()

    assert conditions(source) == [None, None]


def test_a_clock_that_was_set_back_does_not_stop_the_turns(prices, source, clock):
    source.answer = feed({})
    clock.forward(hours=1000)
    prices.run_due()

    clock.now = START
    prices.run_due()

    assert len(source.asks) == 2


@pytest.mark.parametrize("ends", [True, False], ids=["a turn that is over", "a turn that is under way"])
def test_a_process_whose_clock_is_behind_does_not_repeat_a_turn(prices, source, clock, restart, ends):
    behind = restart()
    good = feed({})

    def answer(handler):
        if not ends:
            take_turn_with_the_clock_of_a_minute_ago()
        good(handler)

    def take_turn_with_the_clock_of_a_minute_ago():
        clock.forward(minutes=-1)
        behind.run_due()
        clock.forward(minutes=1)

    source.answer = answer
    prices.run_due()
    if ends:
        take_turn_with_the_clock_of_a_minute_ago()

    assert len(source.asks) == 1


@pytest.mark.parametrize("settings", [7200], indirect=True)
def test_a_process_whose_clock_is_behind_respects_a_pause_of_an_hour(prices, source, clock, restart):
    source.answer = text("[]")
    for _ in range(12):
        prices.run_due()
        clock.forward(hours=2)
    before = len(source.asks)
    clock.forward(hours=-2, seconds=-1)

    restart(PRICE_REFRESH_SECONDS="60").run_due()

    assert len(source.asks) == before


def test_of_two_processes_one_takes_the_turn(prices, source, restart):
    other = restart()
    good = feed({})

    def answer(handler):
        other.run_due()
        good(handler)

    source.answer = answer
    prices.run_due()

    assert len(source.asks) == 1


def test_the_turn_of_a_process_that_died_is_taken_by_another(prices, source, clock, restart, add, standing):
    add({"One": 1})
    source.answer = feed({"One": 150})

    def die():
        raise KeyboardInterrupt

    prices._feed._between = die
    with pytest.raises(KeyboardInterrupt):
        prices.run_due()
    clock.forward(minutes=4)
    restart().run_due()
    early = standing()
    clock.forward(minutes=1)
    restart().run_due()

    assert (early, standing()) == ({"One": 100}, {"One": 150})


def test_a_turn_that_is_cut_short_is_left_to_the_next_process(prices, source, restart, add, standing):
    add({"One": 1})
    good = feed({"One": 150})

    def answer(handler):
        prices.stop()
        good(handler)

    source.answer = answer
    with pytest.raises(Stopped):
        prices.run_due()
    prices.give_back()
    before = standing()
    source.answer = good
    restart().run_due()

    assert (before, standing()) == ({"One": 100}, {"One": 150})


def test_a_document_that_is_known_is_not_sent_again(
    prices, source, clock, add, standing, turns, next_fetches
):
    add({"One": 1})
    source.answer = tagged_feed({"One": 150})

    prices.run_due()
    clock.forward(hours=1)
    prices.run_due()

    assert conditions(source) == [None, '"one"']
    assert turns == ["applied", "not modified"]
    assert (standing(), next_fetches()) == ({"One": 150}, {"One": START + 2 * HOUR})


def test_a_restart_keeps_the_validators(prices, source, clock, add, restart):
    add({"One": 1})
    source.answer = tagged_feed({"One": 150})
    prices.run_due()

    clock.forward(hours=1)
    restart().run_due()

    assert conditions(source) == [None, '"one"']


def test_a_document_without_a_tag_is_asked_for_by_its_date(prices, source, clock):
    date = "Tue, 14 Nov 2023 22:13:20 GMT"
    source.answer = feed({}, Last_Modified=date)
    prices.run_due()

    clock.forward(hours=1)
    prices.run_due()

    assert source.asks[-1].headers["If-Modified-Since"] == date


def test_a_bad_document_does_not_become_the_known_one(prices, source, clock, add, standing, turns):
    add({"One": 1})
    source.answer = tagged_feed([1])
    prices.run_due()

    source.answer = tagged_feed({"One": 150})
    clock.forward(hours=1)
    prices.run_due()

    assert (conditions(source), turns) == ([None, None], ["bad document", "applied"])
    assert standing() == {"One": 150}


@pytest.mark.parametrize(
    "imported",
    [{"New": None}, {"One": 7}, {"One": None}],
    ids=["a new item", "another price", "no price"],
)
def test_what_was_imported_meanwhile_gets_its_price_although_the_document_is_the_same(
    prices, source, clock, add, standing, imported
):
    add({"One": 1})
    source.answer = tagged_feed({"One": 150, "New": 30})
    prices.run_due()
    add(imported)

    clock.forward(hours=1)
    prices.run_due()

    assert standing() == {"One": 150} | dict.fromkeys(imported.keys() - {"One"}, 30)


@pytest.mark.parametrize("answers", [0, 1], ids=["the document is applied", "it is found to be the same"])
def test_what_is_imported_in_the_middle_of_a_turn_gets_its_price_in_the_next(
    prices, source, clock, add, standing, answers
):
    add({"One": 1})
    source.answer = tagged_feed({"One": 150, "New": 30})
    for _ in range(answers):
        prices.run_due()
        clock.forward(hours=1)
    read, imported = feed_update._slice_after, []

    def step_in(last_id):
        rows = read(last_id)
        if not rows and not imported:
            imported.append(1)
            clock.forward(ms=1)
            add({"One": 7, "New": None})
        return rows

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feed_update, "_slice_after", step_in)
        prices.run_due()
    clock.forward(hours=1)
    prices.run_due()

    assert (imported, standing()) == ([1], {"One": 150, "New": 30})


def test_after_a_failed_turn_items_say_when_the_next_one_is(prices, source, clock, add, next_fetches, turns):
    add({"One": 1})
    source.answer = feed({"One": 150})
    prices.run_due()
    source.answer = text("[]")
    clock.forward(hours=1)

    prices.run_due()

    assert turns == ["applied", "bad document"]
    assert next_fetches() == {"One": START + 2 * HOUR}


@pytest.fixture
def settings(request, source):
    """An hour between the turns, unless the test says another number of seconds."""
    return {"PRICE_FEED_URL": source.url, "PRICE_REFRESH_SECONDS": str(getattr(request, "param", 3600))}


@pytest.mark.parametrize("settings", [60], indirect=True)
def test_a_feed_that_keeps_failing_is_asked_more_and_more_rarely_but_at_least_hourly(prices, source, clock):
    source.answer = text("[]")
    asked_at = []

    for minute in range(10 * 60):
        before = len(source.asks)
        prices.run_due()
        if len(source.asks) > before:
            asked_at.append(minute)
        clock.forward(minutes=1)

    gaps = [later - earlier for earlier, later in itertools.pairwise(asked_at)]
    assert gaps[:10] == [1, 1, 1, 2, 4, 8, 16, 32, 60, 60]


@pytest.mark.parametrize("settings", [60], indirect=True)
def test_the_pause_outlives_a_restart_and_ends_with_the_first_success(prices, source, clock, restart):
    source.answer = text("[]")
    for _ in range(4):
        prices.run_due()
        clock.forward(minutes=1)
    again = restart()
    again.run_due()
    paused = [state.is_paused for state in again.states()]
    source.answer = feed({})
    clock.forward(minutes=1)
    again.run_due()

    assert (len(source.asks), paused) == (5, [True])
    assert [state.is_paused for state in again.states()] == [False]


@pytest.mark.parametrize("settings", [60], indirect=True)
def test_the_command_asks_a_feed_that_is_left_alone(prices, run, source, clock, add, standing):
    add({"One": 1})
    source.answer = text("[]")
    for _ in range(3):
        prices.run_due()
        clock.forward(minutes=1)
    source.answer = feed({"One": 150})

    run("prices", "refresh")

    assert standing() == {"One": 150}
