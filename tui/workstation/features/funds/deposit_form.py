"""Deposit form: address of a coin on a network, minimum amount, memo, and the venue that receives it."""

from __future__ import annotations

from collections.abc import Mapping

from tui.engine.intents import AccountCommand
from tui.engine.service_query import ServiceQuery, query_endpoint
from tui.interface.families.accounts import AccountVenue, NetworkRecord
from tui.interface.families.deposits import PORTFOLIO_TYPE, DepositAddress, DepositVenue, SetDepositVenue
from tui.interface.symbols import Exchange
from tui.workstation.commands.context import Context
from tui.workstation.features.funds.form_texts import choose_network, network_choices, no_networks
from tui.workstation.widgets.forms.view import Choice, FieldSpec, FormSubject, FormView, choose_value
from tui.workstation.widgets.lists import fund_accounts

_PORTFOLIO = Choice(PORTFOLIO_TYPE, "this portfolio")
_FUNDING = Choice(AccountVenue.FUNDING.value, "Funding Account")
_VENUES = tuple(Choice(venue.value) for venue in Exchange)


class DepositForm(FormSubject):
    """Form that shows a coin's deposit addresses; it can also set the venue that portfolio deposits go to."""

    def __init__(self, context: Context, coin: str, *, own: bool) -> None:
        """Initialize the form.

        Args:
            context: Context of the forms.
            coin: Coin.
            own: Whether the portfolio is offered first, rather than the Funding Account.
        """
        self._context = context
        self._coin = coin
        self._targets = (_PORTFOLIO, _FUNDING) if own else (_FUNDING, _PORTFOLIO)

    def _needs(self, values: Mapping[str, str], network: NetworkRecord | None) -> tuple[ServiceQuery, ...]:
        needed = fund_accounts.currency_query(self._coin)
        if network is None:
            return (needed,)
        venue = (self._venue_query(network),) if self._to_portfolio(values) else ()
        return needed, self._address_query(values, network), *venue

    # Choices

    def _networks(self) -> list[NetworkRecord]:
        currency = fund_accounts.currency(self._context.mirror, self._coin)
        return [] if currency is None else [network for network in currency.networks if network.deposit_enable]

    def _network(self, values: Mapping[str, str]) -> NetworkRecord | None:
        return choose_network(values, self._networks())

    def _to_portfolio(self, values: Mapping[str, str]) -> bool:
        return choose_value(values, "to", self._targets) == PORTFOLIO_TYPE

    def _address_query(self, values: Mapping[str, str], network: NetworkRecord) -> ServiceQuery:
        kind = choose_value(values, "to", self._targets)
        return query_endpoint(
            f"funds/address/{kind}/{self._coin}/{network.network}", "deposit_address",
            (("currency", self._coin), ("network", network.network), ("accountType", kind)),
        )  # fmt: skip

    def _venue_query(self, network: NetworkRecord) -> ServiceQuery:
        params = (("currency", self._coin), ("network", network.network))
        return query_endpoint(f"funds/venue/{self._coin}/{network.network}", "deposit_venue", params)

    def _venue(self, network: NetworkRecord) -> str:
        """Return the venue that receives deposits of the portfolio; empty if not read yet."""
        answer = self._context.mirror.answers.get(self._venue_query(network).key)
        return answer.data.exchange_type if answer is not None and isinstance(answer.data, DepositVenue) else ""

    # View

    def view(self, values: Mapping[str, str]) -> FormView:
        network = self._network(values)
        to = FieldSpec(name="to", choices=self._targets)
        if network is None:
            missing = FieldSpec(name="network", note=no_networks(self._context.mirror, self._coin), refused=True)
            return FormView(title=f"deposit {self._coin}", fields=(to, missing), needs=self._needs(values, None))
        fields = [to, FieldSpec(name="network", choices=network_choices(self._networks()))]
        now = self._venue(network) if self._to_portfolio(values) else ""
        venues = tuple(sorted(_VENUES, key=lambda venue: venue.value != now))
        if now:
            fields.append(FieldSpec(name="venue", choices=venues, note="venue that receives the deposits"))
        wanted = choose_value(values, "venue", venues) if now else ""
        refusal = "nothing to send: this only shows where to deposit"
        if now and wanted != now:
            refusal = ""
        return FormView(
            title=f"deposit {self._coin}", fields=tuple(fields), notes=self._notes(values, network), refusal=refusal,
            command=None if refusal else self._command(network, now, wanted), needs=self._needs(values, network),
        )  # fmt: skip

    def _notes(self, values: Mapping[str, str], network: NetworkRecord) -> tuple[str, ...]:
        query, mirror = self._address_query(values, network), self._context.mirror
        answer = mirror.answers.get(query.key)
        if answer is None or not isinstance(answer.data, DepositAddress):
            return (f"the address {fund_accounts.describe_missing_answer(mirror, query) or 'is being read'}",)
        address = answer.data
        memo = (f"memo {address.memo}: without it the deposit is lost",) if address.memo else ()
        return (
            address.address,
            *memo,
            f"at least {address.minimum or network.min_deposit} {self._coin}; less is not credited",
            f"to this address send only {self._coin}, only over {network.network}",
            "the list `addresses` of the funds (⟦screen.funds⟧) has it: ⟦row.copy⟧ copies it",
        )

    def _command(self, network: NetworkRecord, now: str, wanted: str) -> AccountCommand:
        request = SetDepositVenue(currency=self._coin, network=network.network, exchange_type=wanted)
        title = f"deposits of {self._coin} over {network.network}: {now} → {wanted}"
        return self._context.command(request, title)
