"""Orders in preparation: what was typed is what is sent, and what is foreseen is what the venue then reports."""
