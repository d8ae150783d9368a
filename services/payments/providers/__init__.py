"""The payment providers that are supported."""
