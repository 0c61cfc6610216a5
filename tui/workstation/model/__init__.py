"""What panes, tickets and the status bar read: rows on the screen's side and figures made of them. Imports no textual."""
