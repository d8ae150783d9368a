"""The statements of captured spins as scripts of pgbench, PostgreSQL's own load tool.

The texts of spins of one kind (won, lost) are compared. A difference is the player, the nonce, an id that
PostgreSQL has just returned, or a time. Every other difference is a seed, which only has to be new.
"""

import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import psycopg2

from bench.harness.databases import administer, packaged_tool
from bench.speed.captured import Capture, CapturedSpin
from bench.speed.machine import running_on
from bench.speed.players import Player
from bench.speed.stage import LOAD, Stage

SHARDS = 64
FIRST_TIME_MS = 1_800_000_000_000
NONCES_A_RUN = 1_000_000
LEAST_SECONDS = 2
UNIQUE_DIGITS = 16

LITERAL = re.compile(r"'(?:[^']|'')*'|\b\d+\b")
TPS = re.compile(r"^tps = ([0-9.]+)", re.MULTILINE)
MADE = re.compile(r"^number of transactions actually processed: (\d+)", re.MULTILINE)

# The possible meanings of a number, with pgbench's expression for each.
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
"""Ids that PostgreSQL returns."""

# A commitment of this player and this nonce, in 64 characters.
ZEROS = "0" * 48
SERIAL = "1000000000000000 + ({player} % 1000000) * 1000000000 + {nonce}"
COMMITMENTS: dict[str, Callable[[CapturedSpin], str]] = {
    f"'{ZEROS}:serial'": lambda spin: f"'{spin.commitment}'",
    f"'{ZEROS}:next_serial'": lambda spin: f"'{spin.next_commitment}'",
}
ANNOUNCE = f"""
UPDATE announced_seeds SET
    nonce = {{nonce}},
    server_seed_commitment = '{ZEROS}' || ({SERIAL.format(player="user_id", nonce="{nonce}")})::text
"""  # noqa: S608  # numbers


ADD_MARK = "INSERT INTO seed_marks VALUES {mark} ON CONFLICT (number) DO UPDATE SET token = EXCLUDED.token"


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
        kinds[spin.status, *(LITERAL.sub("?", each) for each in spin.statements)].append(spin)
    # Spins of one player, or with one nonce, do not show where a statement has the player or the nonce.
    return [
        Script(_script(spins, capture.prepared), len(spins), len(spins[0].statements))
        for spins in kinds.values()
        if len({spin.user for spin in spins}) > 1 and len({spin.nonce for spin in spins}) > 1
    ]


class PgbenchPlayers:
    """Clients of pgbench. Each is a player of this database who spins with these scripts."""

    def __init__(
        self,
        stage: Stage,
        url: str,
        scripts: Sequence[Script],
        players: Sequence[Player],
        *,
        marks: Sequence[tuple[int, str, int]] = (),
    ) -> None:
        self._stage = stage
        self._url = url
        self._scripts = scripts
        self._players = players
        self._nonce = 0
        # The statements check the marks of the database in which they were captured.
        administer(url, *(ADD_MARK.format(mark=mark) for mark in marks))

    @property
    def statements(self) -> str:
        """The number of statements of a spin, such as ``1 statement``; for each kind if they differ."""
        counts = sorted({script.statements for script in self._scripts})
        return " or ".join(map(str, counts)) + (" statement" if counts == [1] else " statements")

    def spins_per_second(self, *, core: int) -> float:
        """Let the clients spin on this core. Raises AssertionError unless every script was a whole spin."""
        # pgbench loses its variables after each run, so each run begins at a round number.
        self._nonce += NONCES_A_RUN
        administer(self._url, ANNOUNCE.format(nonce=self._nonce + 1))
        with running_on(core):
            ended = subprocess.run([*self._command(), self._url], capture_output=True, text=True, check=False)
        tps, made = TPS.search(ended.stdout), MADE.search(ended.stdout)
        assert ended.returncode == 0, ended.stderr[-2000:]
        assert tps, ended.stdout
        assert made, ended.stdout
        self._check_played(int(made[1]))
        return float(tps[1])

    def _command(self) -> Iterator[str]:
        yield str(packaged_tool("pgbench"))
        yield from ("--no-vacuum", "--protocol=simple", "--jobs=1")
        yield f"--client={len(self._players)}"
        yield f"--time={max(round(self._stage.seconds), LEAST_SECONDS)}"
        for name, value in {"nonce": self._nonce, "first": self._players[0].user.id, "prepared": 0}.items():
            yield f"--define={name}={value}"
        for number, script in enumerate(self._scripts):
            path = self._stage.directory / f"spin-{number}.sql"
            path.write_text(script.text)
            yield f"--file={path}@{script.weight}"

    def _check_played(self, spins: int) -> None:
        """Raises AssertionError unless each script was a spin: it moved its player's nonce by one."""
        with closing(psycopg2.connect(self._url)) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT sum(nonce - %s) FROM announced_seeds", [self._nonce + 1])
            (moved,) = cursor.fetchone() or (None,)
        assert moved == spins, f"{moved} of {spins} spins were whole"


def script_in_steps() -> Script:
    """The work of a spin as plain statements, one after the other."""
    text = (LOAD / "spin_in_steps.sql").read_text()
    return Script("\n".join([*_variables(), text]), weight=1, statements=text.count(";\n"))


def _variables() -> list[str]:
    """The variables of a spin: its player, and values that differ from the last spin."""
    return [
        "\\set player :first + :client_id",
        f"\\set shard :player % {SHARDS}",
        "\\set nonce :nonce + 1",
        "\\set following :nonce + 1",
        f"\\set made {FIRST_TIME_MS} + :nonce",
        "\\set serial " + SERIAL.format(player=":player", nonce=":nonce"),
        "\\set next_serial :serial + 1",
    ]


def _script(spins: Sequence[CapturedSpin], prepared: Sequence[str]) -> str:
    lines = _variables()
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
    """The statement that returned the id that later statements use as this variable."""
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
    for commitment, value in COMMITMENTS.items():
        if all(literal == value(spin) for literal, spin in zip(literals, spins, strict=True)):
            return commitment
    inner = [re.findall(r"\d+|\D+", literal) for literal in literals]
    if len({len(parts) for parts in inner}) == 1:
        parts = [_part(each, spins) for each in zip(*inner, strict=True)]
        if None not in parts:
            return "".join(part or "" for part in parts)
    if len(literals[0]) > UNIQUE_DIGITS + 2:
        return f"{literals[0][: -UNIQUE_DIGITS - 1]}:serial'"
    return literals[0]


def _part(parts: Sequence[str], spins: Sequence[CapturedSpin]) -> str | None:
    """A part of a text: the same in all spins, or a number with a meaning; None for a part of a seed."""
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
        # A time at a fixed distance from the spin, such as that of its proof.
        return f"(:made + {later.pop()})"
    return None
