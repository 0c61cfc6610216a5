"""Liquidation pane: the service's liquidation steps, newest event first, the steps of an event in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from tui.engine.rows import LiquidationStep, OrderRow, Table
from tui.interface.families.liquidation import LiquidationNode
from tui.interface.families.positions import AccountStatus
from tui.interface.figures import ONE_WAY
from tui.workstation.features.liquidation import course
from tui.workstation.model import number_format
from tui.workstation.model.account_risk import no_risk
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name, venue_of
from tui.workstation.table.columns import Cell, Field, Fields, SortKey, of_row
from tui.workstation.table.pane import ChangedRows, Pane, find_rows_of_table
from tui.workstation.table.raw_facts import raw_facts
from tui.workstation.table.row_filter import FilterFacts

_CLOSING = frozenset(["REDUCE_START", "REDUCE_END", "LIQUIDATE_START", "LIQUIDATE_END", "TAKEOVER"])
"""Node types at which the service closes positions."""

BAR_CELLS = 20
EVENT_CELLS = 6
"""Last digits of an event id that are shown."""


def _time(row: LiquidationStep, view: DisplayContext) -> Cell:
    return view.moment(row.at_ms, millis=True), "dim"


def _event(row: LiquidationStep) -> Cell:
    return row.event_id[-EVENT_CELLS:], "faint"


def _venue(row: LiquidationStep) -> Cell:
    return row.venue, "strong"


def _step(row: LiquidationStep) -> Cell:
    if row.order is not None:
        return "SUB ORDER" if row.of_sub else "ORDER", "alert"
    word = row.node.node_type if row.node is not None else number_format.MISSING
    return word, "alert" if word in _CLOSING else "warn"


def _text(row: LiquidationStep, view: DisplayContext) -> Cell:
    """Return what happened in a liquidation step; for an order the result and fee first, as a narrow column cuts the end."""
    order = row.order
    if order is None:
        return row.text, "text"
    leg = "" if order.position_side in ("", "NONE") else f" {order.position_side}"
    size = view.quantity(order.sym, order.reduce_qty)
    figures = f"result {view.money(order.closed_pnl)}, fee {view.money(order.liq_fee)}"
    return f"{figures}: {size} {full_name(order.sym)}{leg} closed", "alert"


def _account(row: LiquidationStep, name: str) -> str:
    rows = row.node.accounts if row.node is not None else []
    return str(getattr(rows[0], name)) if rows else ""


def _uni_mmr(row: LiquidationStep, view: DisplayContext) -> Cell:
    if row.node is not None and row.node.accounts and no_risk(row.node.accounts[0]):
        return number_format.NONE, "dim"
    value = number_format.value(_account(row, "uni_mmr"))
    return ("" if value is None else view.amount(value, 3)), "strong"


def _by_uni_mmr(row: LiquidationStep) -> SortKey:
    return number_format.value(_account(row, "uni_mmr"))


def _account_money(name: str, width: int, hide: int) -> Field[LiquidationStep]:
    """Build a column with a value of the account at a liquidation stage; empty for other rows."""

    def cell(row: LiquidationStep, view: DisplayContext) -> Cell:
        text = _account(row, name)
        return (view.money(text) if text else ""), "text"

    return Field(width, cell, of_row(lambda row: number_format.value(_account(row, name))), hide=hide)


def _bar(row: LiquidationStep, view: DisplayContext) -> Cell:
    return course.bar(view.mirror.liquidations.values(), row, BAR_CELLS), "accent"


_FIELDS: Fields[LiquidationStep] = {
    "time": Field(13, _time, left=True, hide=2),
    "event": Field(7, of_row(_event), left=True, hide=14),
    "venue": Field(8, of_row(_venue), left=True, prose=True, hide=3),
    "step": Field(16, of_row(_step), left=True, prose=True, title="step"),
    "uniMMR": Field(9, _uni_mmr, of_row(_by_uni_mmr), hide=1),
    "equity": _account_money("equity", 13, 3),
    "maint.": _account_money("maintain_margin", 12, 13),
    "course": Field(22, _bar, left=True, hide=3, title="equity ┃ maint."),
    "what": Field(98, _text, left=True, prose=True, title="  what happened", least=20),
}


class LiquidationPane(Pane[LiquidationStep]):
    """Pane with the liquidation steps received in this session."""

    id: ClassVar[str] = "liquidation"
    title: ClassVar[str] = "Liquidation"
    feeds: ClassVar[frozenset[Table]] = frozenset([Table.LIQUIDATIONS, Table.ACCOUNTS])
    ages: ClassVar[bool] = False

    fields = _FIELDS

    def keys(self) -> list[str]:
        steps = self.view.mirror.liquidations
        begins: dict[str, int] = {}
        for step in steps.values():
            begins[step.event_id] = min(step.at_ms, begins.get(step.event_id, step.at_ms))
        return sorted(steps, key=lambda key: (-begins[steps[key].event_id], steps[key].event_id, steps[key].at_ms))

    def row(self, key: str) -> LiquidationStep | None:
        return self.view.mirror.liquidations.get(key)

    def find_changed_rows(self, table: Table, keys: Iterable[str]) -> ChangedRows:
        return find_rows_of_table(table, keys, Table.LIQUIDATIONS, ())

    def short(self) -> str:
        """Return the number of steps, and the accounts whose status is not NORMAL."""
        running = [
            f"{venue} {fact.record.account_status}"
            for venue, fact in self.view.mirror.accounts.items()
            if fact.record.account_status not in ("", AccountStatus.NORMAL)
        ]
        count = len(self.view.mirror.liquidations)
        return f"{count} · running: {', '.join(running)}" if running else f"{count} · ended" if count else "0"

    def empty(self) -> str:
        return "no liquidation event"

    def sym(self, key: str) -> str:
        row = self.row(key)
        return row.order.sym if row is not None and row.order is not None else ""

    def order_of(self, key: str) -> OrderRow | None:
        row = self.row(key)
        if row is None or row.order is None:
            return None
        wanted = row.order.order_id
        return next((order for order in self.view.mirror.orders.values() if order.order_id == wanted), None)

    def facts(self, key: str) -> FilterFacts | None:
        row = self.row(key)
        if row is None:
            return None
        sym = self.sym(key)
        return FilterFacts(
            text=" ".join([*self.texts(row), row.event_id]),
            state=_step(row)[0],
            sym=sym,
            venue=venue_of(sym) if sym else row.venue,
        )

    def copy_text(self, key: str) -> str:
        row = self.row(key)
        return key if row is None else row.event_id

    def details(self, key: str) -> list[tuple[str, str]]:
        row = self.row(key)
        if row is None:
            return []
        whole = [
            ("event", row.event_id), ("type", row.event_type or number_format.MISSING), ("venue", row.venue),
            ("portfolio", row.portfolio_id), ("time", self.view.moment(row.at_ms, millis=True)), ("what happened", row.text),
        ]  # fmt: skip
        if row.order is not None:
            return [*whole, *raw_facts(row.order)]
        snapshots = _snapshots(row.node) if row.node is not None else ()
        return [*whole, *course.list_changes(self.view, row), *snapshots]


def _snapshots(node: LiquidationNode) -> Iterator[tuple[str, str]]:
    """Yield accounts, positions, coins and cancelled orders of a liquidation stage, as name and text."""
    for account in node.accounts:
        ratio = number_format.NONE if no_risk(account) else f"{account.uni_mmr} (larger is safer)"
        yield (
            f"account {account.exchange_type}",
            f"{account.account_status}, uniMMR {ratio}",
        )
        yield "equity", account.equity
        yield "valid margin", account.valid_margin
        yield "maintenance", account.maintain_margin
    for position in node.positions:
        liquidated = position.liq_price or number_format.NONE
        leg = "" if position.position_side in ONE_WAY else f" {position.position_side}"
        yield (
            f"position {full_name(position.sym)}{leg}",
            f"{position.position_qty} @ {position.avg_price}, mark {position.mark_price}, liquidation {liquidated}",
        )
    for asset in node.assets:
        yield f"coin {asset.coin}", f"balance {asset.balance}, equity {asset.equity}"
    for order in node.open_orders:
        size = order.order_qty or order.quote_order_qty
        yield f"cancelled {order.order_id}", f"{order.side} {size} {full_name(order.sym)} @ {order.limit_price}"
