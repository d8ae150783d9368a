"""One version, from settings.VERSION, wherever users read it."""

import re

from tests.harness.servers import ROOT


def test_both_api_documents_and_the_changelog_name_the_same_version(client):
    changelog = (ROOT / "CHANGELOG.md").read_text()
    latest = re.search(r"^## (\d+\.\d+\.\d+)", changelog, re.MULTILINE)[1]

    versions = [
        client.get(path).get_json()["info"]["version"] for path in ("/openapi.json", "/asyncapi.json")
    ]

    assert versions == [latest, latest]
