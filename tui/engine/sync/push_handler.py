"""Handler of pushes on the private stream; they are applied at once, or buffered while a snapshot is read."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import msgspec

from tui.engine.event_line import Level
from tui.engine.modes import BY_YOU, Environment
from tui.engine.orders.pre_trade_checks import position_mode_text
from tui.engine.rows import Source
from tui.engine.state.engine_state import EngineState
from tui.engine.state.facts import asset_key, position_key
from tui.engine.sync.fill_reader import fill_level, fill_text
from tui.interface import decimals
from tui.interface.families.assets import AssetRecord
from tui.interface.families.history import TradeRecord
from tui.interface.families.liquidation import LiquidationEventPush, LiquidationPositionRecord
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import AccountRecord, AccountStatus, PositionRecord
from tui.interface.streams import LIQUIDATION_WORDS, PrivateChannel
from tui.interface.times import millis
from tui.rules.margin import reports_no_risk

_NEXT_RUNG: dict[str, str] = {
    AccountStatus.MARGIN_CALL: "; next, orders that add risk are cancelled",
    AccountStatus.CANCEL_OPEN: "; only reducing orders are taken; next, all orders are cancelled",
    AccountStatus.CANCEL_ALL: "; only reducing orders are taken; next, the service reduces positions",
    AccountStatus.LIQUIDATING: "; no orders are taken; without equity the service takes the positions over",
    AccountStatus.TAKEOVER: "; no orders are taken",
}
"""Meaning of a ladder step and what follows below it, at the paper venue; a live service publishes neither."""


class _BufferedPush(msgspec.Struct):
    epoch: int
    channel: PrivateChannel
    records: list[Any]
    received: float


class PushHandler:
    """Handler that applies pushed records to the state, by channel, or buffers them while a snapshot is read."""

    def __init__(
        self,
        state: EngineState,
        *,
        query_now: Callable[[str], None],
        look_up: Callable[[str], None],
        position_changed: Callable[[], None],
    ) -> None:
        self._state = state
        self._query_now = query_now
        self._look_up = look_up
        self._position_changed = position_changed
        self._buffer: list[_BufferedPush] = []
        self.holding = False
        """Whether a snapshot is being read."""
        self.overflow = False
        """Whether the buffer was too small, so that the snapshot must be read again."""

    def hold(self) -> None:
        """Start to buffer pushes until `release`; pushes buffered before are dropped."""
        self._buffer.clear()
        self.holding = True
        self.overflow = False

    def release(self) -> None:
        """Apply the buffered pushes; later ones are applied at once."""
        held, self._buffer = self._buffer, []
        self.holding = False
        for push in held:
            self._fold(push)

    def push(self, epoch: int, channel: PrivateChannel, records: list[Any], received: float) -> None:
        """Apply or buffer one push of the stream."""
        push = _BufferedPush(epoch, channel, records, received)
        if not self.holding:
            self._fold(push)
        elif len(self._buffer) < self._state.settings.push_buffer:
            self._buffer.append(push)
        else:
            self.overflow = True

    def _fold(self, push: _BufferedPush) -> None:
        if push.epoch != self._state.epoch:
            return
        for record in push.records:
            if isinstance(record, dict):
                self._fold_liquidation(push.channel, record)
            elif isinstance(record, OrderRecord):
                self._state.fold_order(record, Source.PUSH, push.received)
            elif self._state.accepts(record.portfolio_id, "a push"):
                self._fold_record(push.channel, record, push.received)

    def _fold_record(self, channel: PrivateChannel, record: Any, received: float) -> None:
        if isinstance(record, TradeRecord):
            self._fold_trade(record, received)
        elif not self._state.reads_time(record.update_at, "a push"):
            return
        elif isinstance(record, PositionRecord):
            self._fold_position(record, received)
        elif isinstance(record, AssetRecord):
            stamp = self._state.stamp(Source.PUSH, millis(record.update_at), received)
            self._state.facts.assets.push(asset_key(record), record, stamp)
        elif isinstance(record, AccountRecord):
            self._fold_account(channel, record, received)

    def _fold_trade(self, record: TradeRecord, received: float) -> None:
        state = self._state
        if not state.fold_fill(record, Source.PUSH, received):
            return
        state.write_journal("fill", record, client_order_id=record.client_order_id, order_id=record.order_id)
        key = state.orders.find(record.order_id, record.client_order_id)
        order = state.orders.rows.get(key)
        state.notify(fill_level(record, order), fill_text(record, order, state), key)
        if not key:
            self._look_up(record.order_id)
        elif state.orders.count_fill(key, record.order_id, decimals.optional(record.quantity) or decimals.ZERO):
            self._query_now(key)

    def _fold_position(self, record: PositionRecord, received: float) -> None:
        qty = decimals.optional(record.position_qty)
        key = position_key(record)
        before = self._state.facts.positions.rows.get(key)
        self._state.positions_updated_ms = int(self._state.clock.wall() * 1000)
        stamp = self._state.stamp(Source.PUSH, millis(record.update_at), received)
        if self._state.facts.positions.push(key, record, stamp, gone=qty == 0) and (
            before is None
            or (before.record.position_qty, before.record.leverage) != (record.position_qty, record.leverage)
        ):
            self._position_changed()

    def _fold_account(self, channel: PrivateChannel, record: AccountRecord, received: float) -> None:
        stamp = self._state.stamp(Source.PUSH, millis(record.update_at), received)
        before = self._state.facts.accounts.rows.get(record.exchange_type)
        news = self._state.facts.accounts.push(record.exchange_type, record, stamp)
        if news and before is not None and before.record.position_mode != record.position_mode:
            was, now = position_mode_text(before.record.position_mode), position_mode_text(record.position_mode)
            asked = self._state.commands.asked_modes.pop(record.exchange_type, None)
            # What was asked for here is news; what somebody else changed is a warning.
            known = asked is not None and asked.mode == record.position_mode
            by = f"by {asked.decision.peer}" if asked is not None and asked.decision.peer else BY_YOU
            level, who = (Level.INFO, by) if known else (Level.WARN, "changed elsewhere")
            self._state.notify(level, f"account {record.exchange_type}: {now} now, it was {was} ({who})")
        was = before.record.account_status if before is not None else record.account_status
        if channel is PrivateChannel.MARGIN_CALL or was != record.account_status:
            self._notify_account_status(record, was)

    def _notify_account_status(self, record: AccountRecord, was: str) -> None:
        status = record.account_status
        change = f", it was {was}" if was != status else ""
        ratio = decimals.optional(record.uni_mmr)
        at_risk = not reports_no_risk(record.uni_mmr, record.maintain_margin)
        shown = f"{Decimal(decimals.truncate(ratio, 2)):,}" if ratio is not None and at_risk else ""
        margin = f"; uniMMR {shown} (larger is safer)" if shown else ""
        text, cause = f"account {record.exchange_type}: {status}{change}{margin}", f"risk of {record.exchange_type}"
        if status == AccountStatus.NORMAL:
            self._state.notify(Level.INFO, text, cause=cause)
        else:
            paper = self._state.identity.environment is Environment.PAPER
            following = _NEXT_RUNG.get(status, "") if paper else ""
            self._state.notify(Level.ALERT, text + following, sticky=True, cause=cause)

    def _fold_liquidation(self, channel: PrivateChannel, record: dict[str, Any]) -> None:
        """Apply a push of a liquidation channel; one in an unknown format is shown as received."""
        self._state.facts.bookings.expect(self._state.clock.mono())
        self._state.write_journal("push", {"channel": channel.lower(), "record": record})
        log = self._state.facts.liquidations
        try:
            if channel is PrivateChannel.LIQUIDATION_EVENT:
                node = msgspec.convert(record, LiquidationEventPush)
                if not self._state.accepts(node.portfolio_id, "a liquidation event"):
                    return
                step = log.add_node(node)
            else:
                order = msgspec.convert(record, LiquidationPositionRecord)
                of_sub = channel is PrivateChannel.LIQUIDATION_BY_USER
                if not of_sub and not self._state.accepts(order.portfolio_id, "a liquidation order"):
                    return
                step = log.add_order(order, of_sub=of_sub)
        except msgspec.ValidationError:
            self._notify_unknown_liquidation(record)
            return
        log.unread = True
        if step is not None:
            self._state.notify_step(step)

    def _notify_unknown_liquidation(self, record: dict[str, Any]) -> None:
        words = " ".join(str(record.get(name, ""))[:40] for name in LIQUIDATION_WORDS if record.get(name))
        self._state.notify(Level.ALERT, f"LIQUIDATION: {words}", sticky=True)
