"""Both API documents pass a linter of their fields, without errors and warnings."""

import os
import subprocess

import pytest

from tests.harness.node import NODE, SCRIPTS

pytestmark = [pytest.mark.process, pytest.mark.thorough]

DOCUMENTS = ["/openapi.json", "/asyncapi.json"]
OFFLINE = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


def test_redocly_finds_no_problem(client, tmp_path):
    files = [tmp_path / path.lstrip("/") for path in DOCUMENTS]
    for path, file in zip(DOCUMENTS, files, strict=True):
        file.write_bytes(client.get(path).data)

    linted = subprocess.run(
        [NODE, "node_modules/.bin/redocly", "lint", "--extends=recommended", "--format=json", *files],
        cwd=SCRIPTS,
        env=os.environ | OFFLINE,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    output = linted.stdout + linted.stderr
    assert (linted.returncode, output.count('"problems": []')) == (0, len(DOCUMENTS)), output
