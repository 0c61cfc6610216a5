"""Order ticket: from a key press to a prepared order intent (staged order line, form, or replace)."""
