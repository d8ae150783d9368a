"""python -m bench.run_cluster: several processes behind nginx, which Ctrl-C stops."""

import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from bench.harness.servers import ROOT
from bench.harness.sockets import Socket
from bench.harness.waiting import wait_until
from tests.support.apps import ITEM

pytestmark = [pytest.mark.nginx, pytest.mark.redis, pytest.mark.slow]


@pytest.fixture(scope="module")
def cluster():
    """The command while it serves."""
    with socket.socket() as probe:
        # Not a port of free_port(), which the command uses for its processes.
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "bench.run_cluster", "--processes", "2", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


@pytest.fixture(scope="module")
def printed(cluster):
    """The lines that it prints once everything runs."""
    lines = []
    while not (lines and "token=" in lines[-1]):
        line = cluster.stdout.readline()
        assert line, cluster.stderr.read()
        lines.append(line.strip())
    return lines


def processes_in(directory):
    """The ids of the processes that name this directory in their command line or their settings."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            texts = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:
            continue
        if directory.encode() in texts:
            found.append(process.name)
    return found


def test_a_demo_player_spins_through_nginx_at_each_process(printed):
    page = urlsplit(printed[-1])
    token = parse_qs(page.query)["token"][0]
    processes = [line.split()[1] for line in printed if line.startswith("process")]

    for url in [f"http://{page.netloc}", *processes]:
        player = Socket(url, auth={"token": token})
        assert player.spin({"amount": 1, "item": ITEM})["status"] is True
        player.close()


def test_ctrl_c_stops_everything_and_removes_the_data(cluster, printed):
    directory = next(line.split()[1] for line in printed if line.startswith("logs"))
    postgres = next(line.rpartition("host=")[2] for line in printed if line.startswith("PostgreSQL"))
    assert processes_in(directory)

    cluster.send_signal(signal.SIGINT)

    assert cluster.wait(60) == 0
    wait_until(lambda: not processes_in(directory) and not processes_in(postgres))
    assert not Path(directory).exists()
    assert not Path(postgres).exists()
