"""TypeScript clients that are generated from /openapi.json, on a running server."""

import json
import os
import shutil
import subprocess

import pytest

from tests.harness.node import NODE, SCRIPTS

pytestmark = [pytest.mark.process, pytest.mark.thorough]

SOURCES = ("client.ts", "tsconfig.json", "package.json")
GENERATORS = {
    "orval": ["orval"],
    "hey-api": [
        "openapi-ts",
        "--input=openapi.json",
        "--output=generated/hey-api",
        "--client=@hey-api/client-fetch",
    ],
}
NPM = NODE.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
TRADE_URL = "https://steamcommunity.com/tradeoffer/new/?partner=12345&token=aB3_x-9z"


@pytest.fixture
def project(tmp_path):
    """The sources of the client in a directory of their own, for what is generated."""
    for name in SOURCES:
        shutil.copy(SCRIPTS / name, tmp_path)
    (tmp_path / "node_modules").symlink_to(SCRIPTS / "node_modules")
    return tmp_path


def run(project, script, *arguments, **environment):
    finished = subprocess.run(
        [NODE, script, *arguments],
        cwd=project,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
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


@pytest.fixture(scope="module")
def generators(tmp_path_factory):
    """The generators and the sources of their clients, in a directory of their own."""
    project = tmp_path_factory.mktemp("generators") / "clients"
    shutil.copytree(SCRIPTS / "clients", project, ignore=shutil.ignore_patterns("node_modules", "generated"))
    run(project, NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    return project


def test_each_generators_client_compiles_and_works(generators, server, client, player, add_item):
    cheap, dear = add_item("P90 | Grey Dune (Well-Worn)", price=2), add_item(price=10)
    (generators / "openapi.json").write_bytes(client.get("/openapi.json").data)

    for arguments in GENERATORS.values():
        run(generators, f"node_modules/.bin/{arguments[0]}", *arguments[1:], BASE_URL=server)
    run(generators, "node_modules/.bin/tsc")
    answers = {
        name: json.loads(run(generators, f"{name}.js", server, player.token, TRADE_URL))
        for name in GENERATORS
    }

    expected = {
        "all": [dear, cheap],
        "cheap": [cheap],
        "cases": 0,
        "changed": {"success": True},
        "tradeUrl": TRADE_URL,
        "unknown": [404, {"status": False, "error": "User not found"}],
    }
    assert answers == dict.fromkeys(GENERATORS, expected)
