"""flask cluster: the processes that serve."""

from blueprints.api.cli import OperatorGroup, print_json
from server.cluster.processes import by_address

group = OperatorGroup("cluster", help="Show the processes that serve.")


@group.command("status")
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
