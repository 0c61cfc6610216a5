"""Commands about the fees of sub portfolios; no list shows a change before its hour has come."""

from __future__ import annotations

from collections.abc import Mapping

from tui.engine.account_commands.kinds import AccountCommandKind, never

FEE_KINDS: Mapping[str, AccountCommandKind] = {
    "set_sub_fee_rate": AccountCommandKind(moves_money=False, raises_risk=never, proof=None),
}
"""By the name of the row."""
