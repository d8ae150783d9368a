"""CPU time and memory of the most expensive avatar uploads: ``python -m bench.avatars``."""

import subprocess
import sys
import time
from pathlib import Path

from bench.harness.hostile_images import IMAGES
from services.avatars.render import render
from services.shared.errors import PlatformError


def peak_megabytes() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def measure(name: str) -> None:
    """Render one image in this process; prints seconds, megabytes above the start, and the result."""
    data = sys.stdin.buffer.read()
    before, began = peak_megabytes(), time.thread_time()
    try:
        result = f"{len(render(data))} bytes"
    except PlatformError as refusal:
        result = refusal.text
    seconds, megabytes = time.thread_time() - began, peak_megabytes() - before
    print(f"{name:30} {len(data):9} {seconds:8.2f} {megabytes:6.0f}  {result}")


def main() -> None:
    print(f"{'image':30} {'bytes':>9} {'CPU s':>8} {'MB':>6}  result", flush=True)
    for name, make in IMAGES.items():
        subprocess.run([sys.executable, "-m", "bench.avatars", name], input=make(), check=True)


if __name__ == "__main__":
    measure(sys.argv[1]) if sys.argv[1:] else main()
