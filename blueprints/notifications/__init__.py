"""What an operator tells players."""
