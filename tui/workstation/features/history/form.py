"""Form for the history's query: one line of words, what is accepted, and why a word is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from tui.workstation.features.history.history_query import BadHistoryQuery, HistoryQuery
from tui.workstation.widgets.forms.view import FieldSpec, FormSubject, FormView

_LINE = "query"
NOTES = (
    "window: today, 7d, 90d, 2026-10-01..2026-10-31 or 2026-10-01.. (UTC days)",
    "filters: sym:okx_perp_btc (several with commas), venue:OKX, kind:PERP; only = only executed orders",
    "for the statement: type:FUNDING_FEE, coin:USDT",
    "one order: its order id, or its client order id",
)


class HistoryForm(FormSubject):
    """Form with the time window and filters, or a single order id."""

    cells: ClassVar[int] = 84

    def __init__(
        self, present: HistoryQuery, parse: Callable[[str], HistoryQuery], ask: Callable[[HistoryQuery], None]
    ) -> None:
        """Initialize the form.

        Args:
            present: Present query.
            parse: Parse the line, or raise BadHistoryQuery.
            ask: Run a query.
        """
        self._present = present
        self._parse = parse
        self._ask = ask

    def start(self) -> dict[str, str]:
        return {_LINE: self._present.line()}

    def view(self, values: Mapping[str, str]) -> FormView:
        refusal, ask = "", None
        try:
            ask = partial(self._ask, self._parse(values.get(_LINE, "")))
        except BadHistoryQuery as error:
            refusal = str(error)
        field = FieldSpec(name=_LINE, note=refusal, refused=bool(refusal))
        return FormView(title="Ask the history", fields=(field,), notes=NOTES, ask=ask)
