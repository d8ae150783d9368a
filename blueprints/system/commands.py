"""flask db upgrade and backup, flask seed, flask demo: what a fresh clone needs before it can serve."""

from pathlib import Path

import click
from flask.cli import with_appcontext

from blueprints.common.commands import OperatorCommand, OperatorGroup, operator_command, print_json
from blueprints.common.platform import platform
from models import migrate
from services import backup as backups
from services import demo

db = OperatorGroup("db", help="The database schema.")


@db.command("upgrade")
@operator_command
def upgrade() -> None:
    """Bring the schema up to date; safe to run twice, and by two processes at once."""
    print_json({"applied": migrate.upgrade()})


@db.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@operator_command
def backup(file: Path) -> None:
    """Copy the SQLite database of a running server to FILE."""
    backups.backup(file)
    print_json({"file": str(file), "bytes": file.stat().st_size})


@click.command("seed", cls=OperatorCommand)
@with_appcontext
@operator_command
def seed() -> None:
    """Import the demo catalogue, its pictures and its cases; again changes nothing."""
    services = platform()
    seeded = demo.seed(media_dir=services.settings.instance_dir / "media", now=services.clock())
    print_json({"items": seeded.items, "cases": seeded.cases, "irlCases": seeded.irl_cases})


@click.command("demo", cls=OperatorCommand)
@with_appcontext
@operator_command
def demo_page() -> None:
    """The address of the built-in page, signed in as a demo player with coins."""
    services = platform()
    user = demo.player(seeds=services.seeds, now=services.clock())
    token = services.tokens.issue(platform_id=user.platform_id, now=services.clock())
    print_json({"username": user.username, "page": f"{services.settings.base_url}/?token={token}"})
