"""A TypeScript client that is generated from /openapi.json, on a running server."""

import json
import shutil
import subprocess

import pytest

from bench.harness.node import NODE, SCRIPTS

pytestmark = [pytest.mark.process, pytest.mark.thorough]

SOURCES = ("client.ts", "tsconfig.json", "package.json")


@pytest.fixture
def project(tmp_path):
    """The sources of the client in a directory of their own, for what is generated."""
    for name in SOURCES:
        shutil.copy(SCRIPTS / name, tmp_path)
    (tmp_path / "node_modules").symlink_to(SCRIPTS / "node_modules")
    return tmp_path


def run(project, script, *arguments):
    finished = subprocess.run(
        [NODE, script, *arguments], cwd=project, capture_output=True, text=True, timeout=120, check=False
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def test_the_generated_typescript_client_compiles_and_works(project, server, connect, player, add_item):
    item = add_item(price=10)
    connect(player).spin({"amount": 1.25, "item": item, "clientSeed": "my-lucky-seed"})

    run(project, "node_modules/.bin/openapi-typescript", f"{server}/openapi.json", "--output", "openapi.ts")
    run(project, "node_modules/.bin/tsc")
    answers = json.loads(run(project, "client.js", server, player.token))

    balance = answers.pop("balance")
    assert balance in (98.75, 108.75)
    assert answers == {
        "item": item,
        "pages": 1,
        "seed": "my-lucky-seed",
        "unknown": {"status": False, "error": "User not found"},
        "refused": "Unauthorized",
    }
