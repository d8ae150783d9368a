"""``python -m verify.generate`` copies the rules of the platform into the programs of this folder.

Each program stays one file that anybody can download and run. What it has from the platform stands between
its lines ``BEGIN`` and ``END``. tests/verify/test_programs.py compares the copies with their sources.
"""

import ast
import re
from pathlib import Path

from blueprints.site.assets import bundle

ROOT = Path(__file__).parents[1]

ROLLS = "services/bets/rolls.py"
CLIENT_SEEDS = "services/accounts/users.py"
BATTLES = "services/battles/rules.py"
BEACONS = "services/beacon/chain.py"
RULES = (
    "ROLL_RANGE PPM TICKET_RANGE ROUND SERVER_SEED WHOLE commitment_of digest roll ticket"
    " threshold winner ContentItem canonical_json content_text read_content"
)
BATTLE_RULES = "NORMAL MODES TEAMS Draws Rules Decision decide _jackpot_weights _draw_by_weight _equal_shares"
BEACON_RULES = "SCHEME DOMAIN UNNAMED SIGNATURE BadBeacon Chain message_of QUICKNET"

SOURCES = {
    "verify.py": [
        (CLIENT_SEEDS, "CLIENT_SEED"),
        (ROLLS, f"{RULES} ROLLS_PER_PERCENT TICKETS_PER_ROLL percent ticket_percent"),
        (BATTLES, BATTLE_RULES),
        (BEACONS, BEACON_RULES),
        ("services/log/tree.py", "leaf_hash node_hash"),
        ("verify/monitor.py", "COSIGNERS LATEST_SECONDS Witness time_text"),
    ],
    "monitor.py": [
        (CLIENT_SEEDS, "CLIENT_SEED"),
        (ROLLS, RULES),
        ("services/log/tree.py", "EMPTY_ROOT leaf_hash node_hash root_of"),
        (BATTLES, BATTLE_RULES),
        (BEACONS, BEACON_RULES),
    ],
}
"""The modules that a Python program copies from, each with the names of the definitions."""

MODULES = {
    "verify.mjs": [
        "fairness/verify-bet.js",
        "fairness/log-proof.js",
        "fairness/battle-verdict.js",
        "fairness/log-tiles.js",
    ],
}
"""The modules of the built-in page that a JavaScript program contains, with those that they import."""

REGION = re.compile(r"^((?:#|//) BEGIN\b[^\n]*\n).*^((?:#|//) END\b)", re.DOTALL | re.MULTILINE)


def generated(program: str) -> str:
    """The text of a program, with what its sources say now. Raises KeyError for a name that they lack."""
    if program in MODULES:
        copy = bundle(*MODULES[program])
    else:
        copy = "\n\n\n".join(definitions(module, set(names.split())) for module, names in SOURCES[program])
    text = (ROOT / "verify" / program).read_text("utf-8")
    return REGION.sub(lambda region: f"{region[1]}\n{copy.strip()}\n\n\n{region[2]}", text)


def definitions(module: str, names: set[str]) -> str:
    """The source of these definitions of a module: constants, functions and classes, and their instances."""
    text = (ROOT / module).read_text("utf-8")
    lines, statements = text.splitlines(), ast.parse(text).body
    constants: list[str] = []
    others: list[str] = []
    instances: list[str] = []
    classes = {statement.name for statement in statements if isinstance(statement, ast.ClassDef)}
    for statement, following in zip(statements, [*statements[1:], ast.Pass()], strict=True):
        name = defined_name(statement)
        if name not in names:
            continue
        names.remove(name)
        is_constant = isinstance(statement, ast.Assign)
        # The text below a constant is about it.
        last = following if is_constant and isinstance(following, ast.Expr) else statement
        source = "\n".join(lines[first_line(statement) - 1 : last.end_lineno])
        is_instance = is_constant and any(
            isinstance(node, ast.Name) and node.id in classes for node in ast.walk(statement)
        )
        (instances if is_instance else constants if is_constant else others).append(source)
    if names:
        raise KeyError(f"{module} has no {', '.join(sorted(names))}")
    return "\n\n\n".join(filter(None, ["\n\n".join(constants), *others, *instances]))


def first_line(statement: ast.stmt) -> int:
    """The number of the line with which a statement begins, decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def defined_name(statement: ast.stmt) -> str:
    """The name that a statement of a module defines, the first if it defines several, else empty."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=name), *_])]):
            return name
    return ""


def main() -> None:
    """Write all programs."""
    for program in (*SOURCES, *MODULES):
        (ROOT / "verify" / program).write_text(generated(program), "utf-8")


if __name__ == "__main__":
    main()
