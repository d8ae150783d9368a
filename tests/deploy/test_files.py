"""The Dockerfile, the compose file and the systemd unit: linters, and the commands in them."""

import compileall
import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import requests
import yaml
from compose_spec import PyCompose

from server.worker.worker import FINISH_SECONDS, NOTICE_SECONDS, REJOIN_SECONDS
from tests.harness.servers import ROOT, drawn_secrets, flask_command, gunicorn, server_process

DEPLOY = ROOT / "deploy"
DOCKERFILE, UNIT = DEPLOY / "Dockerfile", DEPLOY / "platform.service"
BIN = Path(sys.executable).parent
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def instructions(name):
    """The arguments of each instruction of this name in the Dockerfile."""
    text = DOCKERFILE.read_text().replace("\\\n", " ")
    return re.findall(rf"^ *{name} (.+)$", text, re.MULTILINE)


@pytest.fixture
def image(tmp_path):
    """A directory with the files that the Dockerfile copies."""
    for arguments in instructions("COPY"):
        *sources, target = arguments.split()
        for source in sources:
            copy = shutil.copytree if source.endswith("/") else shutil.copy
            copy(ROOT / source, tmp_path / target)
    # Otherwise each command would compile the project again.
    compileall.compile_dir(tmp_path, quiet=1)
    return tmp_path


@pytest.fixture
def settings(tmp_path):
    """The environment of the container: deploy/env.example filled in, the image's, and the compose file's."""
    drawn = drawn_secrets()
    example = (DEPLOY / "env.example").read_text()
    filled = re.sub(
        r"^(\w+)=$",
        lambda line: line[0] + drawn.get(line[1], secrets.token_hex(32)),
        example,
        flags=re.MULTILINE,
    )
    lines = [line.partition("=") for line in filled.splitlines() if line and not line.startswith("#")]
    of_image = dict(pair.split("=") for argument in instructions("ENV") for pair in shlex.split(argument))
    return {
        **os.environ,
        **of_image,
        **{name: value for name, _, value in lines},
        "DATABASE_URL": f"sqlite:///{tmp_path}/test.db",
        "INSTANCE_DIR": str(tmp_path / "instance"),
        "HOST": "127.0.0.1",
        # A test asks no relay of the public network.
        "BEACON_URLS": "",
    }


@pytest.mark.process
def test_hadolint_has_no_complaint_about_the_dockerfile():
    linted = subprocess.run(
        [BIN / "hadolint", DOCKERFILE], capture_output=True, text=True, timeout=60, check=False
    )

    assert (linted.returncode, linted.stdout) == (0, "")


@pytest.mark.process
def test_the_dockerfile_makes_a_healthy_production_server(image, settings):
    def run(command):
        subprocess.run(command, cwd=image, env=settings, check=True, timeout=60, capture_output=True)

    run([*flask_command(), "db", "upgrade"])
    checked = subprocess.run(
        [*flask_command(), "check"], cwd=image, env=settings, capture_output=True, timeout=60, check=True
    )
    assert json.loads(checked.stdout) == {"problems": 0, "warnings": 0}
    healthcheck = json.loads(instructions("HEALTHCHECK .* CMD")[0])
    command = json.loads(instructions("CMD")[-1])
    assert command[0] == "gunicorn"
    with server_process([*gunicorn()[:-3], *command[1:]], settings, image, cwd=image) as server:
        settings["PORT"] = server.url.rpartition(":")[2]
        run([sys.executable, *healthcheck[1:]])

        assert requests.get(f"{server.url}/readyz", timeout=10).status_code == 200
    with pytest.raises(subprocess.CalledProcessError):
        run([sys.executable, *healthcheck[1:]])


def test_the_compose_file_is_valid_and_complete():
    # The parser knows no merge keys, which the YAML reader has resolved.
    PyCompose.from_yaml(yaml.safe_dump(COMPOSE))

    services = COMPOSE["services"]
    for service in services.values():
        for name, needed in service.get("depends_on", {}).items():
            in_image = "build" in services[name] and instructions("HEALTHCHECK")
            assert needed["condition"] != "service_healthy" or in_image or services[name]["healthcheck"]
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert source.startswith("./") or source in COMPOSE["volumes"]


@pytest.mark.systemd
def test_systemd_accepts_the_unit_and_finds_it_hardened(tmp_path):
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/opt/platform/current/.venv/bin", str(BIN)))

    verified = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, timeout=60, check=False
    )
    # Of 0 (hardened) to 100 (exposed).
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=15", UNIT],
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert verified.returncode == 0, verified.stderr
    # It also warns of units that this machine has.
    assert UNIT.name.encode() not in verified.stderr
    assert rated.returncode == 0, rated.stdout


def test_the_server_is_killed_only_after_its_stop_time():
    def seconds(name, text):
        return int(re.search(rf"^{name} ?= ?(\d+)s?$", text, re.MULTILINE)[1])

    needed = seconds("graceful_timeout", (ROOT / "gunicorn.conf.py").read_text())

    assert seconds("TimeoutStopSec", UNIT.read_text()) > needed
    assert int(COMPOSE["services"]["platform"]["stop_grace_period"].removesuffix("s")) > needed
    assert needed > NOTICE_SECONDS + REJOIN_SECONDS + FINISH_SECONDS


def test_nginx_can_make_the_directory_of_its_cache():
    """nginx makes the last directory of a path only, and Debian has no ``/var/cache/nginx``."""
    cache = re.search(r"^proxy_cache_path (\S+)", (DEPLOY / "nginx.conf").read_text(), re.MULTILINE)[1]

    assert Path(cache).parent == Path("/var/cache")
