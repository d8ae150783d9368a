"""The upgrader's items at two gunicorn processes, whose commands are other processes."""

import pytest
import requests

from tests.harness.waiting import wait_until
from tests.support.apps import ITEM, import_item

pytestmark = [pytest.mark.redis, pytest.mark.thorough]


def test_publishing_makes_all_processes_show_the_current_items(gunicorn_app, urls):
    def names():
        answers = [requests.get(f"{url}/upgrader/items", timeout=10).json() for url in urls]
        return [[item["marketHashName"] for item in items] for items in answers]

    assert names() == [[ITEM], [ITEM]]
    import_item("Another item", price=1)
    assert names() == [[ITEM], [ITEM]]

    result = gunicorn_app.test_cli_runner().invoke(args=["items", "publish"])

    assert result.exit_code == 0, result.output
    wait_until(lambda: names() == [[ITEM, "Another item"]] * 2)
