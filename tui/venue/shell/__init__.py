"""Server side of the venue: authentication, REST, WebSocket streams, storage, control line."""
