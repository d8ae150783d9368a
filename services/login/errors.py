"""How a login ends that does not end with a token."""

from services.errors import PlatformError


class ProviderNotConfigured(PlatformError):
    """The operator has not set this provider up."""

    status = 501
    text = "This login is not configured"


class LoginFailed(Exception):
    """The login was refused or cancelled. ``str()`` is a fixed text for the log."""


class ProviderUnavailable(Exception):
    """The provider can't be reached, or does not answer as its protocol has it."""
