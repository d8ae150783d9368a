"""The background task that refreshes prices, and the operator's command."""
