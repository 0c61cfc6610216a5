"""The app: its life cycle, its main screen, dispatch of keys, and the keys that belong to no feature."""
