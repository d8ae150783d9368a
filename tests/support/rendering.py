"""As a program: renders the image on its standard input, and prints how many megabytes that took at most."""

import sys
from pathlib import Path

from services.accounts.avatars import render
from services.shared.errors import Refusal


def peak_megabytes():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


if __name__ == "__main__":
    data = sys.stdin.buffer.read()
    before = peak_megabytes()
    try:
        render(data)
    except Refusal as refusal:
        sys.stderr.write(refusal.text)
    sys.stdout.write(f"{peak_megabytes() - before:.0f}")
