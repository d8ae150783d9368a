"""A player's profile: what others see of it, and what only they see and change."""
