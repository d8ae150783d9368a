"""Benchmarks and storms, which are seldom run, still fit the product: imports and the settling statements."""

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

from bench.speed import spins_peers
from models.bet_settlement import GIVEN, Common
from tests.harness.databases import administer
from tests.harness.servers import ROOT
from tests.support.markers import postgresql_only

OF_PEERS = json.loads(spins_peers.settlement())
"""The settling statement of the peers."""


@cache
def names_of(module):
    """The names that can be imported from a module or package of the project; None if it does not exist."""
    place = ROOT.joinpath(*module.split("."))
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    if not file.is_file():
        return None
    names = {path.stem for path in place.glob("*") if path.is_dir() or path.suffix == ".py"}
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
    return names


def missing_imports(path: Path):
    projects = {each.name for each in ROOT.iterdir() if (each / "__init__.py").is_file()} | {
        "app",
        "settings",
    }
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module.partition(".")[0] in projects:
            names = names_of(node.module) or set()
            yield from (f"{node.module}.{each.name}" for each in node.names if each.name not in names)


def test_every_benchmark_and_storm_imports_names_that_exist():
    files = [path for folder in ("bench", "tests/storms") for path in (ROOT / folder).rglob("*.py")]
    missing = {str(path.relative_to(ROOT)): list(missing_imports(path)) for path in files}

    assert len(files) > 50
    assert {file: names for file, names in missing.items() if names} == {}


@pytest.mark.parametrize(
    ("file", "parameters"),
    [
        ("bench/peers/socketio_spins.mjs", OF_PEERS["parameters"]),
        ("bench/peers/asyncio_spins.py", OF_PEERS["parameters"]),
        ("bench/speed/pgbench.py", [*GIVEN, *Common._fields]),
    ],
)
def test_a_program_gives_the_settling_statement_all_its_parameters(file, parameters):
    source = (ROOT / file).read_text()

    assert [name for name in parameters if not re.search(rf"\b{name}\b", source)] == []


@postgresql_only
def test_the_statement_of_the_peers_fits_the_tables(database_url):
    administer(database_url, f"PREPARE settle AS {OF_PEERS['text']}")
