"""The repeated background work of a server, with its intervals."""

from flask import Flask

from server.cluster.cluster import Cluster, every_two_seconds
from server.realtime.repeated_task import RepeatedTask
from services.container import Services
from tasks import (
    alarms,
    audit_trail,
    battles,
    beacons,
    exports,
    gauges,
    payments,
    price_refresh,
    reality_checks,
    witnesses,
)


def repeated_tasks(app: Flask) -> list[RepeatedTask]:
    """All tasks in the order of their starts. They stop in reverse order."""
    services: Services = app.extensions["services"]
    realtime, state, proofs = (app.extensions[name] for name in ("realtime", "player_state", "proofs"))
    cluster: Cluster = app.extensions["cluster"]
    tasks = [
        RepeatedTask(
            realtime.transports.check_deadlines, every_seconds=0.5, on_failure="deadlines not checked"
        ),
        # Signals, the row of this process, its clock. Before tasks that publish signals when they stop.
        *cluster.tasks(realtime),
        # Whether the database was set back. It may wait for a file that another process holds.
        every_two_seconds(services.log.watch, on_failure="log not compared"),
        RepeatedTask(services.log.append_waiting, every_seconds=1.0, on_failure="log not appended"),
        # Sockets of revoked tokens become spectators within a second, and a round takes time too.
        RepeatedTask(state.compare, every_seconds=0.8, on_failure="players not compared"),
        # Claims, sends and releases proofs, every 0.05 s.
        proofs.rounds,
        # Proofs of processes that have stopped or are paused, and those whose signal was lost.
        every_two_seconds(proofs.look_for_connected, on_failure="proofs of players not looked up"),
        gauges.event_loop_lag(app, every_seconds=0.5),
        # As often as PRICE_REFRESH_SECONDS and waiting requests need.
        price_refresh.task(app),
        RepeatedTask(services.catalogue.load_newest, every_seconds=0.5, on_failure="catalogue not compared"),
        *battles.tasks(app),
        reality_checks.task(app, every_seconds=2.0),
        payments.polling(app, every_seconds=1.0),
        payments.sending(app, every_seconds=1.0),
        every_two_seconds(services.payout_hold.log_changes, on_failure="hold of withdrawals not looked up"),
        # It reconciles every hour.
        payments.reconciling(app, every_seconds=5.0),
        RepeatedTask(
            app.extensions["payment_changes"].send_new, every_seconds=0.8, on_failure="payments not compared"
        ),
        RepeatedTask(
            app.extensions["new_addresses"].send_new, every_seconds=0.8, on_failure="addresses not compared"
        ),
        RepeatedTask(
            app.extensions["reward_changes"].send_new, every_seconds=0.8, on_failure="rewards not compared"
        ),
        RepeatedTask(
            services.rewards.bonuses.settle_due, every_seconds=5.0, on_failure="bonuses not settled"
        ),
        # Each relay as soon as it may have the next round, while there are battles.
        *beacons.tasks(app),
        # Each witness of the public log by itself.
        *witnesses.tasks(app),
        # What has changed, at once, and what signals have missed.
        app.extensions["battle_feed"].rounds,
        app.extensions["battle_feed"].receipts,
        exports.making(app, every_seconds=1.0),
        exports.deleting(app, every_seconds=60.0),
        audit_trail.task(app, every_seconds=10.0),
        # Each rule has an interval of its own: a minute or an hour.
        alarms.checks(app, every_seconds=5.0),
        alarms.delivery(app, every_seconds=1.0),
        alarms.owed(app, every_seconds=10.0),
    ]
    return [task for task in tasks if task is not None]
