"""Input fields of the ticket: which of them are shown, where they stand, and the way of the cursor through them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Region, Size
from textual.widget import Widget

from tui.workstation.render.absolute_layout import Placing
from tui.workstation.render.line_widget import BoxedLines
from tui.workstation.render.palette import Palette
from tui.workstation.tickets.fields import FORMS, Chooser, Mode, NumberField

if TYPE_CHECKING:
    from tui.workstation.tickets.order.ticket import Ticket

_TIF_LABELS = {"GTX": "post-only"}


class PanelFields(Placing, BoxedLines):
    """Part of the ticket panel that holds the input fields."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(id="ticket")
        self.palette = palette
        self.mode = Mode.IDLE
        self.ticket: Ticket | None = None
        self.size_field = NumberField("size", palette)
        self.price_field = NumberField("price", palette)
        self.rest_field = NumberField("rest", palette)
        self.profit_field = NumberField("tp", palette)
        self.stop_field = NumberField("sl", palette)
        self.intent_choice = Chooser("intent", palette)
        self.type_choice = Chooser("type", palette, str.lower)
        self.tif_choice = Chooser("tif", palette, lambda value: _TIF_LABELS.get(value, value))

    @property
    def open(self) -> bool:
        return self.ticket is not None

    def mount_fields(self) -> None:
        """Mount the input fields after the first frame, hidden while there is no ticket."""
        self.show_fields()
        self.mount(*self.choosers.values(), *self.fields.values())

    def show_fields(self) -> None:
        """Show or hide the input fields by mode and order type."""
        market = self.ticket is not None and self.ticket.at_market
        form = self.mode is Mode.FORM
        self.size_field.display = self.mode is not Mode.IDLE
        self.price_field.display = self.mode in FORMS and not market
        self.intent_choice.display = self.type_choice.display = form
        self.tif_choice.display = form and not market
        self.profit_field.display = self.stop_field.display = form
        self.rest_field.display = self.mode is Mode.REPLACE

    @property
    def fields(self) -> dict[str, NumberField]:
        """Text fields, by name."""
        fields = (self.size_field, self.price_field, self.rest_field, self.profit_field, self.stop_field)
        return {str(field.id): field for field in fields}

    @property
    def choosers(self) -> dict[str, Chooser]:
        """Choosers, by name."""
        return {str(chooser.id): chooser for chooser in (self.intent_choice, self.type_choice, self.tif_choice)}

    def is_optional(self, stop: Widget) -> bool:
        """Return whether Enter skips a field: an empty protection, or the remaining quantity."""
        if stop is self.stop_field and self.profit_field.value.strip().endswith("r"):
            return False
        return stop is self.rest_field or (stop in (self.profit_field, self.stop_field) and not stop.value)

    def allow_focus(self) -> bool:
        """Allow the panel to take the focus only while a ticket is open."""
        return self.open

    def stops(self) -> list[Widget]:
        """List the visible fields in focus order; the panel itself, as preview line, is the last."""
        placed = self.placements(self.outer_size)
        return [stop for stop in self._stops() if stop is self or stop.id in placed]

    def _stops(self) -> list[Widget]:
        if self.mode is Mode.FORM:
            market = self.ticket is not None and self.ticket.at_market
            fields: list[Widget] = [self.intent_choice, self.type_choice]
            if not market:
                fields.append(self.tif_choice)
            fields.append(self.size_field)
            if not market:
                fields.append(self.price_field)
            return [*fields, self.profit_field, self.stop_field, self]
        if self.mode is Mode.REPLACE:
            return [self.price_field, self.size_field, self.rest_field, self]
        return [self.size_field, self] if self.mode is Mode.STAGED else [self]

    def placements(self, size: Size) -> dict[str, Region]:
        """Return the regions of the input fields inside the panel, by field name; none while there is no ticket."""
        if self.mode is Mode.IDLE or size.height < 3:
            return {}
        from tui.workstation.tickets.placement import place_fields

        return place_fields(self.mode, size, self.count_lines(size.height))

    def count_lines(self, height: int) -> int:
        """Count the content lines between the edges."""
        return height - 1 - (1 if self.bottom else 0)

    @property
    def focused_stop(self) -> Widget | None:
        """Focused field, or the panel itself if its preview line has the focus; None if neither."""
        return next((stop for stop in self.stops() if stop.has_focus), None)

    def neighbour_stop(self, here: Widget | None, steps: int, *, needed: bool = False) -> Widget:
        """Return the field `steps` focus stops away, wrapping around; `needed` skips fields that may stay empty."""
        stops = [stop for stop in self.stops() if not needed or stop is here or not self.is_optional(stop)]
        at = stops.index(here) if here in stops else -1
        return stops[(at + steps) % len(stops)]
