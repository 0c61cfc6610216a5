"""Chart of a pair as a widget of the desk: candles, own marks, and a crosshair that is a bar and an exact price."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from rich.style import Style
from textual.strip import Strip

from tui.engine.rows import Table
from tui.workstation.features.chart.pane import ChartPane
from tui.workstation.input.input_order import key_time
from tui.workstation.render.box_border import BoxBorder
from tui.workstation.render.palette import Palette
from tui.workstation.render.pieces import Piece
from tui.workstation.render.strips import Run, merge_runs
from tui.workstation.table.pane import AnyPane
from tui.workstation.table.pane_box import PaneBox, TitleOwner

if TYPE_CHECKING:
    from tui.workstation.features.chart.chart_model import ChartModel

LINES_WANTED = 14
"""Lines that a chart asks for; it takes what there is."""


class DrawnPrice(NamedTuple):
    """Price of the crosshair as last drawn, with the drawing's number and the time since when it is shown."""

    frame: int
    """Number of the drawing; it grows with each drawing of the crosshair's line."""
    price: Decimal
    since: float
    """Time from which on the crosshair's line showed this price, on the clock of key events, s."""


class ChartView(PaneBox):
    """Widget of the chart pane."""

    def __init__(self, pane: AnyPane, palette: Palette, box_border: BoxBorder, titles: TitleOwner) -> None:
        super().__init__(pane, palette, box_border, titles)
        assert isinstance(pane, ChartPane)
        self.chart_pane = pane
        self._model: ChartModel | None = None
        """Built with the first bars, because it needs the records of the service."""
        self._told = ""
        """Sentence in the place of bars as last drawn."""
        self._shown = "", "", ""
        """Pair, interval and price as last read."""
        self._bars_changed = self._marks_changed = True
        self._rules_changed = self._last_changed = False
        self._drawn: DrawnPrice | None = None
        self._styles: dict[str, Style] = {}

    # Content

    @property
    def sym(self) -> str:
        """Pair shown; empty: none."""
        return self.chart_pane.shown_sym

    @property
    def interval(self) -> str:
        """Interval of the bars, such as 1m."""
        return self.chart_pane.interval

    def show(self, sym: str) -> None:
        """Show another pair, or none if `sym` is empty."""
        self.chart_pane.show(sym)
        self.reorder()
        self.flush()

    def feed(self, table: Table, keys: list[str]) -> None:
        if table is Table.BARS:
            self._bars_changed = self._bars_changed or self.sym in keys
        elif table is Table.SYMBOLS:
            self._rules_changed = self._rules_changed or self.sym in keys
        elif table in (Table.QUOTES, Table.PRINTS):
            self._last_changed = self._last_changed or self.sym in keys
        else:
            self._marks_changed = True

    def reorder(self) -> None:
        self._bars_changed = self._marks_changed = True

    def forget_selection(self) -> None:
        self.selected = None
        self.reorder()

    def flush(self, most: int = 1000) -> int:
        del most
        anew = self._bars_changed or self._marks_changed or self._rules_changed
        if not (anew or self._last_changed) or not (self.is_attached and self.display):
            return 0
        # A quote moves the last price only: once a frame, and nothing else is read for it.
        changed = set(self._read() if anew else self._read_last())
        if changed:
            self.redraw(row + 1 for row in changed)
        return len(changed)

    def _read(self) -> Iterable[int]:
        """Update the chart from what has changed since the last drawing; return its changed lines."""
        self.selected = self.sym or None
        model = self._model
        if model is None:
            if self.chart_pane.bars is None:
                self._take_news()
                told, self._told = self._told, self.chart_pane.empty()
                return (0,) if told != self._told else ()
            from tui.workstation.features.chart.chart_model import ChartModel

            model = self._model = ChartModel(self.chart_pane)
        if self._shown != (shown := (self.sym, self.interval, self.chart_pane.price)):
            self._shown = shown
            model.restart()
        changed: list[int] = []
        if self._marks_changed:
            changed += model.follow_marks()
        if self._bars_changed:
            changed += model.follow_bars()
        if self._rules_changed:
            changed += model.redraw()
        if self._last_changed or self._marks_changed:
            changed += [*model.follow_last(), *model.follow_prints()]
        self._take_news()
        changed += model.fit(*self._inside)
        self._follow_heading()
        return changed

    def _read_last(self) -> Iterable[int]:
        self._last_changed = False
        model = self._model
        return [*model.follow_last(), *model.follow_prints()] if model is not None else ()

    def _take_news(self) -> None:
        self._bars_changed = self._marks_changed = self._rules_changed = self._last_changed = False

    def _follow_heading(self) -> None:
        self.chart_pane.figures = self._model.heading() if self._model is not None else []
        self.chart_pane.room = self.title_room
        self.follow_title()

    def title_pieces(self) -> list[Piece]:
        """Return the title: the interval choice and the figures of the bar under the crosshair, else of the newest bar."""
        return self.chart_pane.counts()

    @property
    def waiting(self) -> bool:
        return False

    def tick(self) -> None:
        """Mark alerts and the size filter of large trades as changed, each second: no row change announces theirs."""
        self._marks_changed = True

    def repaint(self) -> None:
        self._styles.clear()
        self.refresh()

    # Keys

    def move_crosshair(self, bars: int, rows: int) -> None:
        """Move the crosshair by bars to the right and by rows down; it appears at the newest price."""
        if self._model is not None:
            self._redraw_rows(self._model.move_crosshair(bars, rows))

    def hide_crosshair(self) -> None:
        """Remove the crosshair and show the newest bars again."""
        if self._model is not None:
            self._redraw_rows(self._model.hide_crosshair())

    def zoom(self, steps: int) -> bool:
        """Draw wider or narrower bars; return False where they are as wide or as narrow as can be."""
        rows = self._model.zoom(steps) if self._model is not None else ()
        if rows is not None:
            self._redraw_rows(rows)
        return rows is not None

    def cycle_interval(self, steps: int) -> None:
        """Show the next or previous interval."""
        self.chart_pane.choose_interval(steps)
        self._begin_anew()

    def cycle_price(self) -> None:
        """Show the bars of the next price: last, mark, index."""
        self.chart_pane.choose_price()
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.reorder()
        self.flush()
        self.redraw_all()

    def crosshair_price(self) -> Decimal | None:
        """Return the exact price of the crosshair; None without a crosshair."""
        return self._model.crosshair_price if self._model is not None else None

    @property
    def drawn_price(self) -> DrawnPrice | None:
        """Price of the crosshair as it was last drawn; None while it is not on the screen, or was moved since."""
        painted = self._drawn
        if painted is None or self._model is None or self._model.crosshair_row is None:
            return None
        return painted if painted.price == self._model.crosshair_price else None

    def _redraw_rows(self, rows: Iterable[int]) -> None:
        self._follow_heading()
        self.redraw([row + 1 for row in rows])

    # Size

    @property
    def _inside(self) -> tuple[int, int]:
        """Number of character cells and lines inside the frame."""
        width, height = self.outer_size
        return max(0, width - 2), max(0, height - 1 - (1 if self.bottom else 0))

    @property
    def lines_wanted(self) -> int:
        return LINES_WANTED

    @property
    def row_count(self) -> int:
        return self._model.bar_count if self._model is not None else 0

    def line_of(self, key: str) -> int | None:
        row = self._model.crosshair_row if self._model is not None else None
        return None if row is None or key != self.selected else row + 1

    # Drawing

    def render_line(self, y: int) -> Strip:
        width, height = self.outer_size
        if y == 0:
            return self._draw_title(width)
        if self.bottom and y == height - 1:
            return self.box_border.bottom(width, self.palette, focused=self.has_focus)
        if self._model is not None:
            self._model.fit(*self._inside)
        lines = self._model.lines if self._model is not None else []
        row = y - 1
        if not 0 <= row < len(lines):
            text = self.chart_pane.empty() if row == 0 and not lines else ""
            return self._draw_line([(f" {text}", "dim")], width)
        self._note_drawing(row)
        bar = self._style(self.box_border.edge_role(focused=self.has_focus))
        runs: list[Run] = [("│", bar), *((text, self._style(role)) for text, role in lines[row]), ("│", bar)]
        return merge_runs(runs, width)

    def _style(self, role: str) -> Style:
        style = self._styles.get(role)
        if style is None:
            style = self._styles[role] = self.palette.style(role)
        return style

    def _note_drawing(self, row: int) -> None:
        """Note the price that the crosshair's line shows, and since when, if this line was drawn."""
        price = self.crosshair_price()
        if price is None or self._model is None or self._model.crosshair_row is None:
            self._drawn = None
        elif row == self._model.crosshair_row:
            before = self._drawn
            same = before is not None and before.price == price
            since = before.since if before is not None and same else key_time()
            self._drawn = DrawnPrice(before.frame + 1 if before is not None else 1, price, since)
