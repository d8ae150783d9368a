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

import logging
import secrets
import sys
import time

import click
from hypothesis import HealthCheck, Phase, settings
from hypothesis import seed as seeded
from hypothesis.stateful import get_state_machine_test

from app import create_app
from bench.harness.command_line import bench_command
from bench.harness.databases import bench_env
from bench.harness.money.model import Players
from bench.harness.money.world import SETTINGS, World
from bench.harness.servers import come_to_rest
from models.db.connection import database
from settings import Settings


@bench_command(__doc__)
@click.option("--examples", default=100, help="how many sequences")
@click.option("--steps", default=30, help="of a sequence at the most")
@click.option("--postgresql", is_flag=True, help="on a temporary PostgreSQL")
@click.option("--processes", default=1, help="apps that take turns; several need --postgresql")
@click.option(
    "--seed",
    type=int,
    default=lambda: secrets.randbelow(2**32),
    help="a number, by default a new one each time",
)
def main(*, examples: int, steps: int, postgresql: bool, processes: int, seed: int) -> None:
    print(f"seed {seed}", flush=True)
    began = time.monotonic()
    with bench_env(postgresql=postgresql, **SETTINGS) as env:
        if processes > 1:
            # Nothing listens there: the apps are not started, so none of them sends a signal.
            env["REDIS_URL"] = "redis://127.0.0.1:9"
        world = World(lambda clock: create_app(Settings.from_env(env), clock=clock), processes=processes)
        logging.getLogger("platform").setLevel(logging.CRITICAL)
        failed = _finds_wrong_figure(world, examples, steps, seed)
        come_to_rest(world.app)
        database.obj.close_all()
    for what, count in sorted(world.counts.items()):
        print(f"{count:>8,}  {what}")
    print(f"{int(failed)} wrong in {time.monotonic() - began:.0f} s")
    sys.exit(failed)


def _finds_wrong_figure(world: World, examples: int, steps: int, seed: int) -> bool:
    """Run the model. Prints the shortest sequence that fails."""
    model = type("Model", (Players,), {"world": world})
    test = get_state_machine_test(
        model,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )
    try:
        seeded(seed)(test)()
    except Exception as failure:  # noqa: BLE001  # the sequence, and what was wrong at its end
        print("\n".join([*getattr(failure, "__notes__", []), str(failure)]))
        return True
    return False


if __name__ == "__main__":
    main()
