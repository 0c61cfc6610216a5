"""Form of a custody lock or unlock: moves money between the custody account and a sub-account at an exchange."""

from __future__ import annotations

from collections.abc import Mapping

from tui.interface.decimals import ZERO, plain
from tui.interface.families.accounts import LockCustody, UnlockCustody
from tui.workstation.commands.context import Context
from tui.workstation.features.funds.form_texts import account_choices, account_key, format_amount
from tui.workstation.features.funds.largest import largest_of
from tui.workstation.features.funds.typed_amount import TypedAmount
from tui.workstation.widgets.forms.view import FieldSpec, FormSubject, FormView, choose
from tui.workstation.widgets.lists import fund_accounts
from tui.workstation.widgets.lists.fund_accounts import FundAccountKind, FundAccountRef
from tui.workstation.widgets.question import Option, Question


class CustodyForm(FormSubject):
    """Form that locks money from the custody account, or unlocks money from a sub-account."""

    def __init__(self, context: Context, source: FundAccountRef, coin: str) -> None:
        self._context = context
        self._source = source
        self._coin = coin

    @property
    def _locks(self) -> bool:
        return self._source.kind is FundAccountKind.CUSTODY

    def _accounts(self) -> list[FundAccountRef]:
        if not self._locks:
            return [self._source]
        return [
            account
            for account in fund_accounts.standalone_accounts(self._context.mirror)
            if account.kind is FundAccountKind.DMA
        ]

    def view(self, values: Mapping[str, str]) -> FormView:
        accounts = self._accounts()
        account = choose(values, "account", accounts, account_key)
        largest = largest_of(self._context.mirror, self._source, self._coin)
        entered = TypedAmount(typed=values.get("amount", ""), coin=self._coin, most=largest.amount, least=ZERO)
        missing = fund_accounts.describe_missing_answer(self._context.mirror, fund_accounts.ACCOUNTS)
        fields = (
            FieldSpec(
                name="account",
                choices=account_choices(accounts),
                note="" if accounts else f"the list {missing}",
                refused=not accounts,
            ),
            entered.field(largest.reason),
        )
        word, amount = "lock" if self._locks else "unlock", entered.value
        route = ("custody", account.name if account else "") if self._locks else (self._source.name, "custody")
        title = f"{word} {format_amount(amount)} {self._coin} {route[0]} → {route[1]}"
        command = None
        if account is not None and amount is not None:
            move = LockCustody if self._locks else UnlockCustody
            request = move(account_id=account.owner, currency=self._coin, amount=plain(amount))
            command = self._context.command(request, title)
        return FormView(
            title=f"{word} {self._coin}", fields=fields, needs=(fund_accounts.ACCOUNTS,), command=command,
            question=Question(
                kind="custody", title=f"Custody, {self._context.portfolio_text}", choices=(Option("send", title),)
            ),
        )  # fmt: skip
