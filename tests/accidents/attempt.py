"""One attempt: what a person means, and the keys that the hands press instead or besides."""

from __future__ import annotations

import msgspec


class Press(msgspec.Struct, frozen=True, tag=True):
    """One key, and the pause behind it."""

    key: str
    wait: float = 0.15
    """Seconds until the next step."""


class Paste(msgspec.Struct, frozen=True, tag=True):
    """A bracketed paste, or the same text as a burst of keys in one read."""

    text: str
    bracketed: bool = True
    wait: float = 0.4


class Happen(msgspec.Struct, frozen=True, tag=True):
    """Something happens at the venue that the person did not do."""

    what: str
    """A method of `DeskUnderTest`."""
    argument: str = ""
    wait: float = 0.0


class Confirm(msgspec.Struct, frozen=True, tag=True):
    """Press what the screen says sends, up to three keys, each read first; counts as keys of a calm way."""


Step = Press | Paste | Happen | Confirm


class MeantOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order as the person means it; an empty field may be anything."""

    sym: str
    side: str
    qty: str = ""
    order_type: str = ""
    prices: tuple[str, ...] = ()
    """Limit prices that were on the screen when it was confirmed; empty: any."""
    away: bool = False
    """At any price but those."""


class Meaning(msgspec.Struct, frozen=True, kw_only=True):
    """What may change at the venue, and what must."""

    orders: tuple[MeantOrder, ...] = ()
    """New orders that may appear, each at most once."""
    cancels: tuple[str, ...] = ()
    """Names of resting orders (`Scene.resting`) that may end; `*`: any."""
    replaces: tuple[str, ...] = ()
    """Names of resting orders that may change."""
    algos: int = 0
    """How many algo orders may be placed or changed."""
    must: bool = False
    """Whether all of it must have happened: a calm way that loses an order is a failure too."""
    most_keys: int = 0
    """Most keys of a calm way; 0: not counted."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """What is written to the file before anything is pressed."""

    kind: str
    scene: str
    """flat, long, held or working: what the account holds before."""
    meaning: Meaning
    steps: tuple[Step, ...]
    story: str = ""
    """One sentence: who does what by accident."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """How an attempt ended."""

    unmeant: tuple[str, ...] = ()
    """What happened at the venue that nobody meant."""
    lost: tuple[str, ...] = ()
    """What was meant and did not happen."""
    keys: int = 0
    sent: int = 0
    """New orders at the venue."""

    @property
    def bad(self) -> bool:
        return bool(self.unmeant or self.lost)
