"""Is every figure right after every step, wherever a step is interrupted?

    python -m bench.money_model --examples 200
    python -m bench.money_model --examples 200 --postgresql --seed 7
    python -m bench.money_model --examples 200 --postgresql --processes 3

Generates sequences of actions of three players (spins, openings, prizes, vault, payments, codes, claims,
limits, breaks) while statements fail, connections break, and the process dies in the middle of a transaction,
at COMMIT or right after it. After each step it compares balances, ledger, audits and API answers with a plain
model.

Prints how often each thing happened. Exits with 1 and the shortest sequence that it finds for a wrong
figure.
"""

import argparse
import logging
import secrets
import sys
import time

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import get_state_machine_test

from app import create_app
from bench.harness.command_line import option_parser
from bench.harness.databases import bench_env
from bench.harness.money.model import Players
from bench.harness.money.world import SETTINGS, World
from bench.harness.servers import come_to_rest
from models.db.connection import database
from settings import Settings


def main() -> None:
    options = _options()
    print(f"seed {options.seed}", flush=True)
    began = time.monotonic()
    with bench_env(postgresql=options.postgresql, **SETTINGS) as env:
        if options.processes > 1:
            # Nothing listens there: the apps are not started, so none of them sends a signal.
            env["REDIS_URL"] = "redis://127.0.0.1:9"
        world = World(
            lambda clock: create_app(Settings.from_env(env), clock=clock), processes=options.processes
        )
        logging.getLogger("platform").setLevel(logging.CRITICAL)
        failed = _tell_stories(world, options)
        come_to_rest(world.app)
        database.obj.close_all()
    for what, count in sorted(world.counts.items()):
        print(f"{count:>8,}  {what}")
    print(f"{int(failed)} wrong in {time.monotonic() - began:.0f} s")
    sys.exit(failed)


def _tell_stories(world: World, options: argparse.Namespace) -> bool:
    """Whether a sequence failed; prints it."""
    model = type("Model", (Players,), {"world": world})
    stories = get_state_machine_test(
        model,
        settings=settings(
            max_examples=options.examples,
            stateful_step_count=options.steps,
            deadline=None,
            database=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )
    try:
        seed(options.seed)(stories)()
    except Exception as failure:  # noqa: BLE001  # the story, and what was wrong at its end
        print("\n".join([*getattr(failure, "__notes__", []), str(failure)]))
        return True
    return False


def _options() -> argparse.Namespace:
    parser = option_parser("money_model", __doc__)
    parser.add_argument("--examples", type=int, default=100, help="how many stories (%(default)s)")
    parser.add_argument("--steps", type=int, default=30, help="of a story at the most (%(default)s)")
    parser.add_argument("--postgresql", action="store_true", help="on a temporary PostgreSQL")
    parser.add_argument(
        "--processes",
        type=int,
        default=1,
        help="apps that take turns; several need --postgresql (%(default)s)",
    )
    parser.add_argument(
        "--seed", type=int, default=secrets.randbelow(2**32), help="a number (a new one each time)"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
