"""What the exchange carries out, and how it refuses. A log of (time, command) replays to the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from tui.interface.request import CommandRequest


class VenueCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A command that no endpoint sends."""


class ArriveDeposit(VenueCommand, frozen=True, kw_only=True):
    """Let a deposit come in. For practice and tests."""

    currency: str
    amount: str
    network: str = ""
    """Empty: the first of the currency."""
    account: str = ""
    """FUNDING, the id or the level of a portfolio; empty: the Funding Account."""


class Advance(VenueCommand, frozen=True, kw_only=True):
    """Only let time pass: agents act, pending replaces and cancels take effect, marks are computed."""


class SetSwitch(VenueCommand, frozen=True, kw_only=True):
    """Set a behaviour switch of the core while running."""

    name: str
    value: str


class MoveMarket(VenueCommand, frozen=True, kw_only=True):
    """Move the market of one coin to a price at once: books, index and marks. For practice and tests."""

    coin: str
    price: str
    """A price, or a change of the index such as `-2%`."""


class PayDividend(VenueCommand, frozen=True, kw_only=True):
    """Pay every portfolio a share of what it holds of a coin. For practice and tests."""

    coin: str
    share: str
    """A fraction, for example 0.0003."""


Command = CommandRequest | VenueCommand


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """Data of a success that has none."""


class Rejected(msgspec.Struct, frozen=True, kw_only=True):
    """One code of the interface and a free English line that names field and value."""

    code: int
    message: str


Reply = msgspec.Struct | tuple[msgspec.Struct, ...]
"""The record of a success, which stands in `data`, or `Rejected`."""
Handlers = Mapping[type[Command], Callable[[Any, Any], Reply | None]]
"""What carries out a command, by its class; each takes the state and the command, and raises `CheckFailed` to refuse."""
