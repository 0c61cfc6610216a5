"""The form in which the history is asked: one line of words, with what is accepted and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from tui.workstation.features.history.asked import BadAsk, HistoryAsk
from tui.workstation.widgets.forms.view import FieldSpec, FormSubject, FormView

_LINE = "query"
NOTES = (
    "window: today, 7d, 90d, 2026-10-01..2026-10-31 or 2026-10-01.. (UTC days)",
    "filters: sym:okx_perp_btc (several with commas), venue:OKX, kind:PERP; only = only executed orders",
    "of the statement: type:FUNDING_FEE, coin:USDT",
    "one order: its order id, or its client order id",
)


class AskForm(FormSubject):
    """Window, filters, or one order."""

    cells: ClassVar[int] = 84

    def __init__(self, asked: HistoryAsk, read: Callable[[str], HistoryAsk], ask: Callable[[HistoryAsk], None]) -> None:
        """
        Args:
            asked: What is asked now.
            read: Reads the line, or raises BadAsk.
            ask: Asks the history for it.
        """
        self._asked = asked
        self._read = read
        self._ask = ask

    def start(self) -> dict[str, str]:
        return {_LINE: self._asked.line()}

    def view(self, values: Mapping[str, str]) -> FormView:
        problem, ask = "", None
        try:
            ask = partial(self._ask, self._read(values.get(_LINE, "")))
        except BadAsk as bad:
            problem = str(bad)
        field = FieldSpec(name=_LINE, note=problem, refused=bool(problem))
        return FormView(title="Ask the history", fields=(field,), notes=NOTES, ask=ask)
