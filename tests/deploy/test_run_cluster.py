"""python -m bench.run_cluster: several processes behind nginx, which Ctrl-C stops."""

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.harness.servers import ROOT
from tests.harness.sockets import Socket
from tests.harness.waiting import wait_until
from tests.support.apps import ITEM

pytestmark = [pytest.mark.nginx, pytest.mark.redis, pytest.mark.thorough]


@pytest.fixture
def output(tmp_path_factory):
    """The file of what the command prints."""
    return tmp_path_factory.mktemp("run-cluster") / "output"


@pytest.fixture
def cluster(output):
    """The command while it serves."""
    with socket.socket() as place:
        # Reserves the port: nginx may use it all the same, but nothing else.
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind(("127.0.0.1", 0))
        port = place.getsockname()[1]
        command = [sys.executable, "-m", "bench.run_cluster", "--processes", "2", "--port", str(port)]
        # Not through pipes, which the servers that it starts would hold open.
        with output.open("w") as stdout:
            process = subprocess.Popen(command, cwd=ROOT, stdout=stdout, stderr=subprocess.STDOUT)
        try:
            yield process
            # Killed, it would leave its servers behind.
            process.terminate()
            process.wait(60)
        finally:
            process.kill()


@pytest.fixture
def printed(cluster, output):
    """The lines that it prints once everything runs."""
    wait_until(lambda: "token=" in output.read_text() or cluster.poll() is not None, seconds=120)
    assert cluster.poll() is None, output.read_text()
    return output.read_text().splitlines()


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


def test_a_demo_player_spins_at_each_process_until_ctrl_c_removes_everything(cluster, printed):
    page = urlsplit(printed[-1])
    token = parse_qs(page.query)["token"][0]
    processes = [line.split()[1] for line in printed if line.startswith("process")]
    directory = next(line.split()[1] for line in printed if line.startswith("logs"))
    postgres = next(line.rpartition("host=")[2] for line in printed if line.startswith("PostgreSQL"))

    for url in [f"http://{page.netloc}", *processes]:
        player = Socket(url, auth={"token": token})
        assert player.spin({"amount": 1, "item": ITEM})["status"] is True
        player.close()
    for url in [urlsplit(line.split()[1]) for line in printed if re.match("nginx|process|Redis", line)]:
        # What listens on all interfaces can be reached here too.
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", url.port), timeout=10)
    assert processes_in(directory)
    cluster.send_signal(signal.SIGINT)

    assert cluster.wait(60) == 0
    wait_until(lambda: not processes_in(directory) and not processes_in(postgres))
    assert not Path(directory).exists()
    assert not Path(postgres).exists()
