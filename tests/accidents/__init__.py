"""What hands do by accident, against the real program over the paper venue: no order leaves that nobody meant."""
