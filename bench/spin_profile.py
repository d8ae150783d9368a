"""Where does the CPU time of a spin go? A profile by function of many thousand spins with their proofs.

    python -m bench.spin_profile

It needs py-spy (``pip install py-spy``), which samples the production server 500 times a second while 20
players spin on PostgreSQL. A sample counts for the first of ``GROUPS`` that one of its functions belongs to,
so the log line of a bet counts as logging.
"""

import logging
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from bench.harness.command_line import bench_command
from bench.harness.durable_postgres import durable_postgres
from bench.harness.process_stats import children, cpu_seconds
from bench.speed.players import connected_players, make_players, play
from bench.speed.spinning import SOON
from bench.speed.stage import Stage

CROWD = 20
SAMPLES_PER_SECOND = 500
WARMUP_SECONDS = 3.0

GROUPS = {
    "log lines": ("logging/__init__.py", "server/logs.py", "sockets/bets.py:_log"),
    "metrics": ("prometheus_client/", "sockets/bets.py:count_coins", "sockets/bets.py:_count"),
    "public log: appending bets": ("services/log/signed_log.py:append", "services/log/sequencer.py"),
    "receipt: entry and signature": ("sockets/receipts.py", "services/games/bet_settler.py:_entry"),
    "proofs and live bets": ("sockets/proofs.py:_round", "sockets/live_feed.py"),
    "seeds and encryption": ("services/fairness/", "services/shared/encryption.py"),
    "statement and driver": ("models/bet_settlement.py", "models/db/"),
    "answers: payloads and packets": (
        *(
            "sockets/player_state.py",
            "server/schemas.py",
            "sockets/bets.py:_send",
            "sockets/bets.py:pf_event",
        ),
        *("server/realtime/server.py:send", "socketio/server.py:_send_packet"),
    ),
    "answers: writing to the socket": ("engineio/socket.py:writer",),
    "the bet: request, rules, objects": ("sockets/bets.py", "services/"),
    "reading packets": ("server/worker/", "engineio/", "socketio/", "server/realtime/"),
}
OTHER = "other: event loop, other tasks"


@bench_command(__doc__)
@click.option("--seconds", default=20.0, help="of spinning")
@click.option("--functions", default=0, help="print this many functions with the largest own shares")
def main(*, seconds: float, functions: int) -> None:
    logging.getLogger("platform").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory(prefix="profile-") as place:
        stacks, spins, used = _profile(Stage(Path(place)), Path(place) / "stacks", seconds)
    total = sum(stacks.values())
    print(
        f"{spins:,} spins, {used * 1e6 / spins:,.0f} us of CPU each while they were sampled {total:,} times"
    )
    _print_shares(_by_group(stacks), total)
    if functions:
        _print_shares(Counter(_own(stacks)).most_common(functions), total)


def _profile(stage: Stage, output: Path, seconds: float) -> tuple[Counter[tuple[str, ...]], int, float]:
    """The sampled stacks, how many spins were answered, and the CPU seconds of the server."""
    with durable_postgres() as server, server.fresh() as url:
        server.move_to([stage.cores.load])
        players = make_players(stage, url, CROWD)
        with (
            stage.platform(url, UPGRADER_PROOF_DELAY=SOON) as platform,
            connected_players(stage, platform, players) as connected,
        ):
            play(connected, seconds=WARMUP_SECONDS, warmup_seconds=0)
            (worker,) = children(platform.process.pid)
            sampling = subprocess.Popen(_sampler(worker, output, seconds), stdout=subprocess.DEVNULL)
            before = cpu_seconds(worker)
            load = play(connected, seconds=seconds, warmup_seconds=0)
            used = cpu_seconds(worker) - before
            assert sampling.wait(60) == 0, "py-spy failed"
    stacks: Counter[tuple[str, ...]] = Counter()
    for stack, count in _read(output):
        stacks[stack] += count
    return stacks, load.answered_in_all, used


def _sampler(pid: int, output: Path, seconds: float) -> list[str]:
    program = shutil.which("py-spy")
    assert program, "py-spy is not installed"
    options = {
        "--rate": SAMPLES_PER_SECOND,
        "--duration": int(seconds),
        "--format": "raw",
        "--output": output,
    }
    named = [str(part) for option in options.items() for part in option]
    return [program, "record", "--nonblocking", "--full-filenames", "--pid", str(pid), *named]


def _read(output: Path) -> Iterator[tuple[tuple[str, ...], int]]:
    """Each stack as texts such as ``/app/sockets/bets.py:handle``, the innermost function last."""
    for line in output.read_text().splitlines():
        stack, _, count = line.rpartition(" ")
        # Each frame is ``function (file:line)``.
        frames = [frame.rpartition(" (") for frame in stack.split(";")]
        yield tuple(f"{file.partition(':')[0]}:{name}" for name, _, file in frames if file), int(count)


def _by_group(stacks: Counter[tuple[str, ...]]) -> list[tuple[str, int]]:
    shares = Counter(dict.fromkeys((*GROUPS, OTHER), 0))
    for stack, count in stacks.items():
        shares[_group(stack)] += count
    return shares.most_common()


def _group(stack: tuple[str, ...]) -> str:
    for group, places in GROUPS.items():
        if any(f"/{place}" in frame for frame in stack for place in places):
            return group
    return OTHER


def _own(stacks: Counter[tuple[str, ...]]) -> Counter[str]:
    own: Counter[str] = Counter()
    for stack, count in stacks.items():
        own["/".join(stack[-1].split("/")[-3:]) if stack else OTHER] += count
    return own


def _print_shares(shares: list[tuple[str, int]], total: int) -> None:
    for name, count in shares:
        print(f"{count / total:6.1%}  {name}")


if __name__ == "__main__":
    main()
