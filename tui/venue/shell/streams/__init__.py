"""WebSocket streams: private and algo stream, public stream in its current and legacy format, send queues."""
