"""One version, from settings.VERSION, wherever users read it, and the commits of older ones."""

import re
import subprocess

import pytest

from models.db import migrate
from tests.harness.servers import ROOT


def test_both_api_documents_and_the_changelog_name_the_same_version(client):
    changelog = (ROOT / "CHANGELOG.md").read_text()
    latest = re.search(r"^## (\d+\.\d+\.\d+)", changelog, re.MULTILINE)[1]

    versions = [
        client.get(path).get_json()["info"]["version"] for path in ("/openapi.json", "/asyncapi.json")
    ]

    assert versions == [latest, latest]


@pytest.mark.process
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a clone")
def test_the_commits_that_a_refusal_names_are_in_the_repository():
    for commit in (migrate.LAST_RELEASE_COMMIT, migrate.LAST_REPLACED_COMMIT):
        subprocess.run(["git", "merge-base", "--is-ancestor", commit, "HEAD"], cwd=ROOT, check=True)
