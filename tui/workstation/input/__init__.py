"""Keyboard input: actions, scopes, keymap, and the guard against accidental key presses."""
