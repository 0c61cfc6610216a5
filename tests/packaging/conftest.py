"""The fixture that starts desks in terminals."""

from tests.terminal.conftest import start

__all__ = ["start"]
