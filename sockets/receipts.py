"""Sends the receipt of a bet to the socket that placed it: ``log:receipt``."""

from server.realtime.server import Realtime
from services.container import Services
from services.games.bet_settler import SettledBet
from services.log import receipts
from sockets.schemas import ReceiptSchema

RECEIPT = "log:receipt"

PAYLOAD = ReceiptSchema()


class Receipts:
    """Sends receipts."""

    def __init__(self, running: Realtime, services: Services) -> None:
        self._running = running
        self._log = services.log

    def after_bet(self, sid: str, played: SettledBet) -> None:
        """Send the receipt of a settled bet, also as a part of the first answer to a repeated request id."""
        if played.entry is not None:
            receipt = receipts.receipt(played.entry, bet_log=self._log)
        else:
            user_id: int = played.bet.user_id  # type: ignore[attr-defined]  # made by peewee
            receipt = receipts.receipt_of_bet(user_id=user_id, nonce=played.bet.nonce, bet_log=self._log)
        payload = PAYLOAD.dump({"nonce": played.bet.nonce, "receipt": receipt})
        self._running.send(sid, [(RECEIPT, payload)])
