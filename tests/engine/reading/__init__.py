"""What is read when it is asked for: fills, history, reference figures, and any row of the catalogue."""
