"""From meanings to cells: palette, themes, text, frames, layout, and when to paint."""
