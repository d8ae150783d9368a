"""nginx from Debian, running the project's own configuration in front of a server of the tests."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.harness.programs import NGINX
from tests.harness.servers import ROOT, free_port
from tests.harness.waiting import can_connect, wait_until

CONFIGURATION = ROOT / "deploy" / "nginx.conf"
ALLOWED_ORIGIN = "https://play.example.com"
"""The port that the configuration names."""

MAIN = """
worker_processes 1;
daemon off;
user root;
pid {directory}/nginx.pid;
error_log {directory}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    include {site};
    {extra}
}}
"""


@contextmanager
def nginx(
    *,
    upstream_ports: Sequence[int],
    instance_dir: Path,
    directory: Path,
    port: int | None = None,
    certificate: Path | None = None,
    extra: str = "",
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run nginx in front of the processes at these ports; yields its address and its process.

    ``certificate`` is a PEM file that holds the certificate and its key; without one nginx speaks plain
    HTTP. ``extra`` is added to the http block.
    """
    port = port or free_port()
    changes = {
        r"server 127\.0\.0\.1:5000;": "\n".join(f"server 127.0.0.1:{each};" for each in upstream_ports),
        r"listen 443 ssl;": f"listen 127.0.0.1:{port}{' ssl' if certificate else ''};",
        r"listen 80;": f"listen 127.0.0.1:{free_port()};",
        r"listen \[::\]:[^;]+;": "",
        r"(ssl_certificate\w*) [^;]+;": rf"\1 {certificate};" if certificate else "",
        r"/var/lib/platform": str(instance_dir),
        r"/opt/platform/current": str(ROOT),
        r"/var/cache/nginx-platform": str(directory / "cache"),
        r"/var/log/nginx": str(directory),
    }
    site = directory / "site.conf"
    site.write_text(_adapted(CONFIGURATION.read_text(), changes))
    main = directory / "nginx.conf"
    main.write_text(MAIN.format(directory=directory, site=site, extra=extra))
    process = subprocess.Popen(
        [str(NGINX.path), "-c", str(main), "-e", str(directory / "error.log")],
        # Ctrl-C must not stop it before its context ends.
        start_new_session=True,
    )
    try:
        wait_until(lambda: can_connect(port) or process.poll() is not None)
        assert process.poll() is None, (directory / "error.log").read_text()
        yield f"{'https' if certificate else 'http'}://127.0.0.1:{port}", process
    finally:
        process.terminate()
        try:
            process.wait(10)
        finally:
            process.kill()


def _adapted(text: str, changes: dict[str, str]) -> str:
    """The configuration, with those lines changed that an operator has to change."""
    for pattern, replacement in changes.items():
        text, count = re.subn(pattern, replacement, text)
        assert count, f"{CONFIGURATION.name} has no {pattern}"
    return text
