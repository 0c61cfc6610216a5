"""The form of a leverage, and the list of what stands against another position mode: small boxes over the panes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from textual.events import Key, Paste
from textual.geometry import Region, Size

from tui.interface.wording import how_many
from tui.workstation.features.leverage.forecast import Standing
from tui.workstation.features.leverage.view import FormView
from tui.workstation.input.scopes import Scope
from tui.workstation.render.palette import Palette, Piece
from tui.workstation.render.text import cut, wrapped
from tui.workstation.widgets.list_modal import EDGES, BoxModal, ListBody, ModalBody, SideList

MOST_DIGITS = 4
NAME_CELLS, FIGURE_CELLS = 14, 18
USUAL_LINES = 12
"""Height of the form, with room for a refusal."""


class LeverageForm(ModalBody):
    """One field, what it would change, and why it is refused; the figures follow the market."""

    def __init__(self, view: Callable[[str], FormView], palette: Palette) -> None:
        """
        Args:
            view: The texts for a typed value, as of now.
            palette: Colours.
        """
        super().__init__("setting", palette)
        self._view = view
        self._looked: FormView | None = None
        """The texts as last drawn; made anew when rows change, not for each line."""
        self.typed = ""
        self.answer = ""
        """What the engine or the service answered to the last try, until something else is typed."""

    @property
    def content(self) -> Hashable:
        return self.typed

    def look(self) -> FormView:
        """Make the texts for what is typed anew, and draw them."""
        self._looked = self._view(self.typed)
        if self._looked.change:
            # It says more than the answer, and what becomes of it is told by an event.
            self.answer = ""
        self.refresh()
        if self.is_attached and self.lines_needed(self.size.width) > self.size.height:
            self.refresh(layout=True)
        return self._looked

    @property
    def drawn(self) -> FormView:
        """The texts that stand there."""
        return self._looked or self.look()

    def put(self, text: str) -> None:
        """Another value; what was answered to the former one goes."""
        self.typed, self.answer = text[:MOST_DIGITS].lstrip("0") or text[:1], ""
        self.look()

    def type(self, text: str) -> None:
        """Digits are typed or pasted; everything else is left out."""
        self.put(self.typed + "".join(char for char in text if char.isascii() and char.isdigit()))

    def say(self, answer: str) -> None:
        """Show an answer beside the field."""
        self.answer = answer
        self.look()

    def title_pieces(self) -> list[Piece]:
        return [(self.drawn.title, "title-focus")]

    def lines_needed(self, cells: int) -> int:
        """Height at a width, edges included."""
        return EDGES + len(self._rows(cells - 2))

    def line(self, y: int) -> list[Piece]:
        rows = self._rows(self.size.width - 2)
        return rows[y] if y < len(rows) else []

    def _rows(self, inside: int) -> list[list[Piece]]:
        view = self.drawn
        field: list[Piece] = [(f" {view.present} → ", "text"), (f"{self.typed}_", "title-focus"), ("   ", "text")]
        rows = [[*field, (view.range, "dim")]]
        refusal = self.answer or view.refusal
        rows += [[(f" {text}", "warn")] for text in wrapped(refusal, max(8, inside - 2))] if refusal else [[]]
        if view.tiers:
            rows.append([(" tiers ", "dim"), (cut(view.tiers, max(1, inside - 8)), "dim")])
        rows.append([(f" {'':<{NAME_CELLS}}{'now':>{FIGURE_CELLS}}{'then':>{FIGURE_CELLS}}", "dim")])
        for figure in view.figures:
            rows.append(
                [
                    (f" {figure.name:<{NAME_CELLS}}", "dim"),
                    (f"{figure.before:>{FIGURE_CELLS}}", "text"),
                    (f"{figure.after:>{FIGURE_CELLS}}", "warn" if figure.low else "strong"),
                ]
            )
        return rows


class LeverageScreen(BoxModal[LeverageForm, None]):
    """Beside the row it is about, so that row, bid and ask stay in sight."""

    scope = Scope.SETTING

    cells = 62

    def placements(self, size: Size) -> dict[str, Region]:
        width = min(self.cells, size.width)
        return self.place(size, width, self.body.lines_needed(width), wanted=USUAL_LINES)

    def follow(self) -> None:
        self.body.look()

    def on_key(self, event: Key) -> None:
        """A typed digit is text; Ctrl+U empties the field."""
        if event.character and event.character.isascii() and event.character.isdigit():
            event.stop()
            self.body.type(event.character)
        elif event.key == "ctrl+u":
            event.stop()
            self.body.put("")

    def on_paste(self, event: Paste) -> None:
        """A paste is typed text."""
        event.stop()
        self.body.type(event.text)


class ModeList(ListBody):
    """What stands against another position mode, each line a way to its row."""

    def __init__(
        self,
        exchange: str,
        heading: Callable[[], str],
        change: Callable[[], str],
        standing: Callable[[], Sequence[Standing]],
        palette: Palette,
    ) -> None:
        """
        Args:
            exchange: The venue.
            heading: The mode, and what Enter would make of it.
            change: How far a change is that is not settled, as of now, or an empty text.
            standing: What stands against a change, as of now.
            palette: Colours.
        """
        super().__init__("modes", palette)
        self.exchange = exchange
        self._heading = heading
        self._change = change
        self._standing = standing
        self.answer = ""

    @property
    def standing(self) -> Sequence[Standing]:
        """What stands against it now."""
        return self._standing()

    @property
    def count(self) -> int:
        return len(self.standing)

    @property
    def rows(self) -> int:
        return max(1, self.inner_height - len(self._head(self.size.width)))

    @property
    def chosen(self) -> Standing | None:
        """The line under the cursor."""
        standing = self.standing
        return standing[min(self.at, len(standing) - 1)] if standing else None

    def say(self, answer: str) -> None:
        """Show an answer below the heading."""
        self.answer = answer
        self.refresh()
        if self.is_attached:
            self.refresh(layout=True)

    def title_pieces(self) -> list[Piece]:
        return [(f"Position mode of {self.exchange}", "title-focus")]

    def lines_needed(self, cells: int) -> int:
        """Height at a width, edges included."""
        return EDGES + len(self._head(cells)) + self.count

    def line(self, y: int) -> list[Piece]:
        head = self._head(self.size.width)
        if y < len(head):
            return head[y]
        self.at = max(0, min(self.at, self.count - 1))
        return super().line(y - len(head))

    def _head(self, cells: int) -> list[list[Piece]]:
        """The lines above the list: a change that is not settled, or the last answer, or how many rows stand against it."""
        count, inside = self.count, max(8, cells - EDGES - 2)
        if open_change := self._change():
            self.answer = ""
            return [[(f" {text}", "warn")] for text in wrapped(open_change, inside)]
        rows = how_many(count, "row stands", "rows stand")
        told = f"{rows} against it (406012): Enter goes there" if count else "nothing stands against it"
        role = "warn" if self.answer or count else "dim"
        heading: list[list[Piece]] = [[(f" {text}", "text")] for text in wrapped(self._heading(), inside)]
        return heading + [[(f" {text}", role)] for text in wrapped(self.answer or told, inside)]

    def item(self, at: int) -> list[Piece]:
        pointer, role = ("▸ ", "strong") if at == self.at else ("  ", "text")
        return [(pointer, "accent"), (cut(self.standing[at].text, max(1, self.size.width - 4)), role)]


class ModeScreen(SideList[ModeList]):
    """The mode of one venue beside the panes."""

    scope = Scope.MODES

    cells = 62

    def placements(self, size: Size) -> dict[str, Region]:
        width = min(self.cells, size.width)
        return self.place(size, width, self.body.lines_needed(width))

    def follow(self) -> None:
        self.body.refresh()
        if self.body.lines_needed(self.body.size.width) != self.body.size.height:
            self.refresh(layout=True)
