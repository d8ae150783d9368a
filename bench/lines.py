"""How many lines of Python the product has, by package, and how much of it is infrastructure.

    python -m bench.lines

Counts every line of a file, blank lines and docstrings included, but not tests, bench and the tools of CI.
The second table has the parts of docs/architecture.md, "What we wrote ourselves".
"""

from collections import Counter
from pathlib import Path

from bench.harness.command_line import bench_command

ROOT = Path(__file__).resolve().parent.parent
NOT_THE_PRODUCT = {".venv", ".ci", "tests", "bench", "verify"}

INFRASTRUCTURE = (
    *("app.py", "wsgi.py", "gunicorn.conf.py", "settings.py", "setting_parsers.py", "fifo_semaphore.py"),
    "blueprints/__init__.py",
    *("blueprints/api/", "blueprints/system/", "server/", "services/shared/", "models/db/"),
)
"""What any web service needs, by the beginnings of the names of its files."""

PARTS = {
    "PostgreSQL pool, FIFO semaphore, wait budget": (
        "models/db/postgres.py",
        "models/db/waiting.py",
        "fifo_semaphore.py",
    ),
    "BTCPay client": ("services/payments/providers/btcpay",),
    "response cache": ("blueprints/api/caching.py",),
    "hardened worker": ("server/worker/",),
    "OpenID Connect metadata and keys": ("services/accounts/login/discovery.py",),
    "OpenID 2.0 relying party": ("services/accounts/login/game_platform.py",),
    "socket transports": ("server/realtime/transport.py",),
    "schemas and their dump": ("server/schemas.py",),
    "rate limiter": ("server/rate_limiter.py", "server/cluster/request_counts.py"),
    "signals": ("services/shared/signals.py", "server/cluster/signals.py"),
    "list of processes": ("server/cluster/cluster.py", "server/cluster/processes.py"),
    "lease": ("services/shared/lease.py",),
    "database clock": ("server/cluster/database_clock.py",),
    "build once": ("services/shared/build_once.py",),
    "stored catalogue": ("models/catalogue.py",),
    "settling statement": ("models/bet_settlement.py",),
    "group commit": ("models/db/group_commit.py",),
    "Merkle tree, tiles and notes": (
        "services/log/checkpoints.py",
        "services/log/merkle.py",
        "services/log/notes.py",
        "services/log/proof_files.py",
        "services/log/tiles.py",
        "services/log/tree.py",
    ),
    "parameters of SQL written by hand": ("models/db/sql.py",),
}
"""The files of each part of docs/architecture.md, by the beginnings of their names."""


@bench_command(__doc__)
def main() -> None:
    files = product_files()
    packages = Counter[str]()
    for name, lines in files.items():
        packages[package_of(name)] += lines
    for package, lines in packages.most_common():
        print(f"{lines:7,}  {package}")
    total, infrastructure = sum(files.values()), lines_of(files, INFRASTRUCTURE)
    print(f"{total:7,}  in all; infrastructure: {infrastructure:,}, {infrastructure / total:.0%}\n")
    for part, beginnings in PARTS.items():
        print(f"{lines_of(files, beginnings):7,}  {part}")


def lines_of(files: dict[str, int], beginnings: tuple[str, ...]) -> int:
    """The lines of the files whose names begin so."""
    return sum(lines for name, lines in files.items() if name.startswith(beginnings))


def product_files() -> dict[str, int]:
    """The lines of each Python file of the product, by its path."""
    paths = [path.relative_to(ROOT) for path in sorted(ROOT.glob("**/*.py"))]
    return {
        str(path): len((ROOT / path).read_text().splitlines())
        for path in paths
        if path.parts[0] not in NOT_THE_PRODUCT and "node_modules" not in path.parts
    }


def package_of(name: str) -> str:
    """The folder of a file, two levels deep at most."""
    return "/".join(name.split("/")[:-1][:2]) or "top level"


if __name__ == "__main__":
    main()
