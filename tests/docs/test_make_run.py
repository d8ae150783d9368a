"""`make run` on a port that is not free."""

import os
import socket
import subprocess

import pytest

from tests.harness.servers import ROOT


@pytest.mark.process
def test_a_taken_port_is_one_sentence_before_anything_is_printed():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = ["make", "--no-print-directory", "--old-file=.venv/installed", "run", f"PORT={port}"]
        # Without the flags of the make that runs the tests.
        env = {name: value for name, value in os.environ.items() if "MAKE" not in name}
        ran = subprocess.run(
            command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60, check=False
        )

    said = f"Port {port} is not free: choose another one, such as make run PORT=8000."
    assert (ran.returncode, ran.stdout, ran.stderr.splitlines()[0]) == (2, "", said)
