"""WebSocket streams: private and algo, public in both generations, and the send queue of a connection."""
