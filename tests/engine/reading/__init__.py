"""What is loaded on request: fills, history, reference figures, and any row of the catalogue."""
