"""The staff of the back office: accounts and roles, signing in, sessions."""
