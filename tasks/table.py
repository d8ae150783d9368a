"""The repeated background work of a server, with its intervals."""

from flask import Flask

from server.cluster.cluster import Cluster, every_two_seconds
from server.realtime.repeated_task import RepeatedTask
from services.container import Services
from tasks import audit_sealing, event_loop_lag, price_refresh, reality_checks


def repeated_tasks(app: Flask) -> list[RepeatedTask]:
    """All tasks in the order of their starts. They stop in reverse order."""
    services: Services = app.extensions["services"]
    running, state, proofs = (app.extensions[name] for name in ("realtime", "player_state", "proofs"))
    cluster: Cluster = app.extensions["cluster"]
    tasks = [
        RepeatedTask(
            running.transports.check_deadlines, every_seconds=0.5, on_failure="deadlines not checked"
        ),
        *cluster.tasks(running),
        # Not in the rounds of proofs: it may wait for the file, which another process holds.
        every_two_seconds(services.seeds.witness.watch),
        *(map(every_two_seconds, [proofs.note_connected]) if cluster.can_lose_signals else ()),
        # Sockets of ended sessions become spectators within a second, and a round takes time too.
        RepeatedTask(state.compare, every_seconds=0.8, on_failure="players not compared"),
        proofs.rounds,
        event_loop_lag.task(app, every_seconds=0.5),
        price_refresh.task(app),
        RepeatedTask(services.catalogue.load_newest, every_seconds=0.5, on_failure="catalogue not compared"),
        reality_checks.task(app, every_seconds=2.0),
        audit_sealing.task(app, every_seconds=1.0),
    ]
    return [task for task in tasks if task is not None]
