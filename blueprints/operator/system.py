"""flask check, flask db, flask cluster, flask secrets, flask seeds, flask seed, flask demo."""

from pathlib import Path

import click
from flask import current_app
from flask.cli import with_appcontext

from blueprints.api.cli import OperatorCommand, OperatorGroup, fail_on_problems, in_camel_case, print_json
from models.db import migrate
from server.cluster.processes import by_address
from server.current_services import get_services
from services.beacon import checks as beacon_checks
from services.container import Services
from services.demo import seed as demo
from services.maintenance import backup as backups
from services.maintenance import checks, encryption
from services.shared.errors import Refusal
from services.witnesses import checks as witness_checks

db = OperatorGroup("db", help="Upgrade or back up the database.")


@db.command("upgrade")
def upgrade() -> None:
    """Bring the database schema up to date.

    Safe to run twice, and by two processes at once.
    """
    print_json({"applied": migrate.upgrade()})


@db.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
def backup(file: Path) -> None:
    """Copy the SQLite database of a running server to FILE."""
    backups.backup(file)
    print_json({"file": str(file), "bytes": file.stat().st_size})


@click.command("check", cls=OperatorCommand)
@with_appcontext
def check() -> None:
    """Report everything that keeps the server from working.

    Checks settings, database, schema, audit trail, encryption key, instance directory, payment providers,
    relays of beacons and witnesses. Each problem, warning and note is a line on standard error. Exits with 1
    if there is a problem.
    """
    services = get_services()
    problems = checks.problems(services.settings, services.encrypted_columns(), services.log)
    wrong, away, notes = services.payment_providers.problems()
    problems += wrong
    refused, silent = current_app.extensions["cluster"].redis_problems()
    problems += refused
    unfit, doubts = beacon_checks.problems(services.beacons, now=services.clock())
    problems += unfit
    warnings = checks.warnings(services.settings) + away + silent + doubts
    if not problems:
        warnings += checks.option_warnings()
        warnings += checks.proxy_warnings(services.settings)
        warnings += checks.copy_warnings(services.settings, services.log)
        warnings += witness_checks.warnings(services.settings)
    lines = [f"warning: {warning}" for warning in warnings] + [f"note: {note}" for note in notes]
    for line in problems + lines:
        click.echo(line, err=True)
    print_json({"problems": len(problems), "warnings": len(warnings)})
    if problems:
        raise click.exceptions.Exit(1)


force = click.option("--force", is_flag=True, help="Run although APP_ENV is production.")


def _services_for_demo(*, force: bool) -> Services:
    services = get_services()
    if services.settings.production and not force:
        raise Refusal("APP_ENV is production: demo data needs --force")
    return services


@click.command("seed", cls=OperatorCommand)
@force
@with_appcontext
def seed(*, force: bool) -> None:
    """Import the demo items, pictures and cases, and play the demo bets.

    Imports only what is missing. The bets are played by demo players, and only when nobody has bet yet.
    """
    services = _services_for_demo(force=force)
    print_json(in_camel_case(demo.seed(services)) | {"bets": demo.play_bets(services)})


@click.command("demo", cls=OperatorCommand)
@click.option("--url", "bare", is_flag=True, help="print only the address")
@click.option("--office", is_flag=True, help="print only the address of the back office")
@force
@with_appcontext
def demo_page(*, bare: bool, office: bool, force: bool) -> None:
    """Print an address where a demo player is signed in.

    The player is created on first use, with 1,000 coins. With --office the address signs in a demo
    administrator of the back office; never in production.
    """
    services = _services_for_demo(force=force)
    if office:
        click.echo(_office_address(services))
        return
    user, token = demo.sign_in(services, now=services.clock())
    page = f"{services.settings.base_url}/?token={token}"
    if bare:
        click.echo(page)
    else:
        print_json({"username": user.username, "page": page})


def _office_address(services: Services) -> str:
    if services.demo_staff is None:
        raise Refusal("APP_ENV is production: the back office has no demo")
    if not services.settings.office_enabled:
        raise Refusal("OFFICE_ENABLED is 0: there is no back office")
    token = services.demo_staff.draw_token(now=services.clock())
    return f"{services.settings.base_url}/office/demo?token={token}"


cluster_commands = OperatorGroup("cluster", help="Show the processes that serve.")


@cluster_commands.command("status")
def status() -> None:
    """Print the live processes.

    lag is how many milliseconds too late a process began its last round of two seconds. redis is none
    without REDIS_URL.
    """
    shown = [
        {
            "id": each.id,
            "address": each.address,
            "sockets": each.sockets,
            "lag": each.lag_ms,
            "redis": each.redis,
        }
        for each in by_address()
    ]
    print_json({"processes": shown})


secrets_commands = OperatorGroup("secrets", help="Re-encrypt the secrets in the database.")


@secrets_commands.command("rotate")
def rotate() -> None:
    """Encrypt all secrets with the current SECRET_KEY.

    Exits with 1 if a secret cannot be decrypted with any key.
    """
    _rotate()


@secrets_commands.command("reseal", hidden=True)
def reseal() -> None:
    """Do the same as rotate."""
    click.echo("flask secrets reseal is now called flask secrets rotate", err=True)
    _rotate()


def _rotate() -> None:
    services = get_services()
    counts, unreadable = encryption.rotate(services.encrypted_columns(), now=services.clock())
    print_json(in_camel_case(counts) | {"unreadable": len(unreadable)})
    fail_on_problems(unreadable, "cannot be decrypted with any key: see SECRET_KEY_PREVIOUS")


seeds_commands = OperatorGroup("seeds", help="Replace announced server seeds.")


@seeds_commands.command("redraw")
def redraw() -> None:
    """Draw a new server seed for every player.

    A step of restoring a backup. Safe while players play.
    """
    services = get_services()
    print_json({"redrawn": services.seeds.redraw_all(now=services.clock())})
