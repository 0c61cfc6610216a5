"""Application: life cycle, main screen, key dispatch, and the keys that belong to no feature."""
