"""The documents fit a terminal, and their links lead somewhere."""

import re

import pytest

from bench.harness.servers import ROOT

DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("deploy/*.md"), ROOT / ".env.example"]
NAMES = [str(path.relative_to(ROOT)) for path in DOCUMENTS]
COLUMNS = 120
FOLDERS = ("bench", "blueprints", "deploy", "docs", "models", "server", "services", "tests", "verify")
WRITTEN_BY_BENCHMARKS = "bench/results/"


@pytest.mark.parametrize("name", NAMES)
def test_no_line_is_longer_than_120_columns(name):
    lines = (ROOT / name).read_text().splitlines()

    assert [number for number, line in enumerate(lines, 1) if len(line) > COLUMNS] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_relative_link_and_image_exists(name):
    links = re.findall(r"\]\((?!https?:)([^)\s]+)\)", (ROOT / name).read_text())

    assert [link for link in links if not exists(ROOT / name, link)] == []


def exists(page, link):
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    return target.exists() and (not anchor or anchor in anchors_of(target))


def anchors_of(page):
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]


@pytest.mark.parametrize("name", NAMES)
def test_every_path_that_is_named_exists(name):
    paths = re.findall(r"`(\w+/[\w./*-]*)`", (ROOT / name).read_text())
    versioned = [
        path
        for path in paths
        if path.split("/")[0] in FOLDERS and "AREA" not in path and not path.startswith(WRITTEN_BY_BENCHMARKS)
    ]

    assert [path for path in versioned if not any(ROOT.glob(path))] == []
