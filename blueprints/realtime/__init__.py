"""The Socket.IO server: transports, joined sockets, outgoing events, and the delivery of proofs."""
