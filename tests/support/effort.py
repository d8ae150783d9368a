"""How long the tests search that generate their cases, and the figures that tests print.

``--effort 100`` generates a hundred times as many cases; ``--seed`` generates others. Figures are printed at
the end of a run of one process.
"""

import pytest

FIGURES = pytest.StashKey[list[str]]()


def add_options(parser: pytest.Parser) -> None:
    parser.addoption("--effort", type=int, default=1, help="how many times as many random cases (default: 1)")
    parser.addoption("--seed", default="", help="any text: other random cases (default: always the same)")


def print_figures(reporter: pytest.TerminalReporter) -> None:
    """Print what the tests have found."""
    for figure in reporter.config.stash.get(FIGURES, []):
        reporter.write_line(figure)
