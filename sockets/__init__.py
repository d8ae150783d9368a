"""What all games share on the wire: messages and the delivery of proofs."""
