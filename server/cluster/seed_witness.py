"""Lets the processes of several machines rely on each other's record of the database."""

from server.cluster.signals import RedisSignals
from server.realtime.server import Realtime
from services.fairness.seed_witness import SeedWitness
from services.shared.processes import Processes, live_processes
from services.shared.signals import Signal


def share_witness(
    witness: SeedWitness, signals: RedisSignals, processes: Processes, running: Realtime
) -> None:
    """Check the database every two seconds, and answer machines that have no record of it."""

    def ask_for_mark() -> bool:
        signals.publish(Signal.SEED_MARK, None)
        return any(process.id != processes.id for process in live_processes())

    witness.ask_for_mark = ask_for_mark
    signals.on(Signal.SEED_MARK, lambda _payload: running.in_background(witness.vouch))
    running.every_two_seconds.append(witness.watch)
