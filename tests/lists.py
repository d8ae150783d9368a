"""The tests of each guarantee, defence and clause of a standard, by the markers of the tests.

    python -m tests.lists
    python -m tests.lists security

A test names an entry of a page with a marker, such as ``@pytest.mark.security("Tokens")``.
"""

import ast
import sys
from collections import defaultdict
from pathlib import Path

TESTS = Path(__file__).parent
PAGES = {
    "guarantee": ("docs/guarantees.md", r"^\| \*\*(.+?)\*\*"),
    "security": ("SECURITY.md", r"^- \*\*(.+?)\.\*\* "),
    "regulation": ("docs/regulation.md", r"^\| \*\*(.+?)\*\*"),
}
"""For each marker the page that it is about, and what the name of an entry looks like there."""


def by_entry(marker: str) -> dict[str, list[str]]:
    """The tests with this marker, by the entry that it names."""
    found = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text()
        if f"mark.{marker}(" in text:
            for test, entry in _marked(ast.parse(text), marker):
                found[entry].append(f"{path.relative_to(TESTS.parent)}::{test}")
    return dict(found)


def _marked(tree: ast.Module, marker: str) -> list[tuple[str, str]]:
    """Each test with this marker, or in a module with it, and the entry that the marker names."""
    of_module = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
    ]
    return [
        (node.name, decorator.args[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        for decorator in (*of_module, *node.decorator_list)
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == f"pytest.mark.{marker}"
    ]


def main(*markers: str) -> None:
    for marker in markers or PAGES:
        print(f"# {PAGES[marker][0]}\n")  # noqa: T201
        for entry, tests in by_entry(marker).items():
            print("\n".join([entry, *(f"    {test}" for test in tests)]))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
