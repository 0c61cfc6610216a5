"""Withdrawal form: an address from the address book, the amount typed twice, and a typed confirmation word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from tui.interface.decimals import ZERO, optional, plain
from tui.interface.families.accounts import NetworkRecord
from tui.interface.families.deposits import AddressRecord, ApplyWithdrawal
from tui.workstation.commands.context import Context
from tui.workstation.features.funds.form_texts import choose_network, format_amount, network_choices, no_networks
from tui.workstation.features.funds.largest import largest_of
from tui.workstation.features.funds.side_forecast import forecast_figures
from tui.workstation.features.funds.typed_amount import TypedAmount, places_of
from tui.workstation.widgets.forms.view import Choice, FieldSpec, FormSubject, FormView, choose
from tui.workstation.widgets.lists import fund_accounts
from tui.workstation.widgets.lists.fund_accounts import FundAccountRef
from tui.workstation.widgets.question import Option, Question

WORD = "withdraw"
"""Word to type before a withdrawal is sent."""


class WithdrawForm(FormSubject):
    """Form that withdraws one coin from one account."""

    def __init__(self, context: Context, source: FundAccountRef, coin: str) -> None:
        self._context = context
        self._source = source
        self._coin = coin

    # Choices

    def _networks(self) -> list[NetworkRecord]:
        """List the networks on which the coin can be withdrawn and the address book has an address, the cheapest first."""
        mirror = self._context.mirror
        currency = fund_accounts.currency(mirror, self._coin)
        known = {row.network for row in fund_accounts.address_book(mirror, self._coin)}
        rows = [] if currency is None else currency.networks
        networks = [network for network in rows if network.withdraw_enable and network.network in known]
        return sorted(networks, key=lambda network: (optional(network.est_network_fee) or ZERO, network.network))

    def _network(self, values: Mapping[str, str]) -> NetworkRecord | None:
        return choose_network(values, self._networks())

    def _addresses(self, network: NetworkRecord | None) -> list[AddressRecord]:
        name = network.network if network is not None else ""
        return [row for row in fund_accounts.address_book(self._context.mirror, self._coin) if row.network == name]

    def _address(self, values: Mapping[str, str]) -> AddressRecord | None:
        return choose(values, "address", self._addresses(self._network(values)), _name_address)

    def _read_amount(self, values: Mapping[str, str]) -> TypedAmount:
        network = self._network(values)
        return TypedAmount(
            typed=values.get("amount", ""), coin=self._coin,
            most=largest_of(self._context.mirror, self._source, self._coin).amount,
            least=(optional(network.min_withdraw) or ZERO) if network is not None else ZERO,
            places=places_of(network.precision if network is not None else ""),
        )  # fmt: skip

    # View

    def view(self, values: Mapping[str, str]) -> FormView:
        entered, address = self._read_amount(values), self._address(values)
        amount, title = entered.value, self._title(values)
        command = None
        if address is not None and amount is not None:
            command = self._context.command(self._request(address, amount), title)
        figures = forecast_figures(self._context.view, self._source, self._coin, -amount) if amount else ()
        return FormView(
            title=f"withdraw {self._coin} from {self._source.name}", fields=self._fields(values), figures=figures,
            notes=self._notes(values), refusal=self._refusal(values), command=command,
            needs=(fund_accounts.currency_query(self._coin), fund_accounts.book_query(self._coin)),
            question=Question(
                kind="withdraw", title=f"Withdraw, {self._context.portfolio_text}", choices=(Option("send", title),),
                notes=(*self._notes(values), "a withdrawal cannot be reversed"), word=WORD,
            ),
        )  # fmt: skip

    def _title(self, values: Mapping[str, str]) -> str:
        address, amount = self._address(values), self._read_amount(values).value
        where = "" if address is None else f"{address.address_tag or address.address} ({address.network})"
        return f"withdraw {format_amount(amount)} {self._coin} {self._source.name} → {where}"

    def _fields(self, values: Mapping[str, str]) -> tuple[FieldSpec, ...]:
        networks, network, entered = self._networks(), self._network(values), self._read_amount(values)
        reason = largest_of(self._context.mirror, self._source, self._coin).reason
        amount = entered.field(reason)
        if network is None:
            missing = self._no_network()
            return FieldSpec(name="network", note=missing, refused=True), amount
        fee = f"fee {network.est_network_fee}, least {network.min_withdraw}"
        addresses = self._addresses(network)
        address = self._address(values)
        memo = f", memo {address.memo}" if address is not None and address.memo else ""
        shown = "" if address is None else f"{address.address}{memo}"
        return (
            FieldSpec(name="network", choices=network_choices(networks), note=fee),
            FieldSpec(name="address", choices=_address_choices(addresses), note=shown),
            amount,
            self._again_field(values, entered),
        )

    def _again_field(self, values: Mapping[str, str], entered: TypedAmount) -> FieldSpec:
        """Build the field in which the amount is typed again, as a safeguard against typing errors."""
        typed = values.get("again", "").strip()
        refused = entered.value is None or typed.lower() != entered.typed.strip().lower()
        note = "type the amount again" if not typed else "differs from the amount above"
        return FieldSpec(name="again", note=note if refused else "", refused=refused)

    def _no_network(self) -> str:
        mirror = self._context.mirror
        book = fund_accounts.describe_missing_answer(mirror, fund_accounts.book_query(self._coin))
        if book:
            return f"the address book {book}"
        if not fund_accounts.address_book(mirror, self._coin):
            return f"the address book has no address for {self._coin}; the service's web page adds one"
        return no_networks(mirror, self._coin)

    def _refusal(self, values: Mapping[str, str]) -> str:
        network, address, amount = self._network(values), self._address(values), self._read_amount(values).value
        if network is not None and network.memo_required and address is not None and not address.memo:
            return f"{network.network} needs a memo, and the address has none"
        fee = optional(network.est_network_fee) if network is not None else None
        if amount is not None and fee is not None and amount <= fee:
            return "the network fee would take the whole amount"
        return ""

    def _notes(self, values: Mapping[str, str]) -> tuple[str, ...]:
        network, amount = self._network(values), self._read_amount(values).value
        fee = optional(network.est_network_fee) if network is not None else None
        if amount is None or fee is None or network is None:
            return ()
        return (
            f"{format_amount(amount - fee)} {self._coin} arrive over {network.network}, {format_amount(fee)} network fee",
        )

    def _request(self, address: AddressRecord, amount: Decimal) -> ApplyWithdrawal:
        return ApplyWithdrawal(
            account_id=self._source.owner,
            from_account_type=self._source.account_type,
            currency=self._coin,
            network=address.network,
            address=address.address,
            memo=address.memo,
            amount=plain(amount),
        )


def _name_address(address: AddressRecord) -> str:
    """Return the form value that stands for an address; memo included, as customers of an exchange share the address."""
    return f"{address.address} {address.memo}"


def _address_choices(addresses: Sequence[AddressRecord]) -> tuple[Choice, ...]:
    return tuple(Choice(_name_address(address), address.address_tag or address.address) for address in addresses)
