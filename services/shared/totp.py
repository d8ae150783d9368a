"""Six digits of an authenticator app.

Source: RFC 6238 (30 seconds, SHA-1).
"""

import hmac
import re

import pyotp

from services.shared.clock import Millis

STEP_MS = 30_000
DRIFT_STEPS = 1
SIX_DIGITS = re.compile(r"[0-9]{6}", re.ASCII)


def step_of(code: str, *, secret: str, now: Millis) -> int | None:
    """The newest time step, within the allowed drift, whose code this is."""
    totp = pyotp.TOTP(secret)
    current = now // STEP_MS
    steps = range(max(current - DRIFT_STEPS, 0), current + DRIFT_STEPS + 1)
    return max((step for step in steps if hmac.compare_digest(totp.generate_otp(step), code)), default=None)
