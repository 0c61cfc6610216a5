"""WebSocket streams: private and algo, public in both generations, and the way out of a connection."""
