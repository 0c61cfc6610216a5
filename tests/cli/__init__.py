"""Commands, settings, accounts, windows, credentials, log file and pictures; what a wrong input is answered with."""
