"""Concurrent requests for one prize: each prize is sold or shipped once."""

from collections import Counter
from functools import partial

import pytest

from tests.support.at_once import all_at_once

MANY = 20
NOT_AVAILABLE = (400, "Prize is no longer available")


@pytest.fixture
def at_once(app, player):
    """Posts to these paths, each on a thread of its own; counts the statuses and what was answered."""

    def post(path):
        answer = app.test_client().post(path, headers=player.headers)
        return answer.status_code, answer.json.get("error") or answer.json.get("amount", "shipping")

    return lambda paths: Counter(all_at_once([partial(post, path) for path in paths]))


@pytest.mark.both_databases("a race")
@pytest.mark.security("Prizes")
def test_one_of_many_concurrent_sales_of_a_prize_pays(at_once, win, balance, ledger):
    prize_id = win(value=25)

    answers = at_once([f"/prizes/{prize_id}/sell"] * MANY)

    assert answers == {(200, 25): 1, NOT_AVAILABLE: MANY - 1}
    assert balance() == 120
    assert ledger() == 3


@pytest.mark.both_databases("a race")
@pytest.mark.security("Prizes")
@pytest.mark.usefixtures("addressed")
def test_a_prize_sold_and_shipped_at_once_is_only_one(at_once, win, statuses, balance, ledger):
    prizes = [win(value=25, price=1) for _ in range(5)]

    answers = at_once([f"/prizes/{number}/{action}" for number in prizes for action in ("sell", "ship") * 2])

    sold = answers[200, 25]
    assert answers == +Counter({(200, 25): sold, (200, "shipping"): 5 - sold, NOT_AVAILABLE: 15})
    assert Counter(statuses()) == +Counter(sold=sold, shipping=5 - sold)
    assert balance() == 95 + 25 * sold
    assert ledger() == 6 + sold


@pytest.mark.usefixtures("addressed")
def test_one_of_many_concurrent_marks_of_a_prize_succeeds(app, win, post, ledger):
    prize_id = win()
    post(prize_id, "ship")

    def ship():
        return app.test_cli_runner().invoke(args=["prizes", "ship", str(prize_id)]).exit_code

    assert Counter(all_at_once([ship] * MANY)) == {0: 1, 1: MANY - 1}
    assert ledger() == 3
