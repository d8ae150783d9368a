"""Two-factor authentication: a secret shared with the player's authenticator app, and recovery codes."""
