"""The commands of bench."""

from collections.abc import Callable
from typing import Any

import click


def bench_command(description: str | None) -> Callable[[Callable[..., Any]], click.Command]:
    """A command whose help is the docstring of its module, line by line, and the defaults of its options."""
    # Without the mark click would join the lines of a paragraph.
    paragraphs = [f"\b\n{paragraph}" for paragraph in (description or "").split("\n\n")]
    return click.command(help="\n\n".join(paragraphs), context_settings={"show_default": True})
