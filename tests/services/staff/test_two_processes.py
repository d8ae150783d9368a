"""A proposal that two people approve at the same moment, in two processes."""

import os
import subprocess
import sys

import pytest

from bench.harness.servers import ROOT
from services.maintenance import ledger_audit
from services.shared.clock import now_ms
from services.staff.permissions import Role

pytestmark = pytest.mark.process


@pytest.fixture
def clock():
    """That of the processes."""
    return now_ms


@pytest.fixture
def approving(env):
    """Starts a process that approves a proposal once it gets a line."""
    started = []

    def start(proposal_id, name):
        command = [sys.executable, "-m", "tests.support.approving_app", str(proposal_id), name]
        process = subprocess.Popen(  # our own program
            command,
            cwd=ROOT,
            env=os.environ | env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.security("Four eyes")
def test_of_two_processes_that_approve_at_once_one_executes(app, approving, change_balance, balance):
    staff_accounts = app.extensions["services"].staff_accounts
    staff_accounts.add(name="dave", role=Role.PAYMENTS, now=now_ms())
    outcome = change_balance(250)
    processes = [approving(outcome.proposal.id, name) for name in ("bob", "dave")]

    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate(timeout=60)[0] for process in processes]

    assert sum("is $350.00 now" in text for text in said) == 1
    assert sum("the proposal is approved by" in text for text in said) == 1
    assert balance() == 350
    assert ledger_audit.audit().mismatches == []
