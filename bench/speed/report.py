"""Prints the table, and writes the figures and the plot to files."""

import json
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from bench.speed.plot import draw
from bench.speed.result import Curve, Row

WIDTHS = {"work": 38, "against": 34, "goal": 11, "measured": 10, "verdict": 7, "detail": 62}
DECIMALS, SMALL = 2, 100


def print_table(rows: Sequence[Row]) -> None:
    """Print every row with its goal, result and verdict."""
    if not rows:
        return
    print()
    print(" | ".join(name.ljust(width) for name, width in WIDTHS.items()))
    print("-+-".join("-" * width for width in WIDTHS.values()))
    for row in rows:
        for line in _lines(row):
            print(line.rstrip())


def _lines(row: Row) -> Iterator[str]:
    bound = "at most" if row.at_most else "at least"
    because = f" SHORT BECAUSE {row.short_because}" if row.short_because and not row.reached else ""
    cells = (
        row.work,
        row.against,
        f"{bound} {row.goal:g} {row.unit}",
        f"{row.measured:.{DECIMALS if abs(row.measured) < SMALL else 0}f} {row.unit}",
        "reached" if row.reached else "SHORT",
        row.detail + because,
    )
    wrapped = [textwrap.wrap(cell, width) or [""] for cell, width in zip(cells, WIDTHS.values(), strict=True)]
    for number in range(max(map(len, wrapped))):
        parts = [
            (lines[number] if number < len(lines) else "").ljust(width)
            for lines, width in zip(wrapped, WIDTHS.values(), strict=True)
        ]
        yield " | ".join(parts)


def write_results(directory: Path, rows: Sequence[Row], curves: Sequence[Curve]) -> list[Path]:
    """Write the figures as JSON, and the plot if there are curves. Returns the paths."""
    directory.mkdir(exist_ok=True)
    figures = directory / "speed.json"
    document = {
        "rows": [asdict(row) | {"reached": row.reached} for row in rows],
        "curves": [
            asdict(curve) | {"steepness": curve.steepness, "reached": curve.reached} for curve in curves
        ],
    }
    figures.write_text(json.dumps(document, indent=2) + "\n")
    if not curves:
        return [figures]
    plot = directory / "speed.png"
    draw(curves, plot)
    return [figures, plot]
