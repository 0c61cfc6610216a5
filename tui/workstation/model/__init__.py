"""Screen-side copy of the engine's rows, and numbers computed from it, for panes, tickets and status bar; no Textual."""
