"""What do silent, slow and stopped connections do to a production server?

    python -m bench.hostile_connections

Prints when the last one was closed, the slowest answer of /healthz meanwhile, and the most memory that they
took. Exits with 1 when that is more than a minute or 80 MiB.
"""

import sys
from pathlib import Path

from bench.harness.attacks.crowds import stall_connections
from bench.harness.command_line import bench_command
from bench.harness.databases import bench_env
from bench.harness.servers import gunicorn, server_process

SILENT, SLOW, STOPPED = 1_050, 200, 20
DEADLINE_SECONDS = 120
MOST_SECONDS = 60
MOST_MEMORY_BYTES = 80 * 1024 * 1024
"""48 KiB a connection; the stack of a waiting task and its buffers take 37."""
MIB = 1024 * 1024


@bench_command(__doc__)
def main() -> None:
    with (
        bench_env(postgresql=False) as env,
        server_process(gunicorn(), env, Path(env["INSTANCE_DIR"])) as server,
    ):
        crowd = stall_connections(
            server.url,
            server.process.pid,
            silent=SILENT,
            slow=SLOW,
            stopped=STOPPED,
            patience_seconds=DEADLINE_SECONDS,
        )
    print(f"left: {crowd.left}")
    print(f"until the last was closed: {crowd.seconds:.1f} s")
    print(f"slowest /healthz of {len(crowd.health_seconds)}: {max(crowd.health_seconds) * 1000:.0f} ms")
    print(f"memory at its height: {crowd.memory_growth_bytes / MIB:.1f} MiB more than before")
    if crowd.seconds > MOST_SECONDS or crowd.memory_growth_bytes > MOST_MEMORY_BYTES:
        sys.exit(1)


if __name__ == "__main__":
    main()
