"""nginx and other proxies from Debian, with the configurations of deploy/, before a server of the tests."""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.harness.programs import APACHE, CADDY, HAPROXY, NGINX, VARNISH, Program, running
from tests.harness.servers import ROOT, free_port

CONFIGURATIONS = ROOT / "deploy" / "proxies"
NGINX_CONFIGURATION = ROOT / "deploy" / "nginx.conf"
ALLOWED_ORIGIN = "https://play.example.com"
"""The port that the configuration of nginx names."""

NGINX_MAIN = """
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
    kind, port = PROXIES[name], free_port()
    with tempfile.TemporaryDirectory(prefix="proxy-") as place:
        directory = Path(place)
        # Programs that give up root's rights read their files there.
        directory.chmod(0o755)
        file = directory / kind.configuration
        values = {"port": port, "upstream": upstream_port, "directory": directory, "file": file}
        text = (CONFIGURATIONS / kind.configuration).read_text()
        for pattern, replacement in (kind.changes | {r"127\.0\.0\.1:5000": "127.0.0.1:{upstream}"}).items():
            text = re.sub(pattern, replacement.format(**values), text)
        file.write_text(kind.before.format(**values) + text)
        env = {**os.environ, "XDG_CONFIG_HOME": place, "XDG_DATA_HOME": place}
        arguments = [each.format(**values) for each in kind.arguments]
        with running(kind.program, arguments, port=port, env=env):
            yield f"http://127.0.0.1:{port}"


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
    site.write_text(_adapted(NGINX_CONFIGURATION.read_text(), changes))
    main = directory / "nginx.conf"
    main.write_text(NGINX_MAIN.format(directory=directory, site=site, extra=extra))
    arguments = ["-c", main, "-e", directory / "error.log"]
    with running(NGINX, arguments, port=port) as process:
        yield f"{'https' if certificate else 'http'}://127.0.0.1:{port}", process


def _adapted(text: str, changes: dict[str, str]) -> str:
    """The configuration of nginx, with those lines changed that an operator has to change."""
    for pattern, replacement in changes.items():
        text, count = re.subn(pattern, replacement, text)
        assert count, f"{NGINX_CONFIGURATION.name} has no {pattern}"
    return text
