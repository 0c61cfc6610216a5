"""Application: lifecycle, main screen, key dispatch, and key handlers that belong to no feature."""
