"""Currencies and their networks: minimum amounts, decimals, fees."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import msgspec

from tui.interface.decimals import plain
from tui.interface.families.accounts import CurrencyRecord, NetworkAccount, NetworkRecord


class Network(msgspec.Struct, frozen=True, kw_only=True):
    """Network of a currency; amounts in the currency."""

    name: str
    fee: Decimal
    """Deducted from the amount that arrives."""
    min_deposit: Decimal
    min_withdraw: Decimal
    min_transfer: Decimal
    precision: int
    """Decimals of an amount."""
    contract: str = ""
    needs_memo: bool = False

    def record(self) -> NetworkRecord:
        """Build the network's row in the currency list."""
        return NetworkRecord(
            network=self.name,
            account_types=[account_type.value for account_type in NetworkAccount],
            deposit_enable=True,
            withdraw_enable=True,
            transfer_enable=True,
            min_deposit=plain(self.min_deposit),
            min_withdraw=plain(self.min_withdraw),
            min_transfer=plain(self.min_transfer),
            precision=str(self.precision),
            est_network_fee=plain(self.fee),
            contract_address=self.contract,
            memo_required=self.needs_memo,
        )


class Currency(msgspec.Struct, frozen=True, kw_only=True):
    """Currency with the networks it can be transferred on."""

    name: str
    full_name: str
    networks: tuple[Network, ...]

    def network(self, name: str) -> Network | None:
        return next((network for network in self.networks if network.name == name), None)

    @property
    def least(self) -> Decimal:
        """Smallest amount of an internal transfer."""
        return min(network.min_transfer for network in self.networks)

    @property
    def precision(self) -> int:
        """Number of decimals of an internal transfer."""
        return max(network.precision for network in self.networks)

    def record(self) -> CurrencyRecord:
        """Build the currency's row in the currency list."""
        return CurrencyRecord(
            currency=self.name, currency_name=self.full_name, networks=[network.record() for network in self.networks]
        )


def _network(
    name: str,
    fee: str,
    deposit: str,
    withdraw: str,
    transfer: str,
    places: int,
    *,
    contract: str = "",
    memo: bool = False,
) -> Network:
    return Network(
        name=name,
        fee=Decimal(fee),
        min_deposit=Decimal(deposit),
        min_withdraw=Decimal(withdraw),
        min_transfer=Decimal(transfer),
        precision=places,
        contract=contract,
        needs_memo=memo,
    )


_SHIPPED = (
    Currency(
        name="USDT",
        full_name="Tether USD",
        networks=(
            _network("TRC20", "1", "1", "10", "2", 6, contract="TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"),
            _network("ERC20", "4", "1", "20", "8", 6, contract="0xdac17f958d2ee523a2206206994597c13d831ec7"),
            _network("BSC", "0.5", "1", "10", "1", 8, contract="0x55d398326f99059ff775485246999027b3197955"),
            _network("ARBITRUM", "0.2", "1", "5", "1", 6, contract="0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9"),
            _network("AVAXC", "0.2", "1", "5", "1", 6, contract="0x9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7"),
            _network("OPTIMISM", "0.2", "1", "5", "1", 6, contract="0x94b008aa00579c1307b0ef2c499ad98a8ce58e58"),
        ),
    ),
    Currency(name="BTC", full_name="Bitcoin", networks=(_network("BTC", "0.0001", "0.0002", "0.001", "0.0005", 8),)),
    Currency(name="ETH", full_name="Ethereum", networks=(_network("ERC20", "0.001", "0.001", "0.01", "0.002", 8),)),
    Currency(name="SOL", full_name="Solana", networks=(_network("SOL", "0.01", "0.01", "0.1", "0.02", 8, memo=True),)),
    Currency(name="DOGE", full_name="Dogecoin", networks=(_network("DOGE", "4", "1", "20", "10", 8),)),
)

CURRENCIES: Mapping[str, Currency] = {currency.name: currency for currency in _SHIPPED}
