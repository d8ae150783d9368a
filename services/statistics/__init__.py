"""What players may look up of their own play and payments."""
