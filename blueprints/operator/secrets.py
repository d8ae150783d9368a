"""flask secrets: re-encrypt the secrets in the database."""

import click

from blueprints.api.cli import OperatorGroup, fail_on_problems, in_camel_case, print_json
from server.current_services import get_services
from services.maintenance import key_rotation

group = OperatorGroup("secrets", help="Re-encrypt the secrets in the database.")


@group.command("rotate")
def rotate() -> None:
    """Encrypt all secrets with the current SECRET_KEY.

    Exits with 1 if a secret cannot be decrypted with any key.
    """
    _rotate()


@group.command("reseal", hidden=True)
def reseal() -> None:
    """Do the same as rotate."""
    click.echo("flask secrets reseal is now called flask secrets rotate", err=True)
    _rotate()


def _rotate() -> None:
    services = get_services()
    counts, unreadable = key_rotation.rotate(services.encrypted_columns(), now=services.clock())
    print_json(in_camel_case(counts) | {"unreadable": len(unreadable)})
    fail_on_problems(unreadable, "cannot be decrypted with any key: see SECRET_KEY_PREVIOUS")
