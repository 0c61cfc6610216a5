"""Lists of the deposits and withdrawals of sub portfolios, for a broker."""

from __future__ import annotations

from typing import Any

import msgspec

from tui.interface.families.deposits import BrokerDepositRecord, BrokerWithdrawalRecord
from tui.workstation.features.fees.tabs import PORTFOLIOS, name_portfolio
from tui.workstation.table.column_kinds import show_name, show_text
from tui.workstation.table.columns import Field, Fields
from tui.workstation.widgets.lists.deposit_tabs import DEPOSITS, WITHDRAWALS

_PORTFOLIO: Field[Any] = show_name(lambda row, view: name_portfolio(str(row.portfolio_id), view), 17, "dim", least=12)
_DEPOSIT_FIELDS: Fields[BrokerDepositRecord] = {
    "time": DEPOSITS.fields["time"],
    "portfolio": _PORTFOLIO,
    **DEPOSITS.fields,
    "to": show_text(lambda row: row.account_type, 9, hide=1),
}
_WITHDRAWAL_FIELDS: Fields[BrokerWithdrawalRecord] = {
    "time": WITHDRAWALS.fields["time"],
    "portfolio": _PORTFOLIO,
    **WITHDRAWALS.fields,
    "from": show_text(lambda row: row.from_account_type, 9, hide=2),
}

SUB_DEPOSITS = msgspec.structs.replace(
    DEPOSITS,
    empty="no deposits of sub portfolios",
    endpoint="broker_deposits",
    names=(PORTFOLIOS,),
    fields=_DEPOSIT_FIELDS,
)
SUB_WITHDRAWALS = msgspec.structs.replace(
    WITHDRAWALS, empty="no withdrawals of sub portfolios", endpoint="broker_withdrawals", names=(PORTFOLIOS,), follows=(),
    fields=_WITHDRAWAL_FIELDS,
)  # fmt: skip
