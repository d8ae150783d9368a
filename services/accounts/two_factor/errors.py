"""An error for each reason to refuse a code, or a change of two-factor authentication."""

from services.shared.errors import PlatformError


class MalformedCode(PlatformError):
    """Not a text of six ASCII digits. Does not count as a guess."""

    text = "The code must be a text of 6 digits"


class MalformedAnyCode(MalformedCode):
    """Neither six digits nor a recovery code. Does not count as a guess."""

    text = "The code must be a text of 6 digits, or a recovery code"


class AlreadyEnabled(PlatformError):
    text = "2FA is already enabled"


class SetupNotInitiated(PlatformError):
    """The player has no secret to which a code could belong."""

    text = "2FA setup has not been initiated"


class NotEnabled(PlatformError):
    text = "2FA is not enabled"


class CodeRequired(PlatformError):
    """The action needs a code, and none came with the request."""

    status = 403
    text = "Two-factor code required"


class InvalidCode(PlatformError):
    """The code is neither of the current time nor a recovery code, or it was used before."""

    text = "Invalid 2FA code"


class SecretLost(PlatformError):
    """No known key decrypts the secret, so no code can be checked."""

    text = "The 2FA secret can no longer be read; set 2FA up again, or ask support to reset it"


class TooManyWrongCodes(PlatformError):
    """Five wrong codes within five minutes. Until these have passed, the right code is refused too."""

    status = 429
    text = "Too many wrong 2FA codes"

    def __init__(self, *, retry_after_seconds: int) -> None:
        super().__init__()
        self.retry_after_seconds = retry_after_seconds
