"""The documents fit a terminal, and their links lead somewhere."""

import re

from tests.harness.servers import ROOT

DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("deploy/*.md"), ROOT / ".env.example"]
COLUMNS = 120
MOST_TERMS = 60
FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"instance"}
WRITTEN_BY_BENCHMARKS = "bench/results/"


def test_no_line_is_longer_than_120_columns():
    too_long = [
        f"{page.name}:{number}"
        for page in DOCUMENTS
        for number, line in enumerate(page.read_text().splitlines(), 1)
        if len(line) > COLUMNS
    ]

    assert too_long == []


def test_every_relative_link_and_image_exists():
    links = [
        (page, link)
        for page in DOCUMENTS
        for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text())
    ]

    assert [(page.name, link) for page, link in links if not exists(page, link)] == []


def exists(page, link):
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    return target.exists() and (not anchor or anchor in anchors_of(target))


def anchors_of(page):
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]


def test_a_term_of_the_glossary_is_defined_once():
    terms = re.findall(r"\*\*(.+?)\*\*", (ROOT / "docs" / "glossary.md").read_text())

    assert len(set(map(str.lower, terms))) == len(terms) <= MOST_TERMS


def test_every_path_that_is_named_exists():
    named = {
        (page.name, path)
        for page in DOCUMENTS
        for path in re.findall(r"`(\w+/[\w./*-]*)`", page.read_text())
        if path.split("/")[0] in FOLDERS and "AREA" not in path and not path.startswith(WRITTEN_BY_BENCHMARKS)
    }

    assert {(page, path) for page, path in named if not any(ROOT.glob(path))} == set()
