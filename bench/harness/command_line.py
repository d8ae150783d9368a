"""The options of the commands of bench."""

import argparse


def option_parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """The parser of ``python -m bench.NAME``, whose help is the docstring of its module."""
    return argparse.ArgumentParser(
        prog=f"python -m bench.{name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
