"""Trading arithmetic as pure functions, used by the venue to decide and by the workstation to preview."""
