"""The platform behind other proxies than nginx, with the configurations of deploy/proxies."""

import pytest
import requests

from tests.deploy.conftest import TIMEOUT_SECONDS
from tests.harness.proxies import PROXIES, proxy
from tests.harness.servers import gunicorn
from tests.harness.waiting import wait_until
from tests.support.apps import ITEM, import_item

pytestmark = [pytest.mark.process, pytest.mark.thorough]


@pytest.fixture(params=[pytest.param(name, marks=getattr(pytest.mark, name)) for name in PROXIES])
def proxied(request, env, app, player, warm_start, tmp_path):
    """A server of the app's database, and its address behind the proxy."""
    changes = {"TRUSTED_PROXIES": "1", "UPGRADER_PROOF_DELAY": "0.2"}
    import_item()
    with (
        warm_start.server_process(gunicorn(), env | changes, tmp_path) as server,
        proxy(request.param, upstream_port=server.port) as url,
    ):
        wait_until(lambda: requests.get(f"{url}/healthz", timeout=TIMEOUT_SECONDS).status_code == 200)
        yield server, url


def test_bets_pages_and_ids_with_slashes_pass_the_proxy(proxied, player, open_socket):
    server, url = proxied
    early = requests.get(f"{url}/bets/1", timeout=TIMEOUT_SECONDS)
    socket = open_socket(url, player)
    answer = socket.spin({"amount": 1, "item": ITEM})
    socket.expect("upgrader:proof")
    late = requests.get(f"{url}/bets/1", timeout=TIMEOUT_SECONDS)
    slash = requests.get(f"{url}/api/cases/no%2Fsuch", timeout=TIMEOUT_SECONDS)
    polled = requests.get(f"{url}/socket.io/?EIO=4&transport=polling", timeout=TIMEOUT_SECONDS)

    assert answer["status"]
    assert (early.status_code, late.status_code) == (404, 200)
    assert (slash.status_code, slash.headers["Content-Type"]) == (404, "application/json")
    assert polled.status_code == 200
    server.kill()
    assert requests.get(f"{url}/healthz", timeout=TIMEOUT_SECONDS).status_code >= 500
