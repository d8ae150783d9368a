"""The production server behind nginx, with the configuration of deploy/."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from bench.harness.databases import SqliteFiles
from bench.harness.nginx import ALLOWED_ORIGIN, nginx
from bench.harness.servers import ROOT, RunningServer, flask_command, gunicorn, server_process
from bench.harness.waiting import wait_until
from tests.conftest import SECRET

TIMEOUT_SECONDS = 20


@dataclass
class Deployed:
    """nginx's address, and the platform behind it."""

    url: str
    server: RunningServer
    env: dict[str, str]
    log: Path
    """nginx's access log."""

    def get(self, path: str, **headers: str) -> requests.Response:
        """GET this very path through nginx; underscores in the names of headers become dashes."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = requests.Request(
            "GET", self.url, headers={"Accept-Encoding": "identity", **named}
        ).prepare()
        # Set afterwards: the library would resolve dots in the path.
        request.url = self.url + path
        with requests.Session() as session:
            return session.send(request, timeout=TIMEOUT_SECONDS)

    def flask(self, *arguments: str) -> Any:
        """Run a command beside the server; the JSON that it printed."""
        command = [*flask_command(), *arguments]
        finished = subprocess.run(command, env=self.env, cwd=ROOT, capture_output=True, check=True)
        return json.loads(finished.stdout)

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


@pytest.fixture(scope="module")
def deployed(sqlite_files: SqliteFiles, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    """What nginx does is the same with either database, so one is enough."""
    directory = tmp_path_factory.mktemp("deployed")
    with sqlite_files.fresh(directory) as url:
        env = {
            "DATABASE_URL": url,
            "INSTANCE_DIR": str(directory / "instance"),
            "SECRET_KEY": SECRET,
            "JWT_SECRET": SECRET[::-1],
            # Tokens name it as their issuer, whatever the port of the server.
            "BASE_URL": "http://127.0.0.1:5000",
            "CORS_ORIGINS": ALLOWED_ORIGIN,
            "TRUSTED_PROXIES": "1",
        }
        with server_process(gunicorn(), env, directory) as server:
            upstream_port = urlsplit(server.url).port
            with nginx(
                upstream_port=upstream_port, instance_dir=directory / "instance", directory=directory
            ) as (address, _):
                log = directory / "platform.log"
                yield Deployed(address, server, {**os.environ, **env}, log)


@pytest.fixture
def import_irl_case(deployed: Deployed, tmp_path: Path) -> Callable[[str], None]:
    """Imports an IRL case of this name beside the running server."""

    def add(name: str) -> None:
        file = tmp_path / "irl.json"
        item = {"name": "Chair", "image": "https://images.example/chair.png", "price": 1}
        file.write_text(json.dumps([{"id": name.lower(), "name": name, "price": 2, "items": [item]}]))
        deployed.flask("irl", "import", str(file))

    return add
