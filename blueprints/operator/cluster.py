"""flask cluster: the processes that serve."""

from blueprints.api.cli import OperatorGroup, print_json
from server.current_services import get_services
from services.shared import processes

group = OperatorGroup("cluster", help="Show the processes that serve.")


@group.command("status")
def status() -> None:
    """Print the live processes.

    lag is how many milliseconds too late a process began its last round of two seconds. Without REDIS_URL
    the list is empty.
    """
    live = processes.live_processes() if get_services().settings.redis_url else []
    shown = [
        {
            "id": each.id,
            "address": each.address,
            "sockets": each.sockets,
            "lag": each.lag_ms,
            "redis": each.redis,
        }
        for each in live
    ]
    print_json({"processes": shown})
