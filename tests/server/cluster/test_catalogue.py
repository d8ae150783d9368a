"""The upgrader's items at two gunicorn processes, whose commands are other processes."""

import pytest
import requests

from bench.harness.cluster import cluster
from bench.harness.waiting import wait_until
from tests.support.apps import ITEM, environment, fresh_app, import_item

pytestmark = pytest.mark.redis


@pytest.fixture
def empty(postgres, redis, warm_start, tmp_path):
    """The addresses of two processes that were started with an empty database."""
    with fresh_app(postgres, tmp_path) as app:
        url = app.extensions["services"].settings.database_url
        env = environment(url, tmp_path) | {"REDIS_URL": redis.url}
        with cluster(env, tmp_path, processes=2, serve=warm_start.server_process) as started:
            yield started.urls


def names(url):
    return [item["marketHashName"] for item in requests.get(f"{url}/upgrader/items", timeout=10).json()]


def test_the_first_items_are_shown_by_all_processes_at_once(empty):
    assert [names(url) for url in empty] == [[], []]

    import_item()

    assert [names(url) for url in empty] == [[ITEM], [ITEM]]


def test_publishing_makes_all_processes_show_the_current_items(gunicorn_app, urls):
    assert [names(url) for url in urls] == [[ITEM], [ITEM]]
    import_item("Another item", price=1)
    assert [names(url) for url in urls] == [[ITEM], [ITEM]]

    result = gunicorn_app.test_cli_runner().invoke(args=["items", "publish"])

    assert result.exit_code == 0, result.output
    wait_until(lambda: [names(url) for url in urls] == [[ITEM, "Another item"]] * 2)
