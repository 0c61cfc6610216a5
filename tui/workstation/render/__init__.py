"""Rendering: palette, themes, text, borders, layout, and the timing of repaints."""
