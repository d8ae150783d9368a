"""The real-time connection: who is connected, what is sent to whom, and the proofs that come later."""
