"""Living prices: the task beside the requests that keeps them, and the operator's command."""
