"""Players with two-factor authentication, and their authenticator apps."""

import pyotp
from flask import Flask

from tests.harness.players import Player

STEP_MS = 30_000


class Authenticator:
    """The app of a player who has turned 2FA on. Enabling used up an older code than the current one."""

    def __init__(self, app: Flask, player: Player) -> None:
        self._clock = app.extensions["services"].clock
        client = app.test_client()
        answer = client.post("/profile/2fa/setup", headers=player.headers)
        self._totp = pyotp.TOTP(answer.json["secret"])
        step = self._clock() // STEP_MS - 1
        # The code of the last step is valid to the end of this one, which must not come too soon.
        self._used_step = step if self._clock() % STEP_MS < STEP_MS // 2 else step + 1
        body = {"code": self._totp.generate_otp(self._used_step)}
        answer = client.post("/profile/2fa/enable", json=body, headers=player.headers)
        assert answer.status_code == 200, answer.text

    def code(self, away_ms: int = 0) -> str:
        """The code that is shown so much later than now, or the first one that enabling did not use up."""
        return self._totp.generate_otp(max((self._clock() + away_ms) // STEP_MS, self._used_step + 1))

    def wrong(self) -> str:
        """Six digits that are not valid around now."""
        step = self._clock() // STEP_MS
        right = {self._totp.generate_otp(step + steps) for steps in range(-2, 5)}
        return next(text for text in ("000000", "111111", "222222", "333333") if text not in right)


def recovery_codes_of(app: Flask, player: Player, authenticator: Authenticator) -> list[str]:
    """New recovery codes of the player. Uses the current code up."""
    body = {"code": authenticator.code()}
    answer = app.test_client().post("/profile/2fa/recovery-codes", json=body, headers=player.headers)
    assert answer.status_code == 200, answer.text
    codes: list[str] = answer.json["codes"]
    return codes
