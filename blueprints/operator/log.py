"""flask log: verify the public log, print its keys, and let it go on after a restore."""

import sys
from datetime import UTC, datetime
from functools import partial
from typing import Any

import click

from blueprints.api.cli import OperatorGroup, fail_on_problems, print_json
from models.bets import Bet
from models.db.connection import database, reading
from models.db.sqlite import Sqlite
from models.payments import PaymentRecord
from server.current_services import get_services
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.log import file, verification
from services.log.file import File
from services.log.sequencer import stored_log
from services.payments import discrepancies
from services.shared.errors import Refusal
from services.shared.text import checked_reason

group = OperatorGroup("log", help="Verify the public log of bets, and let it go on after a restore.")


@group.command("verify")
def verify() -> None:
    """Make every entry again from its bet, and compare it with the tree and the checkpoints.

    Writes nothing. Exits with 1 if there is a difference.
    """
    services = get_services()
    found = verification.verify(services.log, now=services.clock())
    print_json({"entries": found.entries, "bets": found.bets, "problems": len(found.problems)})
    fail_on_problems(found.problems, "problems in the log")


@group.command("key")
def key() -> None:
    """Print the public keys of the log, the current one first."""
    services = get_services()
    # Not as this machine knows it, which may have no record of it.
    origin = stored_log().origin or services.settings.log_origin
    for text in services.log.keys.verifier_keys(origin):
        click.echo(text)


@group.command("continue")
@click.option("--reason", required=True, help="Becomes public with the log.")
@click.option("--lost", type=int, metavar="N", help="The number of lost entries; asked for in a terminal.")
def continue_(reason: str, lost: int | None) -> None:
    """Let bets go on in a database that was set back.

    Shows what is lost first. If entries of the log are lost, it goes on under another name. All announced
    seeds are redrawn.
    """
    reason = checked_reason(reason)
    _check_writable()
    if lost is None:
        print_json(_situation())
        if not sys.stdin.isatty():
            raise click.exceptions.Exit(1)
        lost = click.prompt("Type the number of lost entries", type=int, err=True)
    record_it = partial(_record, AuditEventType.LOG_CONTINUED, {"lost": lost, "reason": reason})
    print_json(_done(get_services().log.restores.resume(lost=lost, reason=reason, record=record_it)))


@group.command("trust")
@click.option("--size", type=int, required=True, metavar="N", help="Of a checkpoint that others have kept.")
@click.option("--reason", default="the log has the entries that others have seen", show_default=True)
def trust(size: int, reason: str) -> None:
    """Let bets go on in a database with N entries of the log or more, on a machine without its file.

    The log keeps its name. All announced seeds are redrawn.
    """
    reason = checked_reason(reason)
    _check_writable()
    record_it = partial(_record, AuditEventType.LOG_TRUSTED, {"trusted": size, "reason": reason})
    print_json(_done(get_services().log.restores.trust(size=size, reason=reason, record=record_it)))


@reading()
def _check_writable() -> None:
    """Raise Refusal for a read-only database."""
    if database.is_read_only():
        raise Refusal("the database is read-only")


@reading()
def _situation() -> dict[str, Any]:
    """What an operator needs to know before bets go on. Raises Refusal if they are not paused."""
    log = get_services().log
    lost, kept, stored = log.restores.lost_entries(), file.read(log.machine.path), stored_log()
    if lost is None:
        raise Refusal("bets are not paused: the database has all that this machine knows of it")
    battles = log.restores.lost_battles()
    if isinstance(database.obj, Sqlite):
        host = database.database
    else:
        info = database.connection().info
        host = f"{info.host}:{info.port}/{info.dbname}"
    return {
        "checkpoint": kept and {"origin": kept.checkpoint.origin, "size": kept.checkpoint.size},
        "log": {"origin": stored.origin, "size": stored.size},
        "lost": lost,
        "battles": {"cancelled": battles.open, "void": battles.locked},
        "lastBet": _newest(Bet),
        "lastPayment": _newest(PaymentRecord),
        "database": database.identity(),
        "host": host,
        "discrepancies": len(discrepancies.open_discrepancies()),
    }


def _newest(table: type[Bet] | type[PaymentRecord]) -> str | None:
    """When the last row was made; None without rows."""
    at = table.select(table.created_at_ms).order_by(table.created_at_ms.desc()).limit(1).scalar()
    return at and datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="seconds")


def _record(event: AuditEventType, what: dict[str, Any], begun: File) -> None:
    """Record what the operator has done."""
    record(event, now=get_services().clock(), user_id=None, after=_done(begun) | what)


def _done(begun: File) -> dict[str, Any]:
    checkpoint = begun.checkpoint
    return {"origin": checkpoint.origin, "size": checkpoint.size, "epoch": begun.epoch}
