"""Forecast of a leverage change on its venue account, leverage limits, and what blocks a position mode change."""

from __future__ import annotations

import math
from decimal import Decimal

import msgspec

from tui.engine.intents import Decision, SetLeverage, SetMarginLeverage, debt_setting, leverage_setting
from tui.engine.rows import CommandState, LoanTerms, OrderRow, SettingChange, Table
from tui.engine.state.algo_table import algo_text
from tui.engine.state.order_texts import order_text
from tui.interface.decimals import ZERO
from tui.interface.families.positions import AccountStatus, LeverageRow, PositionRecord
from tui.interface.symbols import try_parse
from tui.rules import account
from tui.rules.account import AccountFigures
from tui.rules.margin import highest_leverage
from tui.rules.preview import has_margin, set_leverage, set_margin_leverage
from tui.workstation.model import account_snapshot, number_format
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.instruments import full_name, venue_of
from tui.workstation.model.mirror import Mirror

_FROZEN = (AccountStatus.LIQUIDATING, AccountStatus.TAKEOVER)


class LeverageForecast(msgspec.Struct, frozen=True, kw_only=True):
    """Account values and liquidation price before and after a leverage change."""

    before: AccountFigures
    after: AccountFigures
    liq_before: Decimal | None = None
    liq_after: Decimal | None = None

    @property
    def has_margin(self) -> bool:
        """Whether the account has the margin that the change needs."""
        return has_margin(self.before, self.after)


class LeverageRange(msgspec.Struct, frozen=True, kw_only=True):
    """Highest leverage, overall and per tier."""

    most: int
    tiers: tuple[tuple[Decimal, int], ...]
    """Upper bound of each tier (quote units of value, or coins of debt) and its highest leverage."""


class ModeBlocker(msgspec.Struct, frozen=True, kw_only=True):
    """Row that blocks a position mode change, with the pane and key where it can be found."""

    pane: str
    """Empty: no pane lists it."""
    key: str
    text: str


def leverage_of(mirror: Mirror, sym: str) -> str:
    """Return the leverage of a perpetual: of its position, else as read for the pair; empty if unknown."""
    record, row = _find_position(mirror, sym), mirror.row(Table.LEVERAGES, sym)
    if record is not None and number_format.value(record.leverage):
        return record.leverage
    return row.leverage if isinstance(row, LeverageRow) else ""


def _find_position(mirror: Mirror, sym: str) -> PositionRecord | None:
    records = (fact.record for fact in mirror.positions.values() if fact.record.sym == sym)
    return next((record for record in records if number_format.value(record.position_qty)), None)


def leverage_range(mirror: Mirror, sym: str) -> LeverageRange | Missing:
    """Return the leverage limits of a perpetual, by the margin tier of its larger position."""
    terms, parts = account_snapshot.terms_of(mirror, sym, _find_position(mirror, sym)), try_parse(sym)
    if isinstance(terms, Missing) or parts is None:
        return terms if isinstance(terms, Missing) else Missing(f"the rules of {sym}")
    legs = account_snapshot.legs_of(mirror, parts.exchange)
    if isinstance(legs, Missing):
        return legs
    larger = max((abs(leg.base_quantity) for leg in legs if leg.terms.sym == sym), default=ZERO)
    tiers = tuple((tier.cap, tier.max_leverage) for tier in terms.tiers)
    return LeverageRange(most=highest_leverage(terms.tiers, larger * terms.mark), tiers=tiers)


def leverage_forecast(mirror: Mirror, sym: str, wanted: int) -> LeverageForecast | Missing:
    """Compute the account at a perpetual's venue before and after a leverage change, open orders included."""
    parts = try_parse(sym)
    if parts is None:
        return Missing(f"the rules of {sym}")
    row = account_snapshot.account_of(mirror, parts.exchange)
    if isinstance(row, Missing):
        return row
    leverage = Decimal(wanted)
    after = account_snapshot.with_orders(
        set_leverage(row, sym, leverage), mirror, parts.exchange, leverages={sym: leverage}
    )
    now, then = account.compute_figures(row), account.compute_figures(after)
    return LeverageForecast(
        before=now,
        after=then,
        liq_before=account.liq_price(row, now, sym),
        liq_after=account.liq_price(after, then, sym),
    )


def margin_leverage_of(mirror: Mirror, exchange: str, coin: str) -> str:
    """Return the leverage of a coin's debt; empty if unknown."""
    row = mirror.row(Table.LOANS, f"{exchange}/{coin}")
    return row.leverage if isinstance(row, LoanTerms) else ""


def margin_leverage_range(mirror: Mirror, exchange: str, coin: str) -> LeverageRange | Missing:
    """Return the leverage limits of a coin's debt, by its first tier, rounded down."""
    row = mirror.row(Table.LOANS, f"{exchange}/{coin}")
    if not isinstance(row, LoanTerms) or not row.tiers:
        return Missing(f"the loan tiers of {coin} on {exchange}")
    tiers = []
    for tier in row.tiers:
        cap, most = number_format.value(tier.max_size), number_format.value(tier.max_leverage)
        if cap is None or most is None:
            return Missing(f"the loan tiers of {coin} on {exchange}")
        tiers.append((cap, int(most)))
    return LeverageRange(most=tiers[0][1], tiers=tuple(tiers))


def margin_leverage_forecast(mirror: Mirror, exchange: str, coin: str, wanted: int) -> LeverageForecast | Missing:
    """Compute the account at a venue before and after a change of the leverage of a coin's debt."""
    row = account_snapshot.account_of(mirror, exchange)
    if isinstance(row, Missing):
        return row
    after = set_margin_leverage(row, coin, Decimal(wanted))
    return LeverageForecast(before=account.compute_figures(row), after=account.compute_figures(after))


def frozen_reason(mirror: Mirror, exchange: str) -> str:
    """Return why no leverage or position mode of a venue can be changed now, or an empty text."""
    account_row = mirror.accounts.get(exchange)
    status = account_row.record.account_status if account_row is not None else ""
    return f"the {exchange} account is in {status}; settings cannot be changed" if status in _FROZEN else ""


def list_mode_blockers(mirror: Mirror, exchange: str) -> list[ModeBlocker]:
    """List the perpetual positions, open orders and algo orders at a venue that block a position mode change."""
    blockers = [
        ModeBlocker(pane="positions", key=key, text=_describe_positions(fact.record))
        for key, fact in mirror.positions.items()
        if _is_perp_on(fact.record.sym, exchange) and number_format.value(fact.record.position_qty)
    ]
    blockers += [
        ModeBlocker(pane="orders", key=order.key, text=_describe_orders(mirror, order))
        for order in mirror.working()
        if _is_perp_on(order.sym, exchange)
    ]
    return blockers + [
        ModeBlocker(pane="algos", key=key, text=f"algo order {algo_text(row.record, mirror.tick_of(row.record.sym))}")
        for key, row in mirror.algos.items()
        if _is_perp_on(row.record.sym, exchange)
    ]


def _describe_positions(record: PositionRecord) -> str:
    leg = f"{record.position_side} " if record.position_side in ("LONG", "SHORT") else ""
    return f"{full_name(record.sym)}: position {leg}{record.position_qty}"


def _describe_orders(mirror: Mirror, order: OrderRow) -> str:
    return f"order {order_text(order, mirror.tick_of(order.sym))}"


def _is_perp_on(sym: str, exchange: str) -> bool:
    parts = try_parse(sym)
    return parts is not None and parts.is_perp and parts.exchange == exchange


def describe_change(change: SettingChange, now: float) -> str:
    """Describe the state of a setting change, and how long its outcome may take; `now` is monotonic, in s."""
    step = f"{change.before} → {change.wanted}"
    if change.state is CommandState.SENDING:
        return f"{step} is being sent"
    if change.state is CommandState.RUNNING:
        return f"{step} accepted; it is being read back"
    left = math.ceil(change.proven_from - now)
    why = f"; the request can arrive for another {left} s" if left > 0 else ""
    return f"{step}: UNKNOWN whether it was carried out; it is being read back{why}"


class PairLeverage(msgspec.Struct, frozen=True):
    """Leverage setting of a perpetual, for the leverage form."""

    sym: str

    @property
    def setting(self) -> str:
        """Key of the pair's leverage in the table of setting changes in progress."""
        return leverage_setting(self.sym)

    @property
    def exchange(self) -> str:
        return venue_of(self.sym)

    @property
    def name(self) -> str:
        return f"leverage of {full_name(self.sym)}"

    def present(self, mirror: Mirror) -> str:
        """Return the leverage in force; empty if unknown."""
        return leverage_of(mirror, self.sym)

    def range(self, mirror: Mirror) -> LeverageRange | Missing:
        """Return the leverages that can be chosen, or which data is missing."""
        return leverage_range(mirror, self.sym)

    def forecast(self, mirror: Mirror, wanted: int) -> LeverageForecast | Missing:
        """Compute the account before and after another leverage, or return which data is missing."""
        return leverage_forecast(mirror, self.sym, wanted)

    def intent(self, decision: Decision, wanted: int, before: str) -> SetLeverage:
        """Build the command that changes the leverage; it is refused if the present leverage is not `before`."""
        return SetLeverage(decision=decision, sym=self.sym, leverage=str(wanted), before=before)


class CoinLeverage(msgspec.Struct, frozen=True):
    """Leverage setting of a coin's debt, for the leverage form."""

    exchange: str
    coin: str

    @property
    def setting(self) -> str:
        """Key of the debt's leverage in the table of setting changes in progress."""
        return debt_setting(self.exchange, self.coin)

    @property
    def name(self) -> str:
        return f"leverage of the {self.coin} debt on {self.exchange}"

    @property
    def sym(self) -> str:
        """Empty symbol: a debt has no liquidation price to show."""
        return ""

    def present(self, mirror: Mirror) -> str:
        """Return the leverage in force; empty if unknown."""
        return margin_leverage_of(mirror, self.exchange, self.coin)

    def range(self, mirror: Mirror) -> LeverageRange | Missing:
        """Return the leverages that can be chosen, or which data is missing."""
        return margin_leverage_range(mirror, self.exchange, self.coin)

    def forecast(self, mirror: Mirror, wanted: int) -> LeverageForecast | Missing:
        """Compute the account before and after another leverage, or return which data is missing."""
        return margin_leverage_forecast(mirror, self.exchange, self.coin, wanted)

    def intent(self, decision: Decision, wanted: int, before: str) -> SetMarginLeverage:
        """Build the command that changes the leverage; it is refused if the present leverage is not `before`."""
        return SetMarginLeverage(
            decision=decision, exchange=self.exchange, coin=self.coin, leverage=str(wanted), before=before
        )


LeverageTarget = PairLeverage | CoinLeverage
