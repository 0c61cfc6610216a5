"""crossdesk: a keyboard-first trading workstation in the terminal, with the paper venue it practises on."""

__version__ = "0.1.0"
