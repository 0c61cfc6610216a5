"""Trading arithmetic as pure functions: the venue decides with it, the workstation previews with it."""
