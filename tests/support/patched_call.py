"""Bounded calls in a process that is patched for gevent: ``SECONDS URL...``; prints how each ended.

The name ``slow.invalid`` takes a minute to look up.
"""

from gevent import monkey

monkey.patch_all()

import socket  # noqa: E402  # the patch comes first
import sys  # noqa: E402
import time  # noqa: E402

import requests  # noqa: E402
from gevent.pool import Group  # noqa: E402

from services.shared.http_client import bounded  # noqa: E402

look_up = socket.getaddrinfo


def slow_look_up(host, *args, **kwargs):
    if host == "slow.invalid":
        time.sleep(60)
    return look_up(host, *args, **kwargs)


socket.getaddrinfo = slow_look_up
seconds, *urls = sys.argv[1:]


def outcome(url):
    try:
        session = bounded(requests.Session(), seconds=float(seconds), max_bytes=100_000, redirects=30)
        with session as bound:
            return bound.get(url).status_code
    except requests.Timeout:
        return "Timeout"


for result in Group().map(outcome, urls):
    sys.stdout.write(f"{result}\n")
