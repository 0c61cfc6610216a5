"""Pieces of a text, each with a role that a theme gives a colour; what only reads them needs no terminal."""

from __future__ import annotations

from collections.abc import Iterable

from tui.workstation.render.text import width

Piece = tuple[str, str]
"""Text and its role."""
DOT: Piece = (" · ", "frame")


def pieces_width(pieces: Iterable[Piece]) -> int:
    """Return the width of pieces, in cells."""
    return sum(width(text) for text, _ in pieces)


def join_pieces(pieces: Iterable[Piece]) -> str:
    """Return the text of pieces without their roles."""
    return "".join(text for text, _ in pieces)
