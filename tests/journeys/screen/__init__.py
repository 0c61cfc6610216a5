"""The twenty tasks on the full screen, by three people: each presses what such a person presses, and reads what is shown."""
