"""What happens at the start, when sockets join and leave, and at the stop.

Each list runs in its order; where the order matters, a comment says why. ``tasks/table.py`` lists what is
repeated in between. ``app.py`` says how packets and connections are handled, and the prices service handles
its signal itself.
"""

from functools import partial

from flask import Flask

from server.cluster.cluster import Cluster
from server.realtime.realtime import Realtime
from services.container import Services
from services.shared.signals import Signal, invalidate_received
from sockets.battles import BattleFeed
from sockets.bets import OpeningEvent, SpinEvent
from sockets.live_feed import LiveFeed
from sockets.logins import LoginChanges
from sockets.payments import new_addresses, payment_changes
from sockets.player_state import PlayerState
from sockets.proofs import ProofDelivery
from sockets.rewards import reward_changes


def wire(app: Flask, realtime: Realtime, cluster: Cluster) -> None:
    """Connect the parts of this package with the socket server, with each other, and with other processes."""
    services: Services = app.extensions["services"]
    state = app.extensions["player_state"] = PlayerState(realtime, services)
    feed = LiveFeed(realtime, services)
    proofs = app.extensions["proofs"] = ProofDelivery(realtime, services, feed)
    app.extensions["payment_changes"] = payment_changes(realtime, services)
    app.extensions["new_addresses"] = new_addresses(realtime, services)
    app.extensions["reward_changes"] = reward_changes(realtime, services)
    logins = app.extensions["login_changes"] = LoginChanges(realtime, services)
    battles = app.extensions["battle_feed"] = BattleFeed(realtime, services, state, feed)

    # At the start, before the tasks. It refuses a process that the database has no connections for.
    # In development the port, and so the origin of the log, may change.
    check_log = partial(services.log.check, with_origin=services.settings.production)
    realtime.at_start += [cluster.join, check_log]

    # When a socket has joined: one after the other, in the background.
    realtime.on_joined += [
        # Commitment and balance, without which the client can't bet.
        state.joined,
        proofs.joined,
        feed.joined,
    ]

    # When a socket has gone, or its token was revoked.
    realtime.on_left += [proofs.left, battles.left]

    # When a client has answered a ping, and so has received what was sent before.
    realtime.transports.on_pong += [proofs.answered_ping]

    # When an announced seed was replaced.
    services.seeds.on_redraw += [state.send]

    # When a battle was changed, settled, or found to be locked in time or late.
    services.battles.on_changed += [battles.changed]
    services.battle_ending.on_bets += [battles.settled]
    services.battle_figures.on_added += [app.extensions["metrics"].count_battle]
    services.log.locks.on_decided += [battles.decided]

    # When another process has sent a signal, and when signals may have been lost.
    services.signals.on(Signal.CACHE, invalidate_received)
    # Another machine has no record of the database.
    confirm = services.log.restores.confirm
    services.signals.on(Signal.CONFIRMATION, lambda _: realtime.in_background(confirm))
    services.signals.on(Signal.PLAYER_STATE, state.forward)
    services.signals.on(Signal.LIVE_BETS, feed.forward)
    services.signals.on(Signal.BATTLES, battles.forward)
    services.signals.on(Signal.BATTLE_RECEIPTS, battles.forward_receipts)
    services.signals.on(Signal.PROOFS, proofs.look_for)
    services.signals.on(Signal.LOGINS, logins.forward)
    # Player state, proofs and battles are looked up in any case.
    services.signals.on_resumed += [lambda: realtime.in_background(feed.send_newest_to_all)]

    # At the stop, after the tasks: a later round would add the row of this process again.
    realtime.at_stop += [cluster.leave]

    # When a player bets. sockets/bets.py sends what follows a bet.
    SpinEvent(app, realtime, "upgrader:spin", services.upgrader, proofs=proofs)
    OpeningEvent(app, realtime, "case:open", services.case_openings, proofs=proofs)
    OpeningEvent(app, realtime, "irl:open", services.irl_openings, proofs=proofs)

    # When anybody begins or ends to watch battles.
    battles.listen()
