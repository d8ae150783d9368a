"""A process that approves a proposal when it is told to. Its arguments: the proposal's number, and a name.

It prints ``ready``, waits for a line, approves, and prints what was done or why not.
"""

import os
import sys

from app import create_app
from services.shared.errors import OperatorError
from services.staff import accounts
from settings import Settings


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(proposal_id: int, name: str) -> None:
    services = create_app(Settings.from_env(os.environ)).extensions["services"]
    person = accounts.get(name)
    say("ready")
    sys.stdin.readline()
    try:
        say(services.proposals.approve(proposal_id, by=person, now=services.clock()))
    except OperatorError as refusal:
        say(str(refusal))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
