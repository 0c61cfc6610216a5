"""Liquidation rules by account status: the venue's action at each status, and the stages pushed to the trader."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.families.liquidation import NodeType
from tui.interface.families.orders import CancelType, OrderRecord
from tui.interface.families.positions import AccountStatus
from tui.venue.core.accounts import account_figures
from tui.venue.core.funds.pending_movements import fail_leaving
from tui.venue.core.liquidation import collateral, event_log, insurance, reduction
from tui.venue.core.liquidation.takeover import Takeover
from tui.venue.core.state import risk_ladder
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.fund_accounts import Side
from tui.venue.core.state.liquidations import LiquidationEvent, RowKey
from tui.venue.core.state.orders import Order
from tui.venue.core.trading import protection
from tui.venue.core.trading.pending_changes import PendingChanges

REASON = "Account risk"
LIQUIDATED = "the account is being liquidated"


class RiskLadder:
    """Liquidation rules of a venue, enforced on accounts whose figures were published since the last call."""

    def __init__(self, state: State, pending_changes: PendingChanges) -> None:
        self._state = state
        self._pending_changes = pending_changes
        self._takeover = Takeover(state, pending_changes)

    def enforce(self) -> None:
        """Act on every account at risk until nothing more can be done at the current prices."""
        state = self._state
        acted = True
        while state.changes.risky and acted:
            rows, state.changes.risky = state.changes.risky, {}
            acted = False
            for key, worse in rows.items():
                acted = self._act(key, worse=worse) or acted
            for portfolio, venue in list(state.changes.stale):
                account_figures.publish_rows(state, portfolio, venue)
        state.changes.risky.clear()

    def _act(self, key: RowKey, *, worse: bool) -> bool:
        """Act on one account at risk; return whether the action can change an account status."""
        state = self._state
        status = state.published.accounts[key].account_status
        if status == AccountStatus.NORMAL and key not in state.liquidations.open:
            return False
        event = event_log.open_event(state, key)
        event_log.record_status(state, event, status)
        changed = self._cancel(event, status, worse=worse) if status != AccountStatus.NORMAL else False
        if status in risk_ladder.LIQUIDATED or event.acting:
            changed = self._liquidate(event) or changed
        self._settle_phase(event)
        return changed

    def _settle_phase(self, event: LiquidationEvent) -> None:
        """Push the end of the liquidation stage, or close the liquidation event, when the account has left it."""
        state = self._state
        status = state.published.accounts[event.key].account_status
        event_log.record_status(state, event, status)
        if status == AccountStatus.NORMAL:
            event_log.end_event(state, event)
        elif status not in risk_ladder.LIQUIDATED:
            event_log.stop_acting(state, event)

    # -- cancelling ------------------------------------------------------------------------------------------------

    def _cancel(self, event: LiquidationEvent, status: str, *, worse: bool) -> bool:
        """Cancel orders by account status: those that add risk from CANCEL_OPEN on, all from CANCEL_ALL on.

        All orders end when a row reaches CANCEL_ALL or worse; reducing orders placed afterwards stay.
        """
        state, rung = self._state, risk_ladder.RUNGS.index(AccountStatus(status))
        for node in (NodeType.TRIGGERED, NodeType.MARGIN_CALL):
            event_log.reach(state, event, node)
        ended = False
        if status in risk_ladder.CANCELLING:
            cancelled = self._end([order for order in state.open_on(*event.key) if _adds_risk(state, order)])
            self._reach(event, NodeType.CANCEL_OPEN, cancelled)
            ended = bool(cancelled)
        if rung >= risk_ladder.RUNGS.index(AccountStatus.CANCEL_ALL):
            cancelled = self._end_everything(event) if worse or status in risk_ladder.LIQUIDATED else []
            self._reach(event, NodeType.CANCEL_ALL, cancelled)
            ended = ended or bool(cancelled)
        return ended

    def _reach(self, event: LiquidationEvent, node: NodeType, cancelled: list[OrderRecord]) -> None:
        if cancelled:
            account_figures.publish_rows(self._state, *event.key)
        event_log.reach(self._state, event, node, cancelled)

    def _end_everything(self, event: LiquidationEvent) -> list[OrderRecord]:
        state = self._state
        syms = [pair.sym for pair in state.pairs.values() if pair.exchange == event.venue]
        protection.cancel_all(state, state.algos.of(event.portfolio, syms), REASON)
        return self._end(list(state.open_on(*event.key)))

    def _end(self, orders: list[Order]) -> list[OrderRecord]:
        """Cancel orders because of account risk; return their last records."""
        ended = []
        for order in orders:
            if not order.is_final:
                self._pending_changes.end_now(order, CancelType.LIQUIDATING, REASON)
                ended.append(self._state.order_record(order))
        return ended

    # -- liquidating -----------------------------------------------------------------------------------------------

    def _liquidate(self, event: LiquidationEvent) -> bool:
        """Run liquidation steps and recompute the status after each; return True when at least one step was done."""
        acted = False
        fail_leaving(self._state, Side(*event.key), LIQUIDATED)
        while self._step(event):
            acted = True
            account_figures.publish_rows(self._state, *event.key)
        return acted

    def _step(self, event: LiquidationEvent) -> bool:
        state = self._state
        row = account_figures.compute_row(state, *event.key)
        status = state.published.accounts[event.key].account_status
        uni, rungs = row.figures.uni_mmr, risk_ladder.parse_thresholds(state.switches["risk_ladder"])
        if status == AccountStatus.TAKEOVER:
            self._takeover.run(event)
            return True
        if status == AccountStatus.LIQUIDATING and (event.acting or uni is None or uni <= rungs[3]):
            if row.legs:
                return reduction.reduce_once(state, event)
            return collateral.repay_once(state, event, row) or self._compensate(event, row.figures.equity)
        if event.acting and not row.legs and row.figures.equity < 0:
            return collateral.repay_once(state, event, row) or self._compensate(event, row.figures.equity)
        return False

    def _compensate(self, event: LiquidationEvent, equity: Decimal) -> bool:
        return equity < 0 and insurance.compensate(self._state, event.key, equity)


def _adds_risk(state: State, order: Order) -> bool:
    return not state.pairs[order.sym].is_perp or bool(account_figures.increasing_lots(state, order))
