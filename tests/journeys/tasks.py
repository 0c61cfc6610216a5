"""Twenty tasks of a trader: every way to use the desk must pass each, in any order."""

from __future__ import annotations

from typing import NamedTuple


class Task(NamedTuple):
    """Task of a trader."""

    id: str
    title: str
    sentence: str
    """What the person wants, in words without names of keys or screens."""


TASKS = (
    Task("touch", "see best bid and ask", "What are the best bid and ask of Bitcoin on Binance now, and how old are they?"),
    Task("find", "find a pair by name", "Which pairs of Solana are there, and how do I name each?"),
    Task("arm", "arm", "Allow orders to be sent from here; until then nothing is."),
    Task("bid", "buy limit at the bid", "Put an order at the best bid, and see that the service has it."),
    Task("size", "know the size first", "Read the size in the coin and the amount in USDT before anything is sent."),
    Task("price", "replace the price", "Move a working order to another price."),
    Task("amount", "replace the size", "Change the size of a working order."),
    Task("cancel", "cancel an order", "Cancel one working order and no other."),
    Task("cancel-pair", "cancel all of a pair", "Cancel every order of one pair after one question; others stay."),
    Task("market", "buy at once", "Buy at once, and read at which price and for which fee."),
    Task("position", "read the position", "What do I hold, at which entry, and with which result?"),
    Task("stop", "place a stop", "Protect the position by a stop at the service."),
    Task("target", "target and stop at once", "Open a position with a target and a stop, of which either ends the other."),
    Task("half", "close half", "Close half of the position, and keep the other half."),
    Task("flatten", "flatten", "Close the whole position."),
    Task("assets", "read assets and margin", "What do I own on each venue, and how much margin is left?"),
    Task("adl", "read the ADL rank", "Which auto-deleveraging rank and liquidation price has my position?"),
    Task("kill", "kill what can open", "Cancel everything that can open a position, and stop; closing orders stay."),
    Task("day", "read the day", "Which fills and which result has today?"),
    Task("cut", "survive a cut", "The network ends while an order is under way: learn what became of it."),
)  # fmt: skip
"""The twenty tasks; the numbers of people's lists are their places here, from 1."""
