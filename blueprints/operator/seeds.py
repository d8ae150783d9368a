"""flask seeds: replace the announced server seeds."""

from blueprints.api.cli import OperatorGroup, print_json
from server.current_services import get_services

group = OperatorGroup("seeds", help="Replace announced server seeds.")


@group.command("redraw")
def redraw() -> None:
    """Draw a new server seed for every player.

    A step of restoring a backup. Safe while players play.
    """
    services = get_services()
    print_json({"redrawn": services.seeds.redraw_all(now=services.clock())})
