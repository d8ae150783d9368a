"""Where does the CPU time of a spin go? A profile by function of many thousand spins with their proofs.

    python -m bench.spin_profile

20 players spin on PostgreSQL, and the production server is sampled by its CPU time. A sample counts for the
first of ``GROUPS`` that one of its functions belongs to, so the log line of a bet counts as a log line.
"""

import json
import logging
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import click

from bench.speed.players import connected_players, make_players, play
from bench.speed.spinning import SOON
from bench.speed.stage import Stage
from tests.harness.command_line import bench_command
from tests.harness.databases import durable_postgres
from tests.harness.process_stats import cpu_seconds
from tests.harness.servers import gunicorn

CROWD = 20
WARMUP_SECONDS = 5.0

GROUPS = {
    "log lines": ("/logging/__init__.py:", "server/logs.py:", "sockets/bets.py:_log_result"),
    "metrics": ("/prometheus_client/", "sockets/bets.py:_count"),
    "public log: appending bets": ("services/log/bet_log.py:append", "services/log/sequencer.py:"),
    "receipt: entry and signature": ("services/bets/settlement.py:receipt",),
    "proofs and live bets": ("sockets/proofs.py:_round", "sockets/live_feed.py:"),
    "seeds and encryption": (
        "services/bets/seeds.py:",
        "services/bets/rolls.py:",
        "services/shared/encryption.py:",
    ),
    "statement and driver": ("services/bets/writer.py:", "models/db/"),
    "answers: writing to the socket": ("engineio/socket.py:writer",),
    "answers: payloads and packets": (
        *(
            "sockets/player_state.py:",
            "server/schemas.py:",
            "sockets/bets.py:_send",
        ),
        *("sockets/bets.py:_answer", "socketio/server.py:_send", "server/realtime/realtime.py:send"),
    ),
    "the bet: request, rules, objects": ("sockets/bets.py:", "services/"),
    "reading packets, starting tasks": ("server/worker/", "engineio/", "socketio/", "server/realtime/"),
}
OTHER = "event loop and other tasks"


@bench_command(__doc__)
@click.option("--seconds", default=30.0, help="of spinning")
@click.option("--functions", default=0, help="print so many functions with the largest shares of their own")
def main(*, seconds: float, functions: int) -> None:
    logging.getLogger("platform").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory(prefix="profile-") as place:
        stacks, spins, used = _profile(Stage(Path(place)), Path(place) / "samples.json", seconds)
    print(f"{spins:,} spins, {used * 1e6 / spins:,.0f} us of CPU each, {stacks.total():,} samples")
    shares, own = Counter(dict.fromkeys((*GROUPS, OTHER), 0)), Counter[str]()
    for stack, count in stacks.items():
        shares[_group(stack)] += count
        own["/".join(stack.partition(";")[0].split("/")[-3:])] += count
    for share, count in (*shares.most_common(), *own.most_common(functions)):
        print(f"{count / stacks.total():6.1%}  {share}")


def _profile(stage: Stage, output: Path, seconds: float) -> tuple[Counter[str], int, float]:
    """The sampled stacks, how many spins were answered, and the CPU seconds of the server."""
    with durable_postgres() as server, server.fresh() as url:
        server.move_to([stage.cores.load])
        players = make_players(stage, url, CROWD)
        env = {**stage.env_of(url), "UPGRADER_PROOF_DELAY": SOON, "SAMPLES": str(output)}
        with (
            stage.server(gunicorn("bench.peers.sampled_wsgi:app"), env) as platform,
            connected_players(stage, platform, players) as connected,
        ):
            play(connected, seconds=WARMUP_SECONDS, warmup_seconds=0)
            before, used = _read(output), cpu_seconds(platform.process.pid)
            load = play(connected, seconds=seconds, warmup_seconds=0)
            used = cpu_seconds(platform.process.pid) - used
    return _read(output) - before, load.answered_in_all, used


def _read(output: Path) -> Counter[str]:
    """How often each stack was seen. ``FILE:function;FILE:function``: the innermost function is the first."""
    counts: Mapping[str, int] = json.loads(output.read_text())
    return Counter(counts)


def _group(stack: str) -> str:
    return next((group for group, places in GROUPS.items() if any(p in stack for p in places)), OTHER)


if __name__ == "__main__":
    main()
