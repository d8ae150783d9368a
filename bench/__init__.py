"""What is measured, one script a question."""
