"""The lists of what came in and went out of sub portfolios, for a broker."""

from __future__ import annotations

import msgspec

from tui.interface.families.deposits import BrokerDepositRecord, BrokerWithdrawalRecord
from tui.workstation.features.fees.tabs import LISTED, portfolio_cell
from tui.workstation.table.columns import Field, Fields, layout, of_row
from tui.workstation.widgets.lists.deposit_tabs import DEPOSITS, WITHDRAWALS

_DEPOSIT_FIELDS: Fields[BrokerDepositRecord] = {
    "time": DEPOSITS.fields["time"],
    "portfolio": Field(17, lambda row, view: portfolio_cell(str(row.portfolio_id), view), left=True, prose=True),
    **DEPOSITS.fields,
    "to": Field(9, of_row(lambda row: (row.account_type, "text")), left=True, prose=True),
}
_WITHDRAWAL_FIELDS: Fields[BrokerWithdrawalRecord] = {
    "time": WITHDRAWALS.fields["time"],
    "portfolio": Field(17, lambda row, view: portfolio_cell(str(row.portfolio_id), view), left=True, prose=True),
    **WITHDRAWALS.fields,
    "from": Field(9, of_row(lambda row: (row.from_account_type, "text")), left=True, prose=True),
}

SUB_DEPOSITS = msgspec.structs.replace(
    DEPOSITS, noun="deposits of sub portfolios", endpoint="broker_deposits", names=(LISTED,), fields=_DEPOSIT_FIELDS,
    layouts=(
        layout(
            _DEPOSIT_FIELDS, 118,
            ("time", 15), ("portfolio", 17), ("to", 9), ("amount", 19), ("network", 10), ("status", 9), ("info", 21),
            ("tx", 18),
        ),
        layout(
            _DEPOSIT_FIELDS, 78,
            ("time", 15), ("portfolio", 16), ("to", 9), ("amount", 19), ("network", 10), ("status", 9),
        ),
        layout(_DEPOSIT_FIELDS, 37, ("portfolio", 12), ("amount", 16), ("status", 9)),
    ),
)  # fmt: skip
SUB_WITHDRAWALS = msgspec.structs.replace(
    WITHDRAWALS, noun="withdrawals of sub portfolios", endpoint="broker_withdrawals", names=(LISTED,), follows=(),
    fields=_WITHDRAWAL_FIELDS,
    layouts=(
        layout(
            _WITHDRAWAL_FIELDS, 118,
            ("time", 15), ("portfolio", 17), ("from", 9), ("amount", 18), ("network", 10), ("address", 21),
            ("status", 10), ("info", 18),
        ),
        layout(
            _WITHDRAWAL_FIELDS, 78, ("time", 15), ("portfolio", 16), ("amount", 18), ("address", 19), ("status", 10),
        ),
        layout(_WITHDRAWAL_FIELDS, 37, ("portfolio", 12), ("amount", 15), ("status", 10)),
    ),
)  # fmt: skip
