"""flask seeds: the server seeds of the players' next spins."""

from blueprints.common.commands import OperatorGroup, print_json
from blueprints.common.platform import platform

group = OperatorGroup("seeds", help="Announced server seeds.")


@group.command("redraw")
def redraw() -> None:
    """Draw a new server seed for every player; a step of restoring a backup, safe while players play."""
    print_json({"redrawn": platform().seeds.redraw_all()})
