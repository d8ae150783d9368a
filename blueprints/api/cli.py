"""Shared by all operator commands: JSON on standard output; errors as one line, with exit code 1."""

import os
import pwd
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from typing import Any

import click
import orjson
import peewee
from flask.cli import AppGroup

from models.db.connection import SCHEMA_ERRORS, UNAVAILABLE, schema_problem
from models.db.new_connections import UnusableDatabase
from services.audit_trail.actor import Actor, acting_as
from services.shared.errors import Refusal
from services.shared.money import MAX_AMOUNT_CENTS, Cents, InvalidAmount, cents_from_number, cents_from_price
from services.shared.text import camel_case

MAX_PRINTED_PROBLEMS = 20


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Turn what commands can raise into click's one-line error, with exit code 1."""
    try:
        yield
    except (click.exceptions.NoArgsIsHelpError, BrokenPipeError):
        # Click handles both.
        raise
    except click.UsageError as error:
        # Click lists the choices of a missing argument on lines of their own.
        raise click.ClickException(" ".join(error.format_message().split())) from None
    except (Refusal, OSError, UnicodeEncodeError) as error:
        _drop_unwritten_output()
        raise click.ClickException(str(error)) from None
    except UnusableDatabase as error:
        raise click.ClickException(f"DATABASE_URL: {error}") from None
    except (*SCHEMA_ERRORS, *UNAVAILABLE) as error:
        if problem := schema_problem(error):
            raise click.ClickException(f"the database schema is not up to date: {problem}") from None
        if isinstance(error, peewee.ProgrammingError):
            raise
        reason = str(error).strip().partition("\n")[0]
        raise click.ClickException(f"the database is not available: {reason}") from None


def _drop_unwritten_output() -> None:
    """If standard output has failed, write no more to it: Python would report that again at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _system_user() -> str:
    """The user that runs this process, who can't choose the name as they can that in the environment."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


class OperatorCommand(click.Command):
    """A command whose errors are one line."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _one_line_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _one_line_errors(), acting_as(Actor(f"operator:{_system_user()}")):
            return super().invoke(ctx)


class OperatorGroup(OperatorCommand, AppGroup):
    """A group of such commands. An unknown command in it is one line as well."""

    command_class = OperatorCommand

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Raises ClickException: Flask looks up the commands of an app only here."""
        command = super().get_command(ctx, cmd_name)
        if command is None and not ctx.resilient_parsing:
            raise click.ClickException(f"No such command '{cmd_name}'.")
        return command


def print_json(value: object) -> None:
    """Print one line of JSON on standard output, in UTF-8 whatever the encoding of the terminal is."""
    click.echo(orjson.dumps(value))


def in_camel_case(values: Mapping[str, Any]) -> dict[str, Any]:
    """The same values under the names that they have in JSON."""
    return {camel_case(name): value for name, value in values.items()}


def progress_bar(*args: Any, **kwargs: Any) -> Any:
    """Click's progress bar on standard error, shown only when that is a terminal."""
    return click.progressbar(*args, file=sys.stderr, hidden=not sys.stderr.isatty(), **kwargs)


def amount(text: str) -> Cents:
    """A parameter type: coins, from 0, with at most two decimals. The command gets cents."""
    try:
        return cents_from_number(Decimal(text))
    except (InvalidAmount, InvalidOperation):
        problem = "must be an amount from 0 to 1000000000 with at most two decimals"
        raise click.BadParameter(problem) from None


def signed_amount(text: str) -> int:
    """A parameter type: coins, also below 0, with at most two decimals. The command gets cents."""
    try:
        return cents_from_number(Decimal(text), least=Cents(-MAX_AMOUNT_CENTS))
    except (InvalidAmount, InvalidOperation):
        problem = "must be an amount from -1000000000 to 1000000000 with at most two decimals"
        raise click.BadParameter(problem) from None


def item_price(text: str) -> Cents:
    """A parameter type: an amount, or a price as the API shows it ($12.40). The command gets cents."""
    try:
        return cents_from_price(text)
    except InvalidAmount:
        return amount(text)


def fail_on_problems(problems: Sequence[str], what: str = "mismatches") -> None:
    """Print the first problems on standard error and exit with 1, if there are any."""
    for line in problems[:MAX_PRINTED_PROBLEMS]:
        click.echo(line, err=True)
    if problems:
        raise click.ClickException(f"{len(problems)} {what}")
