"""Sends the receipt of a bet to the socket that placed it: ``log:receipt``."""

from models.bets import Bet
from server.realtime.server import Realtime
from services.bets.settlement import SettledBet
from services.container import Services
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
        elif (logged := self._receipt_of(played.bet)) is not None:
            receipt = logged
        else:
            return
        payload = PAYLOAD.dump({"nonce": played.bet.nonce, "receipt": receipt})
        self._running.send(sid, [(RECEIPT, payload)])

    def _receipt_of(self, bet: Bet) -> str | None:
        """The receipt of an earlier bet; None if it is older than the log."""
        user_id: int = bet.user_id  # type: ignore[attr-defined]  # made by peewee
        try:
            return receipts.receipt_of_bet(user_id=user_id, nonce=bet.nonce, bet_log=self._log)
        except receipts.ReceiptNotFound:
            return None
