"""Screen parts that features share: dialogs, prompts, tabs, footer, status bar."""
