"""Three processes with demo data behind nginx, to try out what several processes do.

    python -m bench.run_cluster
    python -m bench.run_cluster --processes 5 --port 8000

Starts a temporary PostgreSQL, a Redis, the processes, and nginx with the configuration of deploy/. Prints
their addresses. Ctrl-C stops all of them and removes their data.
"""

import os
import signal
import sys
import time
from pathlib import Path

import click

from tests.harness.cluster import PROCESSES, cluster
from tests.harness.command_line import bench_command
from tests.harness.databases import bench_env
from tests.harness.local_app import run_flask
from tests.harness.programs import NGINX, REDIS
from tests.harness.proxies import nginx
from tests.harness.redis import redis_server
from tests.harness.servers import drawn_secrets
from tests.harness.waiting import can_connect


@bench_command(__doc__)
@click.option("--processes", default=PROCESSES, help="how many")
@click.option("--port", default=5000, help="of nginx")
def main(processes: int, port: int) -> None:
    if missing := [program.package for program in (NGINX, REDIS) if program.path is None]:
        sys.exit(f"Debian packages are missing: apt-get install {' '.join(missing)}")
    if can_connect(port):
        sys.exit(f"port {port} is in use: choose another one with PORT")
    # Both stop everything in order. A shell starts a command in the background with SIGINT ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        _serve(processes, port)
    except KeyboardInterrupt:
        print("stopped")


def _serve(processes: int, port: int) -> None:
    settings = {
        **drawn_secrets(),
        "BASE_URL": f"http://127.0.0.1:{port}",
        "TRUSTED_PROXIES": "1",
    }
    with redis_server() as redis, bench_env(postgresql=True, REDIS_URL=redis.url, **settings) as own:
        env, directory = os.environ | own, Path(own["INSTANCE_DIR"])
        run_flask(env, "seed")
        with (
            cluster(env, directory, processes=processes) as started,
            nginx(upstream_ports=started.ports, instance_dir=directory, directory=directory, port=port) as (
                address,
                _,
            ),
        ):
            print(f"nginx        {address}")
            for each in started.urls:
                print(f"process      {each}")
            print(f"Redis        {redis.url}")
            print(f"PostgreSQL   {env['DATABASE_URL']}")
            print(f"logs         {directory}")
            office, page = (run_flask(env, "demo", option).strip() for option in ("--office", "--url"))
            print(f"back office  {office}")
            print(f"Open this page; you are signed in as a demo player:\n{page}", flush=True)
            # Not signal.pause(), which misses a signal that comes just before it.
            while True:
                time.sleep(1)


if __name__ == "__main__":
    main()
