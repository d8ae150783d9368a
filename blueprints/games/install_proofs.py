"""Chooses the proof delivery of an app, and connects it to the app's server."""

from flask import Flask

from blueprints.games.proof_delivery import EXTENSION, ProofDelivery
from blueprints.games.shared_proof_delivery import SharedProofDelivery
from server.realtime.server import Realtime
from services.container import Services


def install_proofs(app: Flask, running: Realtime) -> None:
    """Give this app its proof delivery, which starts with the server."""
    services: Services = app.extensions["services"]
    delivery_class = SharedProofDelivery if services.settings.redis_url else ProofDelivery
    delivery = delivery_class(app, running)
    app.extensions[EXTENSION] = delivery
    running.on_left = delivery.socket_gone
    running.manager.acknowledged = delivery.acknowledged
    running.transports.on_pong = delivery.answered_ping
