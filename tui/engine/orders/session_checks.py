"""Session checks, which intents of every kind pass: trading state, risk mode, connection, clock, fills of the day."""

from __future__ import annotations

from tui.engine.intents import CANCELS, Cancel, Decision, Intent, Place, Replace
from tui.engine.modes import LEAST_BEHIND_MOVE_MS, LEAST_REARM_MS, LEAST_SHOWN_MS, OWN_SCREEN, TradingState
from tui.engine.orders import pre_trade_checks
from tui.engine.orders.pre_trade_checks import Refusal
from tui.engine.peers.mandate import GUARD as MANDATE
from tui.engine.peers.mandates import Mandates
from tui.engine.rows import OrderRow
from tui.engine.state.closing_orders import order_only_closes
from tui.engine.state.engine_state import EngineState


class SessionChecks:
    """Guard that checks whether the session allows an intent: trading state, mandate, account, link, clock, risk mode."""

    def __init__(self, state: EngineState, mandates: Mandates) -> None:
        self._state = state
        self._mandates = mandates
        self.rehearses = False
        """Whether checks only tell what they would say, and no limit that is reached changes the state."""

    def check(self, intent: Intent) -> Refusal | None:
        """Check that window and trading state allow the intent, that it is for this account, and that the link is up."""
        state, peer, is_order = self._state, intent.decision.peer, isinstance(intent, Place | Replace | Cancel)
        if state.trading.read_only and not (self.rehearses and peer == OWN_SCREEN):
            return Refusal("READ_ONLY", state.trading.read_only)
        if not (self.rehearses or is_order) and self._mandates.is_bound(peer):
            return Refusal(MANDATE, "a mandate holds for limit orders, their replaces and cancels")
        sender = state.trading.of(peer)
        if sender.state is TradingState.VIEW and not (self.rehearses or pre_trade_checks.works_in_view(intent)):
            if peer not in state.trading.senders:
                return Refusal("STATE", f"{peer} has left: nothing was sent")
            return Refusal("STATE", "trading state is VIEW; arm first")
        if isinstance(intent, Place | Replace) and intent.hot and not self._is_hot(intent.decision.peer):
            return Refusal("STATE", "HOT has ended: one key sends nothing")
        refusal = self._check_decision(intent.decision) or self._check_expiry(intent) or self._check_press(intent)
        if refusal is not None:
            return refusal
        if isinstance(intent, CANCELS):
            if not state.logged_in:
                return Refusal("LINK", "no link; what works there stays live")
            return None
        return pre_trade_checks.check_link(connected=state.logged_in and state.links.is_proven(), synced=state.synced)

    def _check_expiry(self, intent: Intent) -> Refusal | None:
        """Check that a command of another process has not expired before it was sent; cancels never expire."""
        expires, now = intent.decision.expires, self._state.clock.mono()
        if not 0 < expires <= now or isinstance(intent, CANCELS):
            return None
        return Refusal("LATE", f"it expired {now - expires:.3g} s before it left: nothing was sent")

    def _check_press(self, intent: Intent) -> Refusal | None:
        """Check that the key press was no bounce: long enough after the same key, and after its target was shown."""
        press = intent.decision.press
        if press is None or isinstance(intent, CANCELS):
            return None
        again, stood = press.again_ms, press.stood_ms
        if again is not None and again < LEAST_REARM_MS and not self._is_hot(intent.decision.peer):
            least = f"accepted are {LEAST_REARM_MS} ms, or another key between"
            return Refusal("PRESS", f"{press.key} came {again} ms after the same key; {least}")
        if stood is not None and stood < LEAST_SHOWN_MS:
            text = f"what {press.key} sends stood on the screen for {stood} ms; accepted are {LEAST_SHOWN_MS} ms"
            return Refusal("PRESS", text)
        if press.moved_ms is not None and press.moved_ms < LEAST_BEHIND_MOVE_MS:
            behind = "a key that moved the focus or was refused"
            text = f"{press.key} came {press.moved_ms} ms behind {behind}; accepted are {LEAST_BEHIND_MOVE_MS} ms"
            return Refusal("PRESS", text)
        return None

    def _is_hot(self, peer: str) -> bool:
        sender = self._state.trading.of(peer)
        return sender.state is TradingState.HOT and self._state.clock.mono() < sender.hot_until

    def check_epoch(self, epoch: int) -> Refusal | None:
        """Check that the connection is still the one the intent was submitted on."""
        if epoch == self._state.epoch:
            return None
        return Refusal("LINK", "the connection was lost meanwhile; nothing is queued for later")

    def check_risk_mode(self, taken: str) -> Refusal | None:
        """Check that the risk mode allows intents that can raise risk; `taken` describes what is still accepted."""
        trading = self._state.trading
        return pre_trade_checks.check_risk_mode(trading.risk_mode, trading.risk_mode_reason, taken)

    def check_replace(self, row: OrderRow, *, smaller: bool) -> Refusal | None:
        """Check that the risk mode allows a replace: REDUCING only of a closing order or a smaller one, HALT none."""
        trading = self._state.trading
        closes = order_only_closes(row.sym, row.side, row.position_side, reduce_only=row.reduce_only)
        return pre_trade_checks.check_risk_mode_of_replace(
            trading.risk_mode, trading.risk_mode_reason, closes=closes, smaller=smaller
        )

    def check_clock(self) -> Refusal | None:
        """Check the clock difference to the service."""
        return pre_trade_checks.check_clock(self._state.links.skew_ms())

    def check_day_result(self) -> Refusal | None:
        """Check that the daily loss limit can be judged."""
        limits = self._state.settings.limits
        return pre_trade_checks.check_day_result(limits, is_whole=not limits.max_loss or self._state.day_is_whole())

    def _check_decision(self, decision: Decision) -> Refusal | None:
        state = self._state
        if decision.environment is not state.identity.environment:
            mine = state.identity.environment.value
            return Refusal("ENVIRONMENT", f"confirmed for {decision.environment.value}, but this desk is {mine}")
        if decision.portfolio != state.portfolio:
            return Refusal(
                "PORTFOLIO", f"confirmed for portfolio {decision.portfolio[:20]!r}, this is {state.portfolio}"
            )
        return None
