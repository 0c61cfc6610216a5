"""Parts of screens that features share: boxes, prompts, tabs, footer, status bar."""
