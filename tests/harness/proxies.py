"""Proxies from Debian, each with its configuration in deploy/proxies, before a server of the tests."""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.harness.programs import APACHE, CADDY, HAPROXY, VARNISH, Program
from tests.harness.servers import ROOT, free_port
from tests.harness.waiting import can_connect, wait_until

CONFIGURATIONS = ROOT / "deploy" / "proxies"
APACHE_MODULES = ("mpm_event", "authz_core", "proxy", "proxy_http", "proxy_wstunnel")
APACHE_MAIN = "".join(
    f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n" for name in APACHE_MODULES
)


class Proxy(NamedTuple):
    """``changes`` are patterns and their replacements: for what an operator changes, and without TLS."""

    program: Program
    configuration: str
    arguments: Sequence[str]
    changes: dict[str, str]
    before: str = ""


PROXIES = {
    "haproxy": Proxy(
        HAPROXY, "haproxy.cfg", ("-db", "-f", "{file}"), {r"bind :443 ssl crt \S+": "bind 127.0.0.1:{port}"}
    ),
    "varnish": Proxy(
        VARNISH,
        "varnish.vcl",
        ("-F", "-n", "{directory}/work", "-a", "127.0.0.1:{port}", "-f", "{file}", "-s", "malloc,16m"),
        {r'"5000"': '"{upstream}"'},
    ),
    "caddy": Proxy(
        CADDY,
        "Caddyfile",
        ("run", "--adapter", "caddyfile", "--config", "{file}"),
        {r"play\.example\.com": "http://127.0.0.1:{port}"},
        before="{{\n\tadmin off\n}}\n",
    ),
    "apache": Proxy(
        APACHE,
        "apache.conf",
        ("-DFOREGROUND", "-f", "{file}"),
        {r"\*:443": "127.0.0.1:{port}", r"SSL\w+ .*": ""},
        before=APACHE_MAIN
        + "Listen 127.0.0.1:{port}\nServerRoot {directory}\nPidFile {directory}/pid\n"
        + "ErrorLog {directory}/log\n"
        + "DefaultRuntimeDir {directory}\n"
        + ("User nobody\nGroup nogroup\n" if os.geteuid() == 0 else ""),
    ),
}


@contextmanager
def proxy(name: str, *, upstream_port: int) -> Iterator[str]:
    """Run this proxy in front of the process at this port; yields its address."""
    with tempfile.TemporaryDirectory(prefix="proxy-") as place:
        directory = Path(place)
        # Programs that give up root's rights read their files there.
        directory.chmod(0o755)
        with _running(name, upstream_port, directory) as url:
            yield url


@contextmanager
def _running(name: str, upstream_port: int, directory: Path) -> Iterator[str]:
    kind, port = PROXIES[name], free_port()
    values = {"port": port, "upstream": upstream_port, "directory": directory}
    text = (CONFIGURATIONS / kind.configuration).read_text()
    for pattern, replacement in (kind.changes | {r"127\.0\.0\.1:5000": "127.0.0.1:{upstream}"}).items():
        text = re.sub(pattern, replacement.format(**values), text)
    file = directory / kind.configuration
    file.write_text(kind.before.format(**values) + text)
    process = subprocess.Popen(
        [str(kind.program.path), *(each.format(**values, file=file) for each in kind.arguments)],
        env={**os.environ, "XDG_CONFIG_HOME": str(directory), "XDG_DATA_HOME": str(directory)},
        start_new_session=True,
    )
    try:
        wait_until(lambda: can_connect(port) or process.poll() is not None)
        assert process.poll() is None
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)
