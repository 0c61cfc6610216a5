"""Textual layout in which the parent widget computes the regions of its children."""

from __future__ import annotations

from typing import ClassVar, Protocol

from textual.geometry import NULL_OFFSET, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

_NO_MARGIN = Spacing()


class Placer(Protocol):
    """Interface of a widget that computes the regions of its children."""

    def placements(self, size: Size) -> dict[str, Region]:
        """Return the regions of the children by child id; a child without a region is not drawn."""
        ...


class Placing:
    """Mixin for a widget that places its children itself; it must come before the widget class."""

    @property
    def layout(self: Placer) -> Layout:
        return AbsoluteLayout(self)


class AbsoluteLayout(Layout):
    """Layout with absolute regions that the parent computed."""

    name: ClassVar[str] = "placed"

    def __init__(self, placer: Placer) -> None:
        self._placer = placer

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:  # noqa: FBT001 - Textual calls it
        del greedy
        parent.pre_layout(self)
        regions = self._placer.placements(size)
        return [
            WidgetPlacement(regions[child.id], NULL_OFFSET, _NO_MARGIN, child)
            for child in children
            if child.id is not None and child.id in regions
        ]
