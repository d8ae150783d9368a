"""Battles that one process changes reach those who watch them in all processes."""

from decimal import Decimal

import pytest
import requests

from services.shared import decimal_json
from tests.harness.players import create_player, import_case
from tests.support.apps import ITEM

pytestmark = pytest.mark.redis

PRICE = Decimal("10.53")
TEAMS = "1v1v1"


@pytest.fixture(scope="module")
def case(processes):
    import_case("Box", {ITEM: 100})
    return "box"


@pytest.fixture
def post(processes):
    """Sends a request to the first process; what it was answered."""

    def post(player, path, body=None):
        content, address = decimal_json.dumps(body or {}), processes.urls[0] + path
        answer = requests.post(address, data=content, headers=player.headers, timeout=20)
        assert answer.status_code == 200, answer.text
        return decimal_json.loads(answer.text)

    return post


@pytest.fixture
def create(post, player, case):
    """Creates a battle of three at the first process."""
    body = {"cases": [{"case": case}], "mode": "normal", "teams": TEAMS, "price": PRICE}
    return lambda **changes: post(player, "/battles", body | changes)


def test_those_who_watch_at_another_process_see_every_change(connect, create, post, player):
    watcher, creator = connect(1), connect(1, player)
    assert watcher.call("battles:watch")["status"]

    battle = create()
    listed = watcher.expect("battles:changed")
    assert watcher.call("battle:watch", {"id": battle["id"]}) == {"status": True, "battle": battle}
    balance = creator.expect("balance")
    left = post(player, f"/battles/{battle['id']}/leave")

    assert (listed["id"], listed["version"]) == (battle["id"], 1)
    assert balance["balance"] == 100 - PRICE
    assert watcher.expect("battle:changed") == left
    assert creator.expect("balance")["balance"] == 100


def test_a_change_whose_signal_is_lost_is_found(processes, connect, create, post, player, names):
    watcher = connect(1)
    battle = create(private=True)
    assert watcher.call("battle:watch", {"id": battle["id"]})["status"]
    joining = create_player(processes.app, next(names))

    with processes.losing_signals():
        joined = post(joining, f"/battles/{battle['id']}/join", {"seat": 2, "price": PRICE})
        assert watcher.expect("battle:changed") == joined
