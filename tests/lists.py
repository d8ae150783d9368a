"""The tests of each guarantee, defence and clause of a standard, by the markers of the tests.

    python -m tests.lists
    python -m tests.lists security

A test names an entry of a page with a marker, such as ``@pytest.mark.security("Tokens")``, and a file whose
SQL it runs on both databases with ``@pytest.mark.both_databases("services/cases/queries.py")``.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
PAGES = {
    "guarantee": ("docs/guarantees.md", r"^\| \*\*(.+?)\*\*"),
    "security": ("SECURITY.md", r"^- \*\*(.+?)\.\*\* "),
    "regulation": ("docs/regulation.md", r"^\| \*\*(.+?)\*\*"),
}
"""For each marker the page that it is about, and what the name of an entry looks like there."""

PRODUCT = ("blueprints", "sockets", "tasks", "server", "services", "models")


def by_entry(marker: str) -> dict[str, list[str]]:
    """The tests with this marker, by the entry that it names."""
    found = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text()
        if f"mark.{marker}(" in text:
            for test, entry in _marked(ast.parse(text), marker):
                found[entry].append(f"{path.relative_to(ROOT)}::{test}")
    return dict(found)


def files_with_sql() -> list[str]:
    """The product's files with SQL of their own: ``execute_sql``, ``SQL()`` or a function of ``fn``."""
    return [
        str(path.relative_to(ROOT))
        for directory in PRODUCT
        for path in sorted((ROOT / directory).rglob("*.py"))
        if "migrations" not in path.parts and any(map(_is_sql, ast.walk(ast.parse(path.read_text()))))
    ]


def _is_sql(node: ast.AST) -> bool:
    match node:
        case (
            ast.Attribute(attr="execute_sql")
            | ast.Attribute(value=ast.Name(id="fn") | ast.Attribute(attr="fn"))
        ):
            return True
        case ast.Call(func=ast.Name(id="SQL") | ast.Attribute(attr="SQL")):
            return True
    return False


def _marked(tree: ast.Module, marker: str) -> Iterator[tuple[str, str]]:
    """Each function, class or variable such as ``pytestmark`` with this marker, and what the marker names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                yield from ((node.name, entry) for entry in _entries(decorator, marker))
        elif isinstance(node, ast.Assign):
            yield from ((ast.unparse(node.targets[0]), entry) for entry in _entries(node.value, marker))


def _entries(marked: ast.expr, marker: str) -> Iterator[str]:
    """What the markers of this name in an expression name."""
    for node in ast.walk(marked):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == f"pytest.mark.{marker}":
            yield ast.literal_eval(node.args[0])


def main(*markers: str) -> None:
    for marker in markers or PAGES:
        print(f"# {PAGES[marker][0] if marker in PAGES else marker}\n")  # noqa: T201
        for entry, tests in by_entry(marker).items():
            print("\n".join([entry, *(f"    {test}" for test in tests)]))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
