"""What Linux says of a process and its children: CPU time and memory."""

import os
import resource
from pathlib import Path

USER_TICKS, SYSTEM_TICKS = 11, 12
ENDED_USER_TICKS, ENDED_SYSTEM_TICKS = 13, 14
"""The fields of CPU time in /proc/PID/stat, counted after the name: its own, and that of ended children."""


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def cpu_seconds(pid: int) -> float:
    """CPU seconds of a process and its children so far; 0 if it has just ended."""
    try:
        # After the name, which is in parentheses and may contain any character.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        own_children = children(pid)
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    ticks = int(fields[USER_TICKS]) + int(fields[SYSTEM_TICKS])
    return ticks / os.sysconf("SC_CLK_TCK") + sum(map(cpu_seconds, own_children))


def cpu_seconds_of_ended(pid: int) -> float:
    """CPU seconds of the children of a process that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[ENDED_USER_TICKS]) + int(fields[ENDED_SYSTEM_TICKS])
    return ticks / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid: int) -> int:
    """The resident memory of a process and its children."""
    pages = [int(Path(f"/proc/{each}/statm").read_text().split()[1]) for each in (pid, *children(pid))]
    return sum(pages) * resource.getpagesize()
