"""The statements of captured spins as scripts of pgbench, PostgreSQL's own load tool.

Spins of the same statements (won, lost) are laid over each other. Where their texts differ, the difference is
the player, the nonce, a number that PostgreSQL has just given, or a time; anything else that differs is a seed,
which only has to be new.
"""

import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.speed.captured import Capture, CapturedSpin
from bench.speed.machine import running_on
from bench.speed.stage import Stage
from tests.support.databases import administer, packaged_tool

SHARDS = 64
FIRST_TIME_MS = 1_800_000_000_000
NONCES_A_RUN = 1_000_000
UNIQUE_DIGITS = 16

LITERAL = re.compile(r"'(?:[^']|'')*'|\b\d+\b")
TPS = re.compile(r"^tps = ([0-9.]+)", re.MULTILINE)
FAILED = re.compile(r"^number of failed transactions: (\d+)", re.MULTILINE)

# What a number may be, as pgbench's expression of the same.
MEANINGS: dict[str, Callable[[CapturedSpin], int]] = {
    ":player": lambda spin: spin.user,
    ":nonce": lambda spin: spin.nonce,
    ":following": lambda spin: spin.nonce + 1,
    ":shard": lambda spin: spin.user % SHARDS,
    ":transaction": lambda spin: spin.transaction,
    ":bet": lambda spin: spin.bet,
    ":made": lambda spin: spin.created_at_ms,
}
GIVEN = (":transaction", ":bet")
"""Numbers that PostgreSQL gives."""


@dataclass(frozen=True)
class Script:
    """One kind of spin, and how often it occurred."""

    text: str
    weight: int
    statements: int


def scripts_of(capture: Capture) -> list[Script]:
    """A script for each kind of spin."""
    kinds: dict[tuple[str, ...], list[CapturedSpin]] = defaultdict(list)
    for spin in capture.spins:
        kinds[tuple(LITERAL.sub("?", each) for each in spin.statements)].append(spin)
    # One that occurred once can't be laid over another.
    return [
        Script(_script(spins, capture.prepared), len(spins), len(shape))
        for shape, spins in kinds.items()
        if len(spins) > 1
    ]


def transactions_per_second(
    stage: Stage,
    url: str,
    scripts: Sequence[Script],
    *,
    clients: int,
    first_player: int,
    run: int,
    cores: Sequence[int],
) -> float:
    """Whole spins a second by this many clients, each a player of its own. ``run`` numbers the runs, from 0."""
    nonce = (run + 1) * NONCES_A_RUN
    administer(url, f"UPDATE announced_seeds SET nonce = {nonce + 1}")
    command = [str(packaged_tool("pgbench")), "--no-vacuum", "--protocol=simple", "--jobs=1"]
    command += [f"--client={clients}", f"--time={max(round(stage.seconds), 1)}"]
    for number, script in enumerate(scripts):
        path = stage.directory / f"spin-{number}.sql"
        path.write_text(script.text)
        command.append(f"--file={path}@{script.weight}")
    values = {"nonce": nonce, "first": first_player, "prepared": 0}
    command += [f"--define={name}={value}" for name, value in values.items()]
    with running_on(*cores):
        ended = subprocess.run([*command, url], capture_output=True, text=True, check=False)
    tps, failed = TPS.search(ended.stdout), FAILED.search(ended.stdout)
    assert ended.returncode == 0 and tps, ended.stderr[-2000:]
    assert failed is None or failed[1] == "0", ended.stdout
    return float(tps[1])


def _script(spins: Sequence[CapturedSpin], prepared: Sequence[str]) -> str:
    lines = [
        "\\set player :first + :client_id",
        f"\\set shard :player % {SHARDS}",
        "\\set nonce :nonce + 1",
        "\\set following :nonce + 1",
        f"\\set made {FIRST_TIME_MS} + :nonce",
        f"\\set serial random({10 ** (UNIQUE_DIGITS - 1)}, {10**UNIQUE_DIGITS - 1})",
    ]
    if prepared:
        lines += ["\\if :prepared = 0", *(f"{each};" for each in dict.fromkeys(prepared))]
        lines += ["\\set prepared 1", "\\endif"]
    return "\n".join([*lines, *_statements(spins)]) + "\n"


def _statements(spins: Sequence[CapturedSpin]) -> Iterator[str]:
    statements = [_laid_over(spins, place) for place in range(len(spins[0].statements))]
    given_by = {variable: _giver(statements, variable) for variable in GIVEN}
    for place, statement in enumerate(statements):
        variables = [variable for variable, giver in given_by.items() if giver == place]
        if variables:
            yield f"{statement} \\gset given_"
            yield f"\\set {variables[0][1:]} :given_id"
        else:
            yield f"{statement};"


def _giver(statements: Sequence[str], variable: str) -> int | None:
    """Which statement returned the number that later ones have as this variable."""
    users = [place for place, each in enumerate(statements) if re.search(rf"{variable}\b", each)]
    if not users:
        return None
    returning = [place for place in range(users[0]) if " RETURNING " in statements[place]]
    assert returning, f"nothing returns {variable}"
    return returning[-1]


def _laid_over(spins: Sequence[CapturedSpin], place: int) -> str:
    """One statement of all these spins, with variables where they differ."""
    texts = [spin.statements[place] for spin in spins]
    literals = iter(zip(*(LITERAL.findall(text) for text in texts), strict=True))
    return LITERAL.sub(lambda _: _written(next(literals), spins), texts[0])


def _written(literals: Sequence[str], spins: Sequence[CapturedSpin]) -> str:
    if len(set(literals)) == 1:
        return literals[0]
    if literals[0].startswith("'"):
        return _text(literals, spins)
    return _meaning(literals, spins) or literals[0]


def _text(literals: Sequence[str], spins: Sequence[CapturedSpin]) -> str:
    inner = [re.findall(r"\d+|\D+", literal) for literal in literals]
    if len({len(parts) for parts in inner}) == 1:
        parts = [_part(each, spins) for each in zip(*inner, strict=True)]
        if None not in parts:
            return "".join(part or "" for part in parts)
    if len(literals[0]) > UNIQUE_DIGITS + 2:
        return f"{literals[0][: -UNIQUE_DIGITS - 1]}:serial'"
    return literals[0]


def _part(parts: Sequence[str], spins: Sequence[CapturedSpin]) -> str | None:
    """A part of a text: the same in all, or a number with a meaning; None for a part of a seed."""
    return parts[0] if len(set(parts)) == 1 else _meaning(parts, spins)


def _meaning(numbers: Sequence[str], spins: Sequence[CapturedSpin]) -> str | None:
    for variable, value in MEANINGS.items():
        if all(number == str(value(spin)) for number, spin in zip(numbers, spins, strict=True)):
            return variable
    later = {
        int(number) - spin.created_at_ms if number.isdigit() else None
        for number, spin in zip(numbers, spins, strict=True)
    }
    if len(later) == 1 and None not in later:
        # A fixed time after the spin, such as its proof's.
        return f"(:made + {later.pop()})"
    return None
