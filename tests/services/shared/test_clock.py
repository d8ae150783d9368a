"""Days, weeks and months: each begins where the previous one ends."""

from hypothesis import given
from hypothesis import strategies as st

from services.shared.clock import CalendarPeriod
from tests.harness.spins import at

TIMES = st.integers(min_value=at("1971-01-01 00:00"), max_value=at("2200-01-01 00:00"))


@given(period=st.sampled_from(CalendarPeriod), now=TIMES)
def test_a_time_lies_between_its_periods_start_and_end(period, now):
    assert period.start(now) <= now < period.end(now)


@given(period=st.sampled_from(CalendarPeriod), now=TIMES)
def test_a_period_ends_where_the_next_one_begins(period, now):
    end = period.end(now)

    assert period.start(end) == end
    assert period.start(end - 1) == period.start(now)
