"""What the engine knows at this moment: tables of facts, quotes, reference data, fills, and the state as a whole."""
