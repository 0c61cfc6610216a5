"""What the venue does with accounts at risk: cancel, reduce, close, take over, deleverage."""
