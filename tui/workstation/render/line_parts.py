"""Which parts of the header stand on a line: the most important ones that fit. Counted, pure."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, auto

import msgspec

from tui.workstation.render.palette import Piece
from tui.workstation.render.strips import pieces_width


class Priority(IntEnum):
    """How important what a variant shows is; the least one first."""

    EXTRA = auto()
    """What says nothing new while all is well: a small clock skew, the clock on a narrow screen."""
    LINK_AGES = auto()
    FROZEN_LINK_FIGURES = auto()
    """Round trips beside the word that the screen is frozen: it replaces them and nothing else."""
    MARGIN = auto()
    """The word that the account is well."""
    MODE = auto()
    """The word that the desk takes orders as usual."""
    RISK_VENUE = auto()
    LINK_FIGURES = auto()
    GAIN = auto()
    EQUITY = auto()
    REST_LINK = auto()
    CLOCK = auto()
    RISK = auto()
    STREAMS = auto()
    """That both streams are well; left out beside the word that the screen is frozen alone."""


class Variant(msgspec.Struct, frozen=True):
    """One way to write a part."""

    priority: Priority
    """How important the words are that the next shorter variant leaves out."""
    pieces: list[Piece]


class HeaderPart(msgspec.Struct):
    """Something that the header shows."""

    least: list[Piece] = []
    """What stands there always."""
    variants: Sequence[Variant] = ()
    """Longer ways to write it, the longest first; their priorities rise."""
    right: bool = False
    """At the right edge."""
    chosen: int = -1
    """Index of the variant that is shown; behind the last one: the least."""

    @property
    def pieces(self) -> list[Piece]:
        return self.variants[self.chosen].pieces if 0 <= self.chosen < len(self.variants) else self.least


def fit_parts(parts: Sequence[HeaderPart], cells: int) -> tuple[list[Piece], list[Piece]]:
    """Choose a variant of each part, the most important ones first; what stands left, and what at the right edge."""
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
