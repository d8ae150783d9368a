"""How many lines of Python have the product, its tests and its benchmarks, by package?

    python -m bench.lines

Counts every line of a file, blank lines and docstrings included.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.harness.command_line import bench_command
from tests.harness.servers import ROOT

AROUND = ("tests", "bench", "verify")
"""Folders that are not the product."""


@bench_command(__doc__)
def main() -> None:
    lines = Counter[tuple[str, ...]]()
    for path in python_files():
        lines[path.parts[:-1][:2]] += len((ROOT / path).read_text().splitlines())
    for package, count in lines.most_common():
        print(f"{count:7,}  {'/'.join(package) or 'top level'}")
    product = sum(count for package, count in lines.items() if not {*package[:1]} & {*AROUND})
    print(f"\n{product:7,}  product, {product - lines['models', 'migrations']:,} without migrations")
    for folder in AROUND:
        print(f"{sum(count for package, count in lines.items() if package[:1] == (folder,)):7,}  {folder}")


def python_files() -> Iterator[Path]:
    """The paths of the project's Python files, without those that were installed."""
    for path in sorted(ROOT.rglob("*.py")):
        relative = path.relative_to(ROOT)
        if "node_modules" not in relative.parts and not relative.parts[0].startswith("."):
            yield relative


if __name__ == "__main__":
    main()
