"""The durable record of what was meant, sent and answered."""
