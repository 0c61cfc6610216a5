"""Selection of the header parts that fit into a line, the most important first."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, auto

import msgspec

from tui.workstation.render.pieces import Piece, pieces_width


class Priority(IntEnum):
    """Importance of a header variant when space is short; the lowest is left out first."""

    EXTRA = auto()
    """Details that are normal: a small clock skew, the clock on a narrow screen."""
    LINK_AGES = auto()
    FROZEN_LINK_FIGURES = auto()
    """Round trips beside the notice of a frozen screen, which replaces them."""
    RISK_VENUE = auto()
    LINK_FIGURES = auto()
    REST_LINK = auto()
    """Note that the connection for requests is fine."""
    CLOCK_SECONDS = auto()
    FROZEN_GAIN = auto()
    """Open result beside the notice of a frozen screen, where it stands still."""
    CLOCK = auto()
    WELL_STREAMS = auto()
    """Note that both streams are fine, beside a connection for requests that fails."""
    GAIN = auto()
    UNREACHED = auto()
    """Kinds of what a kill did not reach, whose number alone always stands."""
    EQUITY = auto()
    RISK = auto()
    STREAMS = auto()
    """Note that both streams are fine; left out only beside the notice of a frozen screen."""
    MARGIN = auto()
    """Note that the margin is fine."""
    MODE = auto()
    """Note that the desk accepts orders as usual."""
    ATTACHED = auto()
    """Name of an attached desk that can send, whose number alone always stands."""
    DOWN_AGES = auto()
    """Time for which a stream has failed."""
    DOWN_WORDS = auto()
    """Word for the state of a stream that has failed, whose sign always stands."""
    OUT_OF_STEP = auto()
    """Note that the desk is not in step with the service."""


class Variant(msgspec.Struct, frozen=True):
    """Variant of a header part, such as its long or short form."""

    priority: Priority
    """Importance of what the next shorter variant leaves out."""
    pieces: list[Piece]


class HeaderPart(msgspec.Struct):
    """Part of the header, with its variants."""

    least: list[Piece] = []
    """Shortest form, always shown."""
    variants: Sequence[Variant] = ()
    """Longer forms, longest first, with rising priorities."""
    right: bool = False
    """Whether the part is at the right edge."""
    chosen: int = -1
    """Index of the shown variant; past the end: the shortest form."""

    @property
    def pieces(self) -> list[Piece]:
        return self.variants[self.chosen].pieces if 0 <= self.chosen < len(self.variants) else self.least


def fit_parts(parts: Sequence[HeaderPart], cells: int) -> tuple[list[Piece], list[Piece]]:
    """Choose the longest variants of the header parts that fit, important ones first; return left and right pieces."""
    for part in parts:
        part.chosen = len(part.variants)
    steps = [(variant.priority, at, part) for part in parts for at, variant in enumerate(part.variants)]
    for _, at, part in sorted(steps, key=lambda step: -step[0]):
        if part.chosen == at + 1:
            part.chosen = at
            if _width(parts) > cells:
                part.chosen = at + 1
    return _side(parts, right=False), _side(parts, right=True)


def _side(parts: Sequence[HeaderPart], *, right: bool) -> list[Piece]:
    return [piece for part in parts if part.right is right for piece in part.pieces]


def _width(parts: Sequence[HeaderPart]) -> int:
    left, right = _side(parts, right=False), _side(parts, right=True)
    return pieces_width(left) + pieces_width(right) + (1 if right else 0)
