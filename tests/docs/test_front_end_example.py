"""The client of docs/front-end.md works as it is printed."""

import re
import subprocess

import pytest

from bench.harness.node import NODE, SCRIPTS, TIMEOUT_SECONDS
from bench.harness.servers import ROOT, gunicorn, server_process

pytestmark = pytest.mark.process


@pytest.fixture
def run_example():
    (example,) = re.findall(r"```js\n(.*?)```", (ROOT / "docs" / "front-end.md").read_text(), re.DOTALL)

    def run(server, token):
        return subprocess.run(
            [NODE, "--input-type=module", "--eval", example],
            cwd=SCRIPTS,
            env={"ADDRESS": server.url, "TOKEN": token},
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )

    return run


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_example_finds_the_roll_fair_or_says_why_it_cannot_connect(
    add_item, player, env, tmp_path, run_example
):
    add_item(price=10)

    with server_process(gunicorn(), env, tmp_path) as server:
        played = run_example(server, player.token)
        refused = run_example(server, "not-a-token")

    assert played.stdout.splitlines()[-1:] == ["fair"], played.stderr
    assert (refused.returncode, refused.stderr.strip()) == (1, "cannot connect: Unauthorized")
