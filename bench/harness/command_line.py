"""What the commands of bench have in common: their options and their progress bars."""

import argparse
import sys

import click


def option_parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """The parser of ``python -m bench.NAME``, whose help is the docstring of its module."""
    return argparse.ArgumentParser(
        prog=f"python -m bench.{name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def progress_bar(length: int, label: str):  # click's own, which is private
    """A progress bar on standard error if that is a terminal, and nothing otherwise."""
    return click.progressbar(length=length, label=label, file=sys.stderr, hidden=not sys.stderr.isatty())
