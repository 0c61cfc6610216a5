"""Commands of the exchange and their replies. A log of (time, command) replays to the same bytes."""

from __future__ import annotations

import msgspec

from tui.interface.families.algo import AlgoReply
from tui.interface.families.deposits import DepositVenue
from tui.interface.families.portfolios import ApiKeyRecord, PortfolioName
from tui.interface.families.positions import CloseOutcome
from tui.venue.core.state.loans import LoanOrder


class ProtectionTriggers(msgspec.Struct, frozen=True, kw_only=True):
    """Take-profit and stop that a request names; texts as they came, empty where it names none."""

    tp_trigger_price: str = ""
    tp_trigger_type: str = ""
    tp_price: str = ""
    sl_trigger_price: str = ""
    sl_trigger_type: str = ""
    sl_price: str = ""


class PlaceOrder(ProtectionTriggers, frozen=True, kw_only=True, tag=True):
    """A placement; texts as they came, already of the right kind (the shell checked required fields and grammar)."""

    portfolio: str
    sym: str
    side: str
    order_type: str
    time_in_force: str = ""
    order_qty: str = ""
    limit_price: str = ""
    quote_order_qty: str = ""
    client_order_id: str = ""
    reduce_only: bool = False
    position_side: str = ""


class ReplaceOrder(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    portfolio: str
    order_id: str = ""
    client_order_id: str = ""
    replace_qty: str = ""
    replace_price: str = ""


class CancelOrder(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    portfolio: str
    order_id: str = ""
    client_order_id: str = ""


class CancelAllOrders(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    portfolio: str
    alone: bool = False
    """Only this portfolio, whatever the switch `cancel_all_scope` says."""
    exchange: str = ""
    sym: str = ""
    order_ids: str = ""
    """With the next one: only these orders, separated by commas."""
    client_order_ids: str = ""


class SetPositionMode(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """One-way or hedge mode of the derivatives of a portfolio on a venue."""

    portfolio: str
    exchange: str
    position_mode: str


class SetLeverage(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Leverage of a perpetual, as text."""

    portfolio: str
    sym: str
    leverage: str


class SetMarginLeverage(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Leverage of the debt in a coin on a venue, as text."""

    portfolio: str
    exchange: str
    coin: str
    leverage: str


class ClosePosition(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Close a position, or one leg, at market."""

    portfolio: str
    sym: str
    position_side: str = ""


class ClosePositions(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Close the positions of listed pairs, or all of them, at market; texts as they came."""

    portfolio: str
    sym_list: str = ""
    position_side: str = ""
    close_all_pos: str = ""
    exchange: str = ""


class AlgoTriggers(ProtectionTriggers, frozen=True, kw_only=True):
    """The triggers that a request for an algo order names."""

    conditional_trigger_price: str = ""
    conditional_trigger_type: str = ""
    conditional_price: str = ""


class PlaceAlgo(AlgoTriggers, frozen=True, kw_only=True, tag=True):
    """A placement of an algo order; texts as they came."""

    portfolio: str
    algo_order_type: str
    sym: str
    condition_type: str = ""
    side: str = ""
    order_qty: str = ""
    limit_price: str = ""
    """Judged as a number; TPSL does not use it."""
    algo_provider: str = ""
    """Not used."""
    position_side: str = ""
    reduce_only: bool = False
    client_order_id: str = ""


class ReplaceAlgo(AlgoTriggers, frozen=True, kw_only=True, tag=True):
    """Changes of an algo order; empty values stay unchanged."""

    portfolio: str
    algo_order_id: str = ""
    client_order_id: str = ""
    order_qty: str = ""


class CancelAlgo(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    portfolio: str
    algo_order_id: str = ""
    client_order_id: str = ""
    order_id: str = ""
    """The order that an attached one protects."""


class CancelAllAlgos(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    portfolio: str
    sym: str = ""
    exchange: str = ""
    business_type: str = ""
    algo_order_type: str = ""
    condition_type: str = ""


class CreatePortfolio(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A new sub portfolio."""

    portfolio: str
    name: str


class RenamePortfolio(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Another name of a sub portfolio."""

    portfolio: str
    portfolio_id: str
    name: str


class CreateApiKey(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A new key of a portfolio; lists are texts as they came."""

    portfolio: str
    portfolio_id: str
    api_name: str
    ip: str = ""
    permission: str = ""


class ChangeApiKey(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Changes of a key; empty values stay unchanged."""

    portfolio: str
    portfolio_id: str
    access_key: str
    api_name: str = ""
    ip: str = ""
    permission: str = ""
    status: str = ""


class DeleteApiKey(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    portfolio: str
    portfolio_id: str
    access_key: str


class ApplyTransfer(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Move money between accounts of the user; texts as they came, numbers and flags of the right grammar."""

    portfolio: str
    """Of the key; empty for a sub-user, which has none."""
    from_trade_account_id: str
    to_trade_account_id: str
    currency: str
    amount: str
    from_account_type: str = ""
    to_account_type: str = ""
    network: str = ""
    rapid_transfer: str = ""
    loan_trans: str = ""
    """Without effect here."""
    client_order_id: str = ""


class ApplyWithdrawal(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Take money out of the venue; texts as they came, numbers and flags of the right grammar."""

    portfolio: str
    """Of the key; empty for a sub-user."""
    account_id: str
    currency: str
    network: str
    address: str
    amount: str
    from_account_type: str = ""
    memo: str = ""
    loan_trans: str = ""
    rapid_transfer: str = ""
    """Without effect, like the one before."""
    client_order_id: str = ""


class MoveCustody(msgspec.Struct, frozen=True, kw_only=True):
    """What a lock and an unlock name."""

    portfolio: str
    account_id: str
    currency: str
    amount: str


class LockCustody(MoveCustody, frozen=True, kw_only=True, tag=True):
    """Move money from the custody account to a sub-account at an exchange."""


class UnlockCustody(MoveCustody, frozen=True, kw_only=True, tag=True):
    """Move it back."""


class SetDepositVenue(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Where deposits of a currency on a network go to."""

    portfolio: str
    currency: str
    network: str
    exchange: str


class ArriveDeposit(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Let a deposit come in. For practice and tests."""

    currency: str
    amount: str
    network: str = ""
    """Empty: the first of the currency."""
    account: str = ""
    """FUNDING, the id or the level of a portfolio; empty: the Funding Account."""


class Borrow(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A portfolio loan; the amount as text."""

    portfolio: str
    exchange: str
    coin: str
    amount: str
    client_order_id: str = ""


class Repay(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Repayment of the principal of a portfolio loan; the amount as text."""

    portfolio: str
    exchange: str
    coin: str
    amount: str
    client_order_id: str = ""


class SetSubFee(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Add-points to the fees of sub portfolios, as texts; an empty value stays as it is."""

    portfolio: str
    """The main portfolio, which sets them."""
    exchange: str
    inst_type: str
    chg_type: str
    portfolio_id: str = ""
    """Empty: all sub portfolios."""
    chg_taker: str = ""
    chg_maker: str = ""
    eff_date: str = ""
    markup_rebate_ratio: str = ""


class Advance(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Only let time pass: agents act, pending replaces and cancels take effect, marks are computed."""


class SetSwitch(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Set a behaviour switch of the core while running."""

    name: str
    value: str


class MoveMarket(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Move the market of one coin to a price at once: books, index and marks. For practice and tests."""

    coin: str
    price: str
    """A price, or a change of the index such as `-2%`."""


class PayDividend(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Pay every portfolio a share of what it holds of a coin. For practice and tests."""

    coin: str
    share: str
    """A fraction, for example 0.0003."""


PortfolioCommand = CreatePortfolio | RenamePortfolio | CreateApiKey | ChangeApiKey | DeleteApiKey
"""Commands about portfolios and their keys; `portfolio` is that of the key that asks."""
FundCommand = ApplyTransfer | ApplyWithdrawal | LockCustody | UnlockCustody | SetDepositVenue | ArriveDeposit
Setting = SetPositionMode | SetLeverage | SetMarginLeverage | SetSubFee
AlgoCommand = PlaceAlgo | ReplaceAlgo | CancelAlgo | CancelAllAlgos
LoanCommand = Borrow | Repay
MoneyCommand = FundCommand | LoanCommand
Command = (
    AlgoCommand
    | MoneyCommand
    | PlaceOrder
    | ReplaceOrder
    | CancelOrder
    | CancelAllOrders
    | ClosePosition
    | ClosePositions
    | Setting
    | PortfolioCommand
    | Advance
    | SetSwitch
    | MoveMarket
    | PayDividend
)


class Accepted(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The data of a successful answer; unused texts are empty."""

    order_id: str = ""
    algo_order_id: str = ""
    algos: tuple[AlgoReply, ...] = ()
    """What a cancel-all of algo orders began to cancel."""
    client_order_id: str = ""
    order_state: str = ""
    action: str = ""
    action_msg: str = ""
    transfer_id: str = ""
    """Also of a custody action."""
    withdrawal_id: str = ""
    deposit_venue: DepositVenue | None = None
    closed: tuple[CloseOutcome, ...] = ()
    """Outcomes of a call that closes several positions."""
    portfolio: PortfolioName | None = None
    """The portfolio that was created or renamed."""
    api_key: ApiKeyRecord | None = None
    """The key that was created or changed, without its secret."""
    loan: LoanOrder | None = None
    """What was borrowed or repaid."""
    eff_date: str = ""
    """The day from which fees of sub portfolios are in force."""


class Rejected(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """One code of the interface and a free English line that names field and value."""

    code: int
    message: str


Reply = Accepted | Rejected
