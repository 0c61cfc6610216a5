"""Money of the pictures beside trading: accounts, transfers, deposits, withdrawals, bills, custody and what a form asks."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from tui.cli.demo.portfolios import BASIS, DMA, FUNDING, MAIN
from tui.interface.families.accounts import (
    AccountBalances,
    AccountLabel,
    AccountRecord,
    AccountVenue,
    BillRecord,
    CurrencyBalance,
    CurrencyRecord,
    CustodyRecord,
    NetworkAccount,
    NetworkRecord,
    WalletType,
)
from tui.interface.families.deposits import AddressRecord, DepositAddress, DepositRecord, DepositVenue, WithdrawalRecord
from tui.interface.families.transfers import PoolQuota, TransferRecord

_MINUTE_MS = 60_000
_CUSTODY = FUNDING + 9
_ACCOUNTS = (
    (FUNDING, AccountVenue.FUNDING.value, AccountLabel.FUNDING, WalletType.FUNDING),
    (DMA, "BINANCE", AccountLabel.DMA, WalletType.SPOT),
    (_CUSTODY, AccountVenue.CUSTODY.value, AccountLabel.CUSTODY, WalletType.CUSTODY),
)
_HELD = {FUNDING: (("USDT", "48200", "48200"),), DMA: (("USDT", "10000", "10000"), ("BTC", "0.1", "6184.5")),
         _CUSTODY: (("BTC", "2.5", "154612.5"),)}  # fmt: skip
_BOOK = "paper-trc20-9c41d07be2"


def accounts(params: Mapping[str, str], now_ms: int) -> tuple[AccountRecord, ...]:
    """A Funding Account, a sub-account at an exchange, and custody."""
    del params, now_ms
    return tuple(AccountRecord(account_id=one, venues=venue, label=label) for one, venue, label, _ in _ACCOUNTS)


def balances(params: Mapping[str, str], now_ms: int) -> tuple[AccountBalances, ...]:
    """What they hold."""
    del params, now_ms
    return tuple(
        AccountBalances(
            account_id=one, venues=venue, account_type=wallet,
            asset_info=[
                CurrencyBalance(currency=coin, total_balance=held, available=held, withdraw_available=held, value_usdt=value)
                for coin, held, value in _HELD[one]
            ],
        )
        for one, venue, _, wallet in _ACCOUNTS
    )  # fmt: skip


def transfers(params: Mapping[str, str], now_ms: int) -> tuple[TransferRecord, ...]:
    """One under way, one that a pool paid, one inside a venue, and one that failed."""
    del params
    rows = (
        ("USDT", "2500", None, None, "TRC20", (MAIN, "BINANCE"), (FUNDING, ""), 0, "", 2, False),
        ("USDT", "15000", "15000", "0", "", (MAIN, "BINANCE"), (MAIN, "OKX"), 1, "", 41, True),
        ("BTC", "0.1", "0.1", "0", "", (MAIN, "BINANCE"), (DMA, "BINANCE"), 1, "", 190, False),
        ("USDT", "60000", None, None, "TRC20", (BASIS, "OKX"), (MAIN, "BINANCE"), 2, "more than may leave", 640, False),
    )  # fmt: skip
    return tuple(
        TransferRecord(
            transfer_id=2_520_000_000_000_104 - at, currency=coin, amount=Decimal(amount), network=network,
            amount_received=None if came is None else Decimal(came), network_fee=None if fee is None else Decimal(fee),
            from_trade_account_id=source[0], from_account_type=source[1], to_trade_account_id=target[0],
            to_account_type=target[1], status=status, reason=reason, created_at=now_ms - ago * _MINUTE_MS,
            rapid_transfer=rapid,
        )
        for at, (coin, amount, came, fee, network, source, target, status, reason, ago, rapid) in enumerate(rows)
    )  # fmt: skip


def deposits(params: Mapping[str, str], now_ms: int) -> tuple[DepositRecord, ...]:
    """One that arrived and one under way."""
    del params
    rows = (("USDT", "500", "TRC20", 2, 3), ("BTC", "0.75", "BTC", 3, 2_900))
    return tuple(
        DepositRecord(
            id=2_820_000_000_000_007 - at, account_id=FUNDING, currency=coin, network=network, amount=Decimal(amount),
            status=status, tx_id=f"paper-tx-{at}", apply_time=str(now_ms - ago * _MINUTE_MS),
        )
        for at, (coin, amount, network, status, ago) in enumerate(rows)
    )  # fmt: skip


def withdrawals(params: Mapping[str, str], now_ms: int) -> tuple[WithdrawalRecord, ...]:
    """One that waits, one that left, and one that was rejected."""
    del params
    rows = (("USDT", "1200", 1, "", 1), ("USDT", "5000", 3, "", 1_500), ("USDT", "90000", 5, "not approved", 4_300))
    return tuple(
        WithdrawalRecord(
            id=2_720_000_000_000_012 - at, account_id=FUNDING, currency=coin, network="TRC20", address=_BOOK,
            address_tag="cold wallet", amount=Decimal(amount), status=status, info=info,
            apply_time=str(now_ms - ago * _MINUTE_MS),
        )
        for at, (coin, amount, status, info, ago) in enumerate(rows)
    )  # fmt: skip


def bills(params: Mapping[str, str], now_ms: int) -> tuple[BillRecord, ...]:
    """What came into the portfolio and left it."""
    del params
    rows = (
        ("USDT", "2500", None, (MAIN, "BINANCE"), (FUNDING, ""), 0, 1, 2),
        ("USDT", "8000", "8000", (FUNDING, ""), (MAIN, "BINANCE"), 1, 1, 320),
        ("USDT", "30000", "30000", (0, ""), (MAIN, "OKX"), 1, 0, 5_800),
    )  # fmt: skip
    return tuple(
        BillRecord(
            id=2_620_000_000_000_031 - at, currency=coin, amount=Decimal(amount),
            amount_received=None if came is None else Decimal(came), network_fee=Decimal(0),
            network="TRC20", from_trade_account_id=source[0], from_account_type=source[1], to_trade_account_id=target[0],
            to_account_type=target[1], status=status, type=kind, created_at=now_ms - ago * _MINUTE_MS,
        )
        for at, (coin, amount, came, source, target, status, kind, ago) in enumerate(rows)
    )  # fmt: skip


def custody(params: Mapping[str, str], now_ms: int) -> tuple[CustodyRecord, ...]:
    """A lock and an unlock."""
    del params
    return tuple(
        CustodyRecord(
            action_id=412 - at, type=kind, currency="BTC", amount=amount, account_id=DMA, status=1,
            created_at=now_ms - ago * _MINUTE_MS,
        )
        for at, (kind, amount, ago) in enumerate(((1, "0.1", 95), (2, "0.4", 2_700)))
    )  # fmt: skip


def currencies(params: Mapping[str, str], now_ms: int) -> tuple[CurrencyRecord, ...]:
    """A coin with one network."""
    del now_ms
    coin = params.get("currency", "USDT")
    network = NetworkRecord(
        network="TRC20" if coin == "USDT" else coin, account_types=[one.value for one in NetworkAccount],
        deposit_enable=True, withdraw_enable=True, transfer_enable=True, min_deposit="1", min_withdraw="10",
        min_transfer="2", precision="6", est_network_fee="1",
    )  # fmt: skip
    return (CurrencyRecord(currency=coin, currency_name=coin, networks=[network]),)


def address_book(params: Mapping[str, str], now_ms: int) -> tuple[AddressRecord, ...]:
    """One address."""
    coin = params.get("currency", "USDT")
    made = now_ms - 90_000 * _MINUTE_MS
    return (AddressRecord(currency=coin, network="TRC20", address=_BOOK, address_tag="cold wallet", created_at=made),)


def pool(params: Mapping[str, str], now_ms: int) -> PoolQuota:
    """What a pool pays now."""
    del now_ms
    return PoolQuota(pool=params.get("pool", ""), available="200000")


def deposit_address(params: Mapping[str, str], now_ms: int) -> DepositAddress:
    """Where a coin is deposited."""
    return DepositAddress(
        id=71, currency=params["currency"], network=params["network"], address="paper-deposit-4b7de01f92aa", minimum="1",
        created_at=now_ms, account_type=params.get("accountType", ""),
    )  # fmt: skip


def deposit_venue(params: Mapping[str, str], now_ms: int) -> DepositVenue:
    """Which venue deposits of the portfolio go to."""
    del now_ms
    return DepositVenue(currency=params["currency"], network=params["network"], exchange_type="BINANCE")
