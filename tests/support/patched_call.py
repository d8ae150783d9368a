"""One bounded call in a process that is patched for gevent: ``URL SECONDS``; prints how it ended."""

from gevent import monkey

monkey.patch_all()

import sys  # noqa: E402  # the patch comes first

import requests  # noqa: E402

from services.web import bounded  # noqa: E402

url, seconds = sys.argv[1:]
with requests.Session() as session:
    bounded(session, seconds=float(seconds), most_bytes=100_000)
    try:
        sys.stdout.write(f"{session.get(url).status_code}\n")
    except requests.RequestException as problem:
        sys.stdout.write(f"{type(problem).__name__}\n")
