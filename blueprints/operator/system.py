"""flask check, flask db upgrade and backup, flask seed, flask demo."""

from pathlib import Path

import click
from flask.cli import with_appcontext

from blueprints.api.cli import OperatorCommand, OperatorGroup, print_json
from models.db import migrate
from models.db.connection import writing
from server.current_services import get_services
from services.audit_trail.events import What
from services.audit_trail.recording import record
from services.container import Services
from services.demo import bets as demo_bets
from services.demo import seed as demo
from services.maintenance import backup as backups
from services.maintenance import checks
from services.shared.errors import OperatorError

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

    Checks settings, database, schema and instance directory. Each problem and each warning is a line on
    standard error. Exits with 1 if there is a problem.
    """
    settings = get_services().settings
    problems, warnings = checks.problems(settings), checks.warnings(settings)
    for line in problems + [f"warning: {warning}" for warning in warnings]:
        click.echo(line, err=True)
    print_json({"problems": len(problems), "warnings": len(warnings)})
    if problems:
        raise click.exceptions.Exit(1)


force = click.option("--force", is_flag=True, help="Run although APP_ENV is production.")


def _services_for_demo(*, force: bool) -> Services:
    services = get_services()
    if services.settings.production and not force:
        raise OperatorError("APP_ENV is production: demo data needs --force")
    return services


@click.command("seed", cls=OperatorCommand)
@force
@with_appcontext
def seed(*, force: bool) -> None:
    """Import the demo items, pictures and cases, and play the demo bets.

    Imports only what is missing. The bets are played by demo players, and only when nobody has bet yet.
    """
    services = _services_for_demo(force=force)
    seeded = demo.seed(media_dir=services.settings.instance_dir / "media", now=services.clock())
    games = demo_bets.Games(
        upgrader=services.upgrader,
        case_openings=services.case_openings,
        irl_openings=services.irl_openings,
    )
    bets = demo_bets.play(games=games, proofs=services.proofs, seeds=services.seeds, now=services.clock())
    print_json({"items": seeded.items, "cases": seeded.cases, "irlCases": seeded.irl_cases, "bets": bets})


@click.command("demo", cls=OperatorCommand)
@force
@with_appcontext
def demo_page(*, force: bool) -> None:
    """Print an address where a demo player is signed in.

    The player is created on first use, with 1,000 coins.
    """
    services = _services_for_demo(force=force)
    user = demo.player(seeds=services.seeds, now=services.clock())
    with writing():
        record(What.TOKEN_ISSUED, now=services.clock(), user_id=user.id)
    token = services.tokens.issue(
        platform_id=user.platform_id, session=user.session_number, now=services.clock()
    )
    print_json({"username": user.username, "page": f"{services.settings.base_url}/?token={token}"})
