"""Commands that the exchange carries out, and its replies. A log of (time, command) replays to the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from tui.interface.request import CommandRequest


class VenueCommand(msgspec.Struct, frozen=True, kw_only=True):
    """Command that no endpoint sends."""


class ArriveDeposit(VenueCommand, frozen=True, kw_only=True):
    """Arrival of a deposit. For practice and tests."""

    currency: str
    amount: str
    network: str = ""
    """Network; empty for the first one of the currency."""
    account: str = ""
    """FUNDING, or the id or level of a portfolio; empty for the Funding Account."""


class Advance(VenueCommand, frozen=True, kw_only=True):
    """Passing of time only: agents act, pending replaces and cancels take effect, marks are computed."""


class SetSwitch(VenueCommand, frozen=True, kw_only=True):
    """Change of a behaviour switch of the core while running."""

    name: str
    value: str


class MoveMarket(VenueCommand, frozen=True, kw_only=True):
    """Immediate move of the market of one coin to a price: books, index and marks. For practice and tests."""

    coin: str
    price: str
    """Price, or change of the index such as `-2%`."""


class PayDividend(VenueCommand, frozen=True, kw_only=True):
    """Payment of a share of each portfolio's balance of a coin. For practice and tests."""

    coin: str
    share: str
    """Fraction, for example 0.0003."""


Command = CommandRequest | VenueCommand


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """Data of a success that has none."""


class Rejected(msgspec.Struct, frozen=True, kw_only=True):
    """Code of the interface and a message that names field and value."""

    code: int
    message: str


Reply = msgspec.Struct | tuple[msgspec.Struct, ...]
"""Record of a success, returned in `data`, or `Rejected`."""
Handlers = Mapping[type[Command], Callable[[Any, Any], Reply | None]]
"""Handler of each command class; it takes the state and the command, and raises `CheckFailed` to refuse."""
