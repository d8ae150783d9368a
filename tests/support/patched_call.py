"""One bounded call in a process that is patched for gevent: ``URL SECONDS``; prints how it ended.

The name ``slow.invalid`` takes a minute to look up.
"""

from gevent import monkey

monkey.patch_all()

import socket  # noqa: E402  # the patch comes first
import sys  # noqa: E402
import time  # noqa: E402

import requests  # noqa: E402

from services.shared.http_client import bounded  # noqa: E402

look_up = socket.getaddrinfo


def slow_look_up(host, *args, **kwargs):
    if host == "slow.invalid":
        time.sleep(60)
    return look_up(host, *args, **kwargs)


socket.getaddrinfo = slow_look_up
url, seconds = sys.argv[1:]
try:
    with bounded(requests.Session(), seconds=float(seconds), max_bytes=100_000, redirects=30) as session:
        sys.stdout.write(f"{session.get(url).status_code}\n")
except requests.RequestException as problem:
    sys.stdout.write(f"{type(problem).__name__}\n")
