"""The base of the operator's commands: JSON on standard output, errors in one line with exit code 1."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import click
import orjson
import peewee
from flask.cli import AppGroup

from models.database import SCHEMA_ERRORS, UNAVAILABLE, schema_problem
from services import exact_json
from services.errors import OperatorError, PlatformError
from services.money import Cents, NotAnAmount, cents_from_number

MISMATCHES_SHOWN = 20


def print_json(value: object) -> None:
    """One line of JSON on standard output."""
    click.echo(orjson.dumps(value).decode())


def read_json(file: Path) -> Any:
    """The value of a JSON file, with Decimals for fractions. Raises OperatorError."""
    try:
        return exact_json.loads(file.read_bytes())
    except ValueError as problem:
        raise OperatorError(f"{file.name} is not JSON: {problem}") from None


def progress_bar(*args: Any, **kwargs: Any) -> Any:
    """Click's progress bar on standard error, shown only when that is a terminal."""
    return click.progressbar(*args, file=sys.stderr, hidden=not sys.stderr.isatty(), **kwargs)


class OperatorCommand(click.Command):
    """A command that tells an operator in one line what is wrong, and exits with 1."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _one_line_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _one_line_errors():
            return super().invoke(ctx)


class OperatorGroup(AppGroup):
    """A group of such commands, which reports an unknown command or option in one line as well."""

    command_class = OperatorCommand

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _one_line_errors():
            return super().make_context(*args, **kwargs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Raises ClickException for an unknown command: Flask's own group looks up commands only here."""
        command = super().get_command(ctx, cmd_name)
        if command is None and not ctx.resilient_parsing:
            with _one_line_errors():
                raise click.exceptions.NoSuchCommand(cmd_name, possibilities=self.commands, ctx=ctx)
        return command


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Turn what an operator can correct into a ClickException: one line on standard error, exit code 1."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        raise click.ClickException(error.format_message()) from None
    except (OperatorError, PlatformError) as error:
        raise click.ClickException(str(error)) from None
    except (*SCHEMA_ERRORS, *UNAVAILABLE) as error:
        if problem := schema_problem(error):
            raise click.ClickException(f"the database schema is not up to date: {problem}") from None
        if isinstance(error, peewee.ProgrammingError):
            raise
        first_line = str(error).strip().split("\n", maxsplit=1)[0]
        raise click.ClickException(f"the database is not available: {first_line}") from None


class Amount(click.ParamType):
    """A command-line amount of coins, not negative, with at most two decimals; cents for the command."""

    name = "amount"

    def convert(self, value: Any, _param: click.Parameter | None, _ctx: click.Context | None) -> Cents:
        try:
            cents = cents_from_number(Decimal(str(value)))
        except (NotAnAmount, InvalidOperation):
            cents = Cents(-1)
        if cents < 0:
            self.fail("must be an amount from 0 to 1000000000 with at most two decimals")
        return cents


def fail_on_mismatches(mismatches: list[str]) -> None:
    """Write the first mismatches of an audit on standard error and exit with 1; do nothing without any."""
    for line in mismatches[:MISMATCHES_SHOWN]:
        click.echo(line, err=True)
    if mismatches:
        raise click.ClickException(f"{len(mismatches)} mismatches")
