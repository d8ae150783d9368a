"""The audit of dependencies, against local services."""

import gzip
import json
import os
import subprocess
import sys

import pytest
from werkzeug import Request, Response

from tests.harness.servers import ROOT, free_port, serving

pytestmark = [
    pytest.mark.process,
    pytest.mark.guarantee("Dependencies"),
    pytest.mark.security("Dependencies"),
]

NODE_ADVISORY = {
    "id": 1,
    "url": "https://advisories.example.com/1",
    "title": "Remote code execution",
    "severity": "high",
    "vulnerable_versions": "<2.0.0",
    "cvss": {"score": 8.1, "vectorString": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N"},
    "cwe": ["CWE-1"],
}


class Advisories:
    """A service with advisories for Python and npm packages; at first there are none."""

    vulnerable = frozenset()
    unavailable_for = frozenset()

    def __call__(self, environ, start_response):
        request = Request(environ)
        if request.path.endswith("/advisories/bulk"):
            names = json.loads(gzip.decompress(request.get_data()))
            answer = {name: [NODE_ADVISORY] for name in names if name in self.vulnerable}
        else:
            name = json.loads(request.get_data())["package"]["name"]
            if name in self.unavailable_for:
                return Response(status=503)(environ, start_response)
            answer = {"vulns": [python_advisory(name)]} if name in self.vulnerable else {}
        return Response(json.dumps(answer), mimetype="application/json")(environ, start_response)


def python_advisory(name):
    ranges = [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "9"}]}]
    affected = {"package": {"name": name, "ecosystem": "PyPI"}, "ranges": ranges}
    return {"id": "PYSEC-1", "summary": "A flaw", "affected": [affected]}


@pytest.fixture
def advisories():
    return Advisories()


@pytest.fixture
def lists(tmp_path):
    """Two Python packages and one of Node.js."""
    python, node = tmp_path / "requirements.txt", tmp_path / "package-lock.json"
    pinned = ("alpha==1.2.3", "beta==1.2.3 ; python_full_version < '3.11.3'")
    python.write_text("\n".join(f"{package} \\\n    --hash=sha256:{'0' * 64}" for package in pinned))
    needed = {"dependencies": {"gamma": "1.0.0"}}
    (tmp_path / "package.json").write_text(json.dumps(needed))
    packages = {"": needed, "node_modules/gamma": {"version": "1.0.0", "integrity": "sha512-AAAA"}}
    node.write_text(json.dumps({"lockfileVersion": 3, "requires": True, "packages": packages}))
    return [str(python), str(node)]


@pytest.fixture
def audit(lists, advisories):
    """Runs the audit with the service, or with an address without a service."""

    def run(mode, *, files=lists, reachable=True):
        with serving(advisories) as url:
            address = url if reachable else f"http://127.0.0.1:{free_port()}"
            services = {
                "PIP_AUDIT_VULNERABILITY_SERVICE": "osv",
                "PIP_AUDIT_OSV_URL": f"{address}/v1/query",
                "npm_config_registry": address,
                "npm_config_fetch_retries": "0",
            }
            ran = subprocess.run(
                [sys.executable, ".ci/audit.py", mode, *files],
                cwd=ROOT,
                env=os.environ | services,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
        return ran.returncode, ran.stdout

    return run


def test_vulnerable_packages_fail_the_audit_by_name(audit, advisories):
    advisories.vulnerable = {"beta", "gamma"}

    code, output = audit("try")

    assert code == 1
    assert "VULNERABLE beta 1.2.3: PYSEC-1" in output
    assert "VULNERABLE gamma: high" in output


def test_an_audit_without_its_service_fails(audit, lists):
    code, output = audit("must", files=lists[1:], reachable=False)

    assert code == 1
    assert f"*** NOT AUDITED: {lists[1]} ***" in output
    assert "0 looked up" in output


def test_an_audit_that_only_tries_reports_what_it_cannot_look_up(audit, advisories, lists):
    advisories.unavailable_for = {"alpha"}

    code, output = audit("try", files=lists[:1])

    assert code == 0
    assert f"*** NOT AUDITED: {lists[0]} ***" in output
