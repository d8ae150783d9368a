"""flask staff: accounts of the back office."""

import click

from blueprints.api.cli import OperatorGroup, print_json
from server.current_services import get_services
from services.staff import accounts
from services.staff.permissions import Role

group = OperatorGroup("staff", help="Add, list, disable and reset the accounts of the back office.")


@group.command("add")
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    required=True,
    help="What the person works on.",
)
def add(name: str, role: str) -> None:
    """Add an account, and print its enrolment link.

    The link works once, for 24 hours: the person sets a password and an authenticator there.
    """
    services = get_services()
    token = services.staff_accounts.add(name=name, role=Role(role), now=services.clock())
    print_json({"name": name, "role": role, "link": _link(token)})


@group.command("list")
def list_staff() -> None:
    """List the accounts, one JSON line for each.

    ``enrolled`` says whether the person has set a password and an authenticator. Times are in ms.
    """
    for account in accounts.listed():
        print_json(
            {
                "name": account.name,
                "role": account.role,
                "enrolled": account.password_hash is not None,
                "lastLoginAt": account.last_login_at_ms,
                "disabledAt": account.disabled_at_ms,
            }
        )


@group.command("set-role")
@click.argument("name")
@click.argument("role", type=click.Choice([role.value for role in Role]))
def set_role(name: str, role: str) -> None:
    """Give an account another role, and end its sessions at once."""
    services = get_services()
    services.staff_accounts.change_role(name=name, role=Role(role), now=services.clock())
    print_json({"name": name, "role": role})


@group.command("disable")
@click.argument("name")
def disable(name: str) -> None:
    """Disable an account, and end its sessions at once."""
    services = get_services()
    services.staff_accounts.disable(name=name, now=services.clock())
    print_json({"name": name, "disabled": True})


@group.command("reset")
@click.argument("name")
@click.option("--tries", is_flag=True, help="Only forget wrong tries, so that a locked name can sign in.")
def reset(name: str, *, tries: bool) -> None:
    """Take password and authenticator away, end all sessions, and print a new enrolment link.

    For somebody who has lost their phone. Also enables a disabled account.
    """
    services = get_services()
    if tries:
        forgotten = services.staff_accounts.forget_tries(name=name, now=services.clock())
        print_json({"name": name, "triesForgotten": forgotten})
        return
    token = services.staff_accounts.reset(name=name, now=services.clock())
    print_json({"name": name, "link": _link(token)})


def _link(token: str) -> str:
    return f"{get_services().settings.base_url}/office/enrol?token={token}"
