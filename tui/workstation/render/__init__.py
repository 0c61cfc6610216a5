"""Rendering: palette, themes, text, frames, layout, and the timing of repaints."""
