"""The operator's commands for announced server seeds."""
