"""The production server behind nginx with TLS, with the configuration of deploy/."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.harness.databases import SqliteFiles
from tests.harness.local_app import run_flask
from tests.harness.proxies import ALLOWED_ORIGIN, nginx
from tests.harness.servers import RunningServer, free_port, gunicorn, server_process
from tests.harness.waiting import wait_until
from tests.support.apps import ITEM, LOG_SIGNING_KEY, SECRET
from tests.support.certificate import self_signed
from tests.support.platform_provider import PlatformProvider, platform_provider

TIMEOUT_SECONDS = 20


@dataclass
class Deployed:
    """nginx's address, and the platform behind it."""

    url: str
    server: RunningServer
    env: dict[str, str]
    log: Path
    """nginx's access log."""
    certificate: Path
    provider: PlatformProvider
    """The game platform to log in with."""

    def session(self, address: str = "127.0.0.1") -> requests.Session:
        """Requests from this address, of which 127.0.0.0/8 has plenty."""
        session = requests.Session()
        # A variable of the environment would replace the certificate.
        session.trust_env = False
        session.verify = str(self.certificate)
        session.headers["Accept-Encoding"] = "identity"
        session.get_adapter(self.url).init_poolmanager(1, 1, source_address=(address, 0))
        return session

    def get(self, path: str, **headers: str) -> requests.Response:
        """GET this very path through nginx; underscores in the names of headers become dashes."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with self.session() as session:
            request = session.prepare_request(requests.Request("GET", self.url, headers=named))
            # Set afterwards: the library would resolve dots in the path.
            request.url = self.url + path
            return session.send(request, timeout=TIMEOUT_SECONDS)

    def flask(self, *arguments: str) -> Any:
        """Run a command beside the server; the JSON that it printed."""
        return json.loads(run_flask(self.env, *arguments))

    def reached_platform(self, route: str) -> int:
        """How many requests of this route the platform has answered so far, by its access log."""
        before = self._logged("/healthz")
        requests.get(f"{self.server.url}/healthz", timeout=TIMEOUT_SECONDS)
        # Lines are written in order, but not at once.
        wait_until(lambda: self._logged("/healthz") > before)
        return self._logged(route)

    def _logged(self, route: str) -> int:
        routes = []
        for line in self.server.log.read_text().splitlines():
            with suppress(ValueError):
                routes.append(json.loads(line).get("route"))
        return routes.count(route)


@pytest.fixture(scope="package")
def deployed(sqlite_files: SqliteFiles, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    """The platform in production mode. What nginx does is the same with either database, so one is enough."""
    directory = tmp_path_factory.mktemp("deployed")
    port, certificate = free_port(), self_signed(directory)
    instance_dir = directory / "instance"
    with sqlite_files.fresh(directory) as url, platform_provider() as provider:
        env = {
            **os.environ,
            "APP_ENV": "production",
            "DATABASE_URL": url,
            "INSTANCE_DIR": str(instance_dir),
            "SECRET_KEY": SECRET,
            "JWT_SECRET": SECRET[::-1],
            "LOG_SIGNING_KEY": LOG_SIGNING_KEY,
            "BASE_URL": f"https://127.0.0.1:{port}",
            "CORS_ORIGINS": ALLOWED_ORIGIN,
            "TRUSTED_PROXIES": "1",
            "OFFICE_ENABLED": "1",
            "OFFICE_NETWORKS": "127.0.0.1",
            "UPGRADER_PROOF_DELAY": "0.2",
            **provider.settings,
        }
        items = directory / "items.json"
        items.write_text(json.dumps([{"appid": 730, "marketHashName": ITEM, "price": 10}]))
        run_flask(env, "items", "import", str(items))
        with (
            server_process(gunicorn(), env, directory) as server,
            nginx(
                upstream_ports=[server.port],
                instance_dir=instance_dir,
                directory=directory,
                port=port,
                certificate=certificate,
            ) as (address, _),
        ):
            log = directory / "platform.log"
            yield Deployed(address, server, env, log, certificate, provider)


@pytest.fixture
def import_irl_case(deployed: Deployed, tmp_path: Path) -> Callable[[str], None]:
    """Imports an IRL case of this name beside the running server."""

    def add(name: str) -> None:
        file = tmp_path / "irl.json"
        item = {"name": "Chair", "image": "https://images.example/chair.png", "price": 1}
        file.write_text(json.dumps([{"id": name.lower(), "name": name, "price": 2, "items": [item]}]))
        deployed.flask("irl", "import", str(file))

    return add
