"""The README's JavaScript works as it is printed."""

import re
import subprocess

import pytest

from bench.harness.node import NODE, SCRIPTS, TIMEOUT_SECONDS
from bench.harness.servers import ROOT, gunicorn, server_process

pytestmark = pytest.mark.process


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_example_spins_and_finds_the_roll_fair(add_item, player, env, tmp_path):
    add_item(price=10)
    (example,) = re.findall(r"```js\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)

    with server_process(gunicorn(), env, tmp_path) as server:
        finished = subprocess.run(
            [NODE, "--input-type=module", "--eval", example],
            cwd=SCRIPTS,
            env={"ADDRESS": server.url, "TOKEN": player.token},
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=True,
        )

    assert finished.stdout.splitlines()[-1] == "fair"
