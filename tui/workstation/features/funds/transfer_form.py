"""Transfer form: destination, amount, network, rapid payment, and the effect on both accounts."""

from __future__ import annotations

from collections.abc import Mapping

from tui.engine.service_query import ServiceQuery
from tui.interface.decimals import ZERO
from tui.interface.families.transfers import RAPID_CURRENCY, PoolQuota
from tui.workstation.commands.context import Context
from tui.workstation.features.funds.form_texts import (
    account_choices,
    account_key,
    choose_network,
    format_amount,
    network_choices,
    no_networks,
)
from tui.workstation.features.funds.largest import largest_of
from tui.workstation.features.funds.side_forecast import forecast_figures
from tui.workstation.features.funds.transfer_draft import TransferDraft, list_networks
from tui.workstation.model import number_format
from tui.workstation.widgets.forms.view import Choice, FieldSpec, Figure, FormSubject, FormView, choose, choose_value
from tui.workstation.widgets.lists import fund_accounts
from tui.workstation.widgets.lists.fund_accounts import FundAccountKind, FundAccountRef
from tui.workstation.widgets.question import Option, Question

_LOAN = (Choice("false", "no"), Choice("true", "yes"))
_RAPID = (Choice("true", "yes"), Choice("false", "no"))


class TransferForm(FormSubject):
    """Form that transfers a coin from an account to another."""

    def __init__(self, context: Context, source: FundAccountRef, coin: str) -> None:
        self._context = context
        self._source = source
        self._coin = coin

    def _needs(self, draft: TransferDraft) -> tuple[ServiceQuery, ...]:
        needed = (
            fund_accounts.ACCOUNTS,
            fund_accounts.PORTFOLIOS,
            fund_accounts.NAMES,
            fund_accounts.currency_query(self._coin),
        )
        return (*needed, fund_accounts.pool_query(draft.target.pool)) if draft.may_be_rapid else needed

    def _targets(self) -> list[FundAccountRef]:
        return [
            account for account in fund_accounts.list_accounts(self._context.mirror) if account.key != self._source.key
        ]

    def _draft(self, values: Mapping[str, str]) -> TransferDraft:
        mirror, targets = self._context.mirror, self._targets()
        target = choose(values, "to", targets, account_key) or self._source
        networks = list_networks(fund_accounts.currency(mirror, self._coin))
        answer = mirror.answers.get(fund_accounts.pool_query(target.pool).key) if target.pool else None
        quota = answer.data if answer is not None else None
        return TransferDraft(
            source=self._source, target=target, coin=self._coin,
            most=largest_of(mirror, self._source, self._coin).amount, typed=values.get("amount", ""),
            network=choose_network(values, networks),
            wants_rapid=choose_value(values, "rapid", _RAPID) == "true",
            moves_loan=choose_value(values, "loan", _LOAN) == "true",
            quota=quota if isinstance(quota, PoolQuota) else None,
        )  # fmt: skip

    # View

    def view(self, values: Mapping[str, str]) -> FormView:
        draft = self._draft(values)
        return FormView(
            title=f"transfer {self._coin} from {self._source.name}",
            fields=self._fields(draft),
            needs=self._needs(draft),
            figures=self._figures(draft),
            notes=self._notes(draft),
            refusal=self._refusal(draft),
            command=self._context.command(draft.request(), draft.title),
            question=self._question(draft),
        )

    def _fields(self, draft: TransferDraft) -> tuple[FieldSpec, ...]:
        targets = self._targets()
        fields = [
            FieldSpec(name="to", choices=account_choices(targets), note=self._describe_unread(), refused=not targets),
            draft.entered.field(largest_of(self._context.mirror, self._source, self._coin).reason),
        ]
        if draft.crosses:
            fields.append(self._network_field(draft))
        if draft.may_be_rapid:
            fields.append(FieldSpec(name="rapid", choices=_RAPID, note=self._describe_pool(draft)))
        if draft.target.kind is FundAccountKind.DMA or draft.source.kind is FundAccountKind.DMA:
            fields.append(
                FieldSpec(
                    name="loan",
                    label="of a loan",
                    choices=_LOAN,
                    note="says to the exchange whether the transfer repays a loan",
                )
            )
        return tuple(fields)

    def _describe_unread(self) -> str:
        """Describe why the list of destinations may be incomplete."""
        for query in (fund_accounts.ACCOUNTS, fund_accounts.PORTFOLIOS):
            reason = fund_accounts.describe_missing_answer(self._context.mirror, query)
            if reason:
                return f"the list of other accounts and portfolios {reason}"
        return ""

    def _network_field(self, draft: TransferDraft) -> FieldSpec:
        networks = list_networks(fund_accounts.currency(self._context.mirror, self._coin))
        if not networks:
            return FieldSpec(name="network", note=no_networks(self._context.mirror, self._coin), refused=True)
        least = f"least {number_format.decimal_figure(draft.entered.least)}"
        fee = "no fee between trading accounts" if draft.fee == ZERO else f"fee {format_amount(draft.fee)}"
        return FieldSpec(name="network", choices=network_choices(networks), note=f"{fee}, {least}")

    def _describe_pool(self, draft: TransferDraft) -> str:
        """Describe whether the instant-transfer pool would pay the transfer at once, or the network must be used."""
        pool = draft.target.pool
        if not draft.wants_rapid:
            return "over the network"
        if draft.quota is None:
            state = fund_accounts.describe_missing_answer(self._context.mirror, fund_accounts.pool_query(pool))
            return f"pool {pool} {state or 'is being read'}"
        left = f"{number_format.figure(draft.quota.available)} available in the {pool.removeprefix('PORTFOLIO_')} pool"
        if draft.amount is not None and not draft.is_rapid:
            return f"Not instant but over the network: only {left}"
        return f"Instant: {left}"

    def _figures(self, draft: TransferDraft) -> tuple[Figure, ...]:
        amount, view = draft.amount, self._context.view
        if amount is None or amount <= 0:
            return ()
        received = draft.received
        return (
            *forecast_figures(view, draft.source, self._coin, -amount),
            *(forecast_figures(view, draft.target, self._coin, received) if received is not None else ()),
        )

    def _notes(self, draft: TransferDraft) -> tuple[str, ...]:
        notes = []
        if draft.received is not None and draft.amount is not None and draft.received != draft.amount:
            notes.append(f"{format_amount(draft.received)} {self._coin} arrive, {format_amount(draft.fee)} network fee")
        if draft.crosses and not draft.may_be_rapid:
            why = "it is not USDT" if self._coin != RAPID_CURRENCY else "no rapid pool can pay it"
            notes.append(f"over the network; not rapid, because {why}")
        if not draft.target.own and draft.target.kind is FundAccountKind.PORTFOLIO:
            notes.append("the margin of the other portfolio is unknown here; receiving money can only improve it")
        return tuple(notes)

    @staticmethod
    def _refusal(draft: TransferDraft) -> str:
        return (
            "the network fee would take the whole amount" if draft.received is not None and draft.received <= 0 else ""
        )

    def _question(self, draft: TransferDraft) -> Question:
        context = self._context
        network = draft.network if draft.crosses else None
        route = "at once" if draft.is_rapid or network is None else f"over {network.network}"
        arrives = f"{format_amount(draft.received)} {self._coin} arrive, {route}"
        return Question(
            kind="transfer", title=f"Transfer, {context.portfolio_text}", choices=(Option("send", draft.title),),
            notes=(arrives, *self._notes(draft)[1:]),
        )  # fmt: skip
