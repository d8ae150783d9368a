"""The commands of benchmarks and storms."""

import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import click

seed_option = click.option(
    "--seed", default=lambda: secrets.token_hex(8), help="any text, by default a new one each time"
)


def bench_command(description: str | None) -> Callable[[Callable[..., Any]], click.Command]:
    """A command whose help is the docstring of its module, line by line, and the defaults of its options."""
    # Without the mark click would join the lines of a paragraph.
    paragraphs = [f"\b\n{paragraph}" for paragraph in (description or "").split("\n\n")]
    return click.command(help="\n\n".join(paragraphs), context_settings={"show_default": True})


def print_counts(title: str, counts: Mapping[Any, int]) -> None:
    """Print a line for each count, by its name."""
    click.echo(f"  {title}")
    for what, count in sorted((str(what), count) for what, count in counts.items()):
        click.echo(f"    {what:<58}{count:>9,}")


def end_with(problems: Sequence[str]) -> NoReturn:
    """Print a line for each problem. Exits with 1 when there is one."""
    for line in problems:
        click.echo(f"PROBLEM: {line}")
    sys.exit(bool(problems))
