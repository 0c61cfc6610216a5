"""Table of all account commands, combined from one module per family.

To add a command: a line in the file of its family, with a proof where a query shows its outcome.
"""

from __future__ import annotations

from collections.abc import Mapping

from tui.engine.commands.fee_kinds import FEE_KINDS
from tui.engine.commands.loan_kinds import LOAN_KINDS
from tui.engine.commands.money_kinds import MONEY_KINDS
from tui.engine.commands.portfolio_kinds import PORTFOLIO_KINDS
from tui.engine.commands.position_kinds import POSITION_KINDS
from tui.engine.commands.proofs import AccountCommandKind

KINDS: Mapping[str, AccountCommandKind] = {
    **MONEY_KINDS,
    **PORTFOLIO_KINDS,
    **LOAN_KINDS,
    **FEE_KINDS,
    **POSITION_KINDS,
}
"""Kinds by endpoint name."""
