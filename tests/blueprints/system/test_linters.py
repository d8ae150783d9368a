"""Both API documents pass the linters of their fields, without errors and warnings."""

import json
import os
import subprocess

import pytest

from bench.harness.node import NODE, SCRIPTS, node

# Nothing here asks a database.
pytestmark = [pytest.mark.process, pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)]

OFFLINE = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


@pytest.fixture
def lint(client, tmp_path):
    """Runs a linter of tests/js with a document as its last argument; its exit code and output."""

    def run(path, *command):
        file = tmp_path / path.lstrip("/")
        file.write_bytes(client.get(path).data)
        finished = subprocess.run(
            [NODE, f"node_modules/.bin/{command[0]}", *command[1:], file],
            cwd=SCRIPTS,
            env=os.environ | OFFLINE,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return finished.returncode, finished.stdout + finished.stderr

    return run


@pytest.mark.parametrize("path", ["/openapi.json", "/asyncapi.json"])
def test_redocly_finds_no_problem(lint, path):
    code, output = lint(path, "redocly", "lint", "--extends=recommended", "--format=json")

    report = json.loads(output[output.index("{") : output.rindex("}") + 1])
    assert (code, report["problems"]) == (0, [])


def test_spectral_finds_no_problem(lint):
    code, output = lint(
        "/openapi.json", "spectral", "lint", "--ruleset=spectral.json", "--fail-severity=hint"
    )

    assert code == 0, output


def test_the_asyncapi_parser_finds_no_problem(client):
    assert node("asyncapi.mjs", stdin=client.get("/asyncapi.json").json) == []
