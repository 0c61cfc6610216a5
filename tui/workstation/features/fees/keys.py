"""Handler of the key that opens the fee form of sub portfolios."""

from __future__ import annotations

from collections.abc import Mapping

from tui.workstation.commands.form_openers import BuildForm, FormOpeners
from tui.workstation.features.fees.form import SubFeeForm
from tui.workstation.features.fees.tabs import PANE
from tui.workstation.table.live_table import LiveTable

OTHER_LIST = "only on the fees screen (⟦screen.fees⟧)"


class FeeKeys(FormOpeners):
    """Key handlers that open the fee form."""

    def openers(self) -> Mapping[str, BuildForm]:
        return {"fee.set": self._build}

    def _build(self, table: LiveTable | None) -> SubFeeForm | str:
        return SubFeeForm(self._context) if table is not None and table.pane.id == PANE else OTHER_LIST
