"""Players: accounts, tokens, two-factor authentication, settings, notifications."""
