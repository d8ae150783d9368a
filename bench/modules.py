"""Which modules of the product an uncached /leaderboard and a spin pass through, on both databases.

    python -m bench.modules

A module counts when one of its functions is called by the task that answers: for a request from its first
hook to the end of its response, for a spin from the event to its acknowledgement and the events that follow.
The standard library's profiler (``threading.setprofile``) sees every call. Not counted are background tasks,
and what reads and writes the bytes of every request and event alike: ``server/worker``, which this server of
threads does not have, and the two tasks of each socket.
"""

import logging
import threading
from collections import defaultdict
from collections.abc import Mapping
from types import FrameType

import requests

from bench.harness.command_line import bench_command
from bench.harness.databases import bench_env
from bench.harness.local_app import local_app
from bench.harness.players import Player, create_player, import_prices
from bench.harness.servers import threaded_server
from bench.harness.sockets import Socket
from bench.harness.spins import play_spin
from bench.lines import ROOT, product_files

ITEM = "Item of a spin"
SPIN = {"amount": 60, "item": ITEM, "clientSeed": "seed-of-mine"}
LAST_OF_A_SPIN = "balance"


class Tracer:
    """Records the modules of the product that each thread passes through. Install it before they start."""

    def __init__(self) -> None:
        self.modules: defaultdict[threading.Thread, set[str]] = defaultdict(set)
        self._names = {str(ROOT / name): name for name in product_files()}

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        name = self._names.get(frame.f_code.co_filename)
        if name is not None and event == "call":
            self.modules[threading.current_thread()].add(name)

    def of_task_through(self, module: str) -> list[str]:
        """The modules of the one thread that has passed through this one."""
        (found,) = (modules for modules in self.modules.values() if module in modules)
        return sorted(found)


@bench_command(__doc__)
def main() -> None:
    for postgresql in (False, True):
        with bench_env(postgresql=postgresql) as env:
            _trace(env, "PostgreSQL" if postgresql else "SQLite")


def _trace(env: Mapping[str, str], database_name: str) -> None:
    tracer = Tracer()
    with local_app(env) as app:
        # Its log lines count, as in production.
        logging.getLogger("platform").setLevel(logging.INFO)
        import_prices({ITEM: 100})
        player = create_player(app, coins=1_000)
        play_spin(app, player, ITEM, amount=60)
        threading.setprofile(tracer)
        with threaded_server(app) as address:
            _ask(address, tracer)
            _report(
                f"/leaderboard on {database_name}", tracer.of_task_through("blueprints/leaderboard/routes.py")
            )
            _spin(address, player, tracer)
            _report(f"a spin on {database_name}", tracer.of_task_through("sockets/bets.py"))
        threading.setprofile(None)


def _ask(address: str, tracer: Tracer) -> None:
    # The first request of all also makes what the others use.
    requests.get(f"{address}/leaderboard?period=monthly", timeout=10)
    tracer.modules.clear()
    requests.get(f"{address}/leaderboard?period=weekly", timeout=10)


def _spin(address: str, player: Player, tracer: Tracer) -> None:
    socket = Socket(address, auth={"token": player.token})
    try:
        for _ in range(2):
            socket.expect(LAST_OF_A_SPIN)
            tracer.modules.clear()
            assert socket.spin(SPIN)["status"]
        socket.expect(LAST_OF_A_SPIN)
    finally:
        socket.close()


def _report(title: str, modules: list[str]) -> None:
    print(f"{len(modules)} modules: {title}")
    print("".join(f"    {module}\n" for module in modules))


if __name__ == "__main__":
    main()
