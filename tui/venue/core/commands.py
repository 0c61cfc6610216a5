"""Commands to the exchange core and its replies; replaying a log of (time, command) gives identical bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from tui.interface.request import CommandRequest


class VenueCommand(msgspec.Struct, frozen=True, kw_only=True):
    """Command of the operator or of the clock, which no endpoint sends."""


class ArriveDeposit(VenueCommand, frozen=True, kw_only=True):
    """Deposit that arrives from outside; for practice and tests."""

    currency: str
    amount: str
    network: str = ""
    """Network; empty for the first one of the currency."""
    account: str = ""
    """FUNDING, or the id or level of a portfolio; empty for the Funding Account."""


class Advance(VenueCommand, frozen=True, kw_only=True):
    """Advance of time without a request: agents trade, pending changes take effect, mark prices are computed."""


class SetSwitch(VenueCommand, frozen=True, kw_only=True):
    """Change of a behaviour switch of the core at run time."""

    name: str
    value: str


class MoveMarket(VenueCommand, frozen=True, kw_only=True):
    """Sudden move of a coin's market to a price: order books, index and mark prices; for practice and tests."""

    coin: str
    price: str
    """Price, or change of the index such as `-2%`."""


class PayDividend(VenueCommand, frozen=True, kw_only=True):
    """Payment of a dividend to every portfolio that holds a coin, as a fraction of the balance; for practice and tests."""

    coin: str
    share: str
    """Fraction, for example 0.0003."""


Command = CommandRequest | VenueCommand


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """Empty data of a success response."""


class Rejected(msgspec.Struct, frozen=True, kw_only=True):
    """Rejection of a command: error code, and a message with field and value."""

    code: int
    message: str


Reply = msgspec.Struct | tuple[msgspec.Struct, ...]
"""Record of a success, returned in `data`, or `Rejected`."""
Handlers = Mapping[type[Command], Callable[[Any, Any], Reply | None]]
"""Handler of each command class; it takes the state and the command, and raises `CheckFailed` to refuse."""
