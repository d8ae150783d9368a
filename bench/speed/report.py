"""Prints the rows, and writes the figures and the plot to files."""

import json
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench.speed.plot import draw
from bench.speed.result import Curve, Row

DECIMALS, SMALL, WIDTH = 2, 100, 110


def print_rows(rows: Sequence[Row]) -> None:
    """Print every row with its goal, result and verdict, and the figures behind it."""
    for row in rows:
        bound = "at most" if row.at_most else "at least"
        measured = f"{row.measured:.{DECIMALS if abs(row.measured) < SMALL else 0}f} {row.unit}"
        verdict = "reached" if row.reached else "MISSED"
        print(f"\n{row.work}: {measured}, {bound} {row.goal:g}: {verdict}\n    against {row.against}")
        if row.detail:
            print(textwrap.fill(row.detail, WIDTH, initial_indent="    ", subsequent_indent="    "))
    print()


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
