"""The ways in which a login fails."""

from services.shared.errors import Refusal


class ProviderNotConfigured(Refusal):
    status = 501
    text = "This login is not configured"


class LoginFailed(Exception):
    """The login was refused or cancelled. ``str()`` is a fixed text for the log."""


class AnotherLogin(LoginFailed):
    """The answer belongs to an older login of this browser. The newest one may still succeed."""


class ProviderUnavailable(Exception):
    """The provider can't be reached, or its answer violates the protocol."""
