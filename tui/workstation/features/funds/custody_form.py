"""The form of a lock or unlock: money between the custody account and a sub-account at an exchange."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui.engine.intents import AccountCommand
from tui.engine.service_query import ServiceQuery
from tui.interface.decimals import ZERO, plain
from tui.workstation.commands.context import Context
from tui.workstation.features.funds.form_words import figure_words, place_choices
from tui.workstation.features.funds.largest import largest_of
from tui.workstation.features.funds.typed_amount import TypedAmount
from tui.workstation.widgets.forms.view import FormField, FormSubject, FormView, chosen
from tui.workstation.widgets.lists import fund_places
from tui.workstation.widgets.lists.fund_places import Place, PlaceKind
from tui.workstation.widgets.prompts import Option, Question


class CustodyForm(FormSubject):
    """Out of the custody account: a lock; out of a sub-account: an unlock."""

    def __init__(self, context: Context, source: Place, coin: str) -> None:
        self._context = context
        self._source = source
        self._coin = coin

    @property
    def _locks(self) -> bool:
        return self._source.kind is PlaceKind.CUSTODY

    def queries(self, values: Mapping[str, str]) -> Sequence[ServiceQuery]:
        del values
        return [fund_places.ACCOUNTS]

    def _accounts(self) -> list[Place]:
        if not self._locks:
            return [self._source]
        return [one for one in fund_places.account_places(self._context.mirror) if one.kind is PlaceKind.DMA]

    def view(self, values: Mapping[str, str]) -> FormView:
        accounts = self._accounts()
        key = chosen(values, "account", place_choices(accounts))
        account = next((one for one in accounts if one.key == key), None)
        found = largest_of(self._context.mirror, self._source, self._coin)
        entered = TypedAmount(typed=values.get("amount", ""), coin=self._coin, most=found.amount, least=ZERO)
        unread = (
            ""
            if account is not None
            else f"the list {fund_places.answer_words(self._context.mirror, fund_places.ACCOUNTS)}"
        )
        fields = (
            FormField(
                name="account", label="account", choices=place_choices(accounts), note=unread, wrong=account is None
            ),
            FormField(name="amount", label="amount", note=entered.note(found.reason), wrong=bool(entered.problem())),
        )
        refusal = "not yet" if any(field.wrong for field in fields) else self._context.not_armed_reason()
        word, amount = "lock" if self._locks else "unlock", entered.value
        way = ("custody", account.name if account else "") if self._locks else (self._source.name, "custody")
        title = f"{word} {figure_words(amount)} {self._coin} {way[0]} → {way[1]}"
        command = None
        if not refusal and account is not None and amount is not None:
            command = AccountCommand(
                decision=self._context.decision(f"key {self._context.key}"), endpoint=f"custody_{word}",
                args=(("accountId", account.owner), ("currency", self._coin), ("amount", plain(amount))), title=title,
            )  # fmt: skip
        return FormView(
            title=f"{word} {self._coin}", fields=fields, refusal=refusal, command=command,
            question=Question(
                kind="custody", title=f"Custody, {self._context.portfolio_words}", choices=(Option("send", title),)
            ),
        )  # fmt: skip
