"""How a login ends that does not end with a token."""

from services.errors import PlatformError


class ProviderNotConfigured(PlatformError):
    """The operator has not set this provider up."""

    status = 501
    text = "This login is not configured"


class LoginFailed(Exception):
    """The login was refused or cancelled. ``str()`` is a fixed text for the log."""


class AnotherLogin(LoginFailed):
    """What comes back belongs to another login than the one under way in this browser, which may go on."""


class ProviderUnavailable(Exception):
    """The provider can't be reached, or does not answer as its protocol has it."""
