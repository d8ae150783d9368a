"""Players with two-factor authentication, and their authenticator apps."""

import pyotp
from flask import Flask

from tests.conftest import Player

STEP_MS = 30_000


class Authenticator:
    """The app of a player who has turned 2FA on. Enabling used the code of the step before this one."""

    def __init__(self, app: Flask, player: Player) -> None:
        self._clock = app.extensions["services"].clock
        client = app.test_client()
        answer = client.post("/profile/2fa/setup", headers=player.headers)
        self._totp = pyotp.TOTP(answer.json["secret"])
        body = {"code": self.code(-STEP_MS)}
        answer = client.post("/profile/2fa/enable", json=body, headers=player.headers)
        assert answer.status_code == 200, answer.text

    def code(self, away_ms: int = 0) -> str:
        """The code that is shown so much later than now."""
        return self._totp.at((self._clock() + away_ms) // 1000)

    def wrong(self) -> str:
        """Six digits that are not valid around now."""
        right = {self.code(steps * STEP_MS) for steps in range(-2, 5)}
        return next(text for text in ("000000", "111111", "222222", "333333") if text not in right)


def recovery_codes_of(app: Flask, player: Player, authenticator: Authenticator) -> list[str]:
    """New recovery codes of the player. Uses the current code up."""
    body = {"code": authenticator.code()}
    answer = app.test_client().post("/profile/2fa/recovery-codes", json=body, headers=player.headers)
    assert answer.status_code == 200, answer.text
    codes: list[str] = answer.json["codes"]
    return codes
