"""Control of the trading state (VIEW, ARMED, HOT), the risk mode and the kill switch."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from tui.engine.doer_names import by_whom
from tui.engine.event_line import Level
from tui.engine.limits import Limits
from tui.engine.modes import BY_YOU, MOST_HOT_S, OWN_SCREEN, RiskMode, TradingState
from tui.engine.orders.risk_mode import RiskModes
from tui.engine.peers.mandates import Mandates
from tui.engine.state.engine_state import EngineState, SenderState

_MAY = {"watch": "to read", "propose": "to read and propose", "desk": "to trade"}
"""What a peer came for, by its role."""
MOST_VISITS, VISITS_S = 30, 60.0
"""Most lines about peers that came or left within so many seconds."""
_STATES = {TradingState.VIEW: "Disarmed", TradingState.ARMED: "Armed"}


class TradingControl:
    """Switch of trading states and risk mode; each change is notified, journaled and published at once.

    Each sender has a trading state of its own: the screen of this process, and every peer by its name.
    """

    def __init__(self, state: EngineState, modes: RiskModes, mandates: Mandates, changed: Callable[[], None]) -> None:
        self._state = state
        self._modes = modes
        self._mandates = mandates
        self._changed = changed
        self._visits_since, self._told, self._untold = float("-inf"), 0, 0
        """Beginning of the present minute of visits, and how many of them were told and not told."""

    def attach_peer(self, peer: str, role: str) -> None:
        """Register a peer that has attached, with the trading state VIEW."""
        since = int(self._state.clock.wall() * 1000)
        self._state.trading.senders[peer] = SenderState(role=role, since_ms=since)
        self._tell_visit(f"{peer} attached, {_MAY.get(role, role)}")
        self._changed()

    def detach_peer(self, peer: str) -> None:
        """Forget the trading state of a peer that is gone; its mandate ends."""
        self._mandates.leave(peer, "the program left")
        if self._state.trading.senders.pop(peer, None) is not None:
            self._tell_visit(f"{peer} left")
            self._changed()

    def _tell_visit(self, text: str) -> None:
        """Notify that a peer came or left, at most `MOST_VISITS` times per `VISITS_S`; further ones are counted."""
        now = self._state.clock.mono()
        if now - self._visits_since >= VISITS_S:
            if self._untold:
                self._state.notify(Level.INFO, f"programs and desks came or left {self._untold} times more", away=False)
            self._visits_since, self._told, self._untold = now, 0, 0
        if self._told >= MOST_VISITS:
            self._untold += 1
            return
        self._told += 1
        self._state.notify(Level.INFO, text, away=False)

    def set_trading_state(self, wanted: TradingState, why: str, peer: str = OWN_SCREEN) -> None:
        """Set the trading state of a sender; a read-only desk cannot be armed, and VIEW ends a program's mandate."""
        state, sender = self._state, self._state.trading.of(peer)
        if wanted is TradingState.ARMED and state.trading.read_only:
            state.notify_of(peer, Level.WARN, f"cannot arm: {state.trading.read_only}", answers=True)
            return
        if wanted is not sender.state:
            sender.state, sender.hot_until = wanted, 0.0
            self._journal_state(wanted, why, peer)
            if not sender.is_program:  # of a program the line about its mandate says it
                state.notify_of(peer, Level.INFO, f"{_STATES[wanted]} ({why})", answers=True)
            if wanted is TradingState.VIEW and self._mandates.find(peer) is not None:
                sender.role = "propose"
                self._mandates.end(peer, why)
        self._changed()

    def _journal_state(self, entered: TradingState, why: str, peer: str) -> None:
        """Journal the state that a sender has entered; without a name for the screen of this process."""
        self._state.write_journal("state", {"state": entered.value, "why": why, **({"peer": peer} if peer else {})})

    def grant(self, key: str, by: str = OWN_SCREEN) -> None:
        """Grant the mandate request with this number and arm its program; refused while the desk is read-only."""
        state = self._state
        if state.trading.read_only:
            state.notify(Level.WARN, f"mandate {key} not granted: {state.trading.read_only}")
            return
        if peer := self._mandates.grant(key, by):
            state.trading.of(peer).role = "trade"
            self.set_trading_state(TradingState.ARMED, f"mandate {key} granted by {by or 'the trader'}", peer)

    def revoke(self, key: str = "", by: str = OWN_SCREEN) -> None:
        """End the mandate with this number, or all if empty; their orders are cancelled unless they only reduce."""
        holders = self._mandates.list_holders(key)
        if not holders:
            self._state.notify(Level.INFO, f"no mandate{f' {key}' if key else ''} to revoke", away=False)
        for peer in holders:
            self.disarm(f"mandate revoked by {by or 'the trader'}", peer)

    def check_mandates(self) -> None:
        """End mandates whose time is over or whose loss is reached."""
        for peer, why in self._mandates.tick():
            self.disarm(why, peer)

    def enter_hot(self, seconds: float, peer: str = OWN_SCREEN) -> None:
        """Enter HOT for a time; refused from any state but ARMED, without a connection, and for too long a time."""
        state, sender = self._state, self._state.trading.of(peer)
        why = self._hot_block(seconds, sender)
        if why:
            state.notify_of(peer, Level.WARN, f"not HOT: {why}", answers=True)
            return
        sender.hot_epoch, sender.hot_mode = state.epoch, state.trading.risk_mode
        sender.state = TradingState.HOT
        sender.hot_until = state.clock.mono() + seconds
        why = f"{BY_YOU}, for {seconds:g} s"
        self._journal_state(TradingState.HOT, why, peer)
        text = f"HOT for {seconds:g} s: one key sends; Esc twice or :view ends it"
        state.notify_of(peer, Level.WARN, text, answers=True)
        self._changed()

    def _hot_block(self, seconds: float, sender: SenderState) -> str:
        """Return why HOT cannot begin, or an empty text."""
        if sender.state is not TradingState.ARMED:
            return f"the trading state is {sender.state.value}; it begins from ARMED"
        if not 0 < seconds <= MOST_HOT_S:
            return f"{seconds:g} s asked for; accepted are up to {MOST_HOT_S:g} s"
        return "" if self._is_connected() else "not connected"

    def _is_connected(self) -> bool:
        return self._state.logged_in and self._state.links.is_proven()

    def end_hot(self, why: str, peer: str = OWN_SCREEN) -> None:
        """Return from HOT to ARMED; no effect in other states."""
        if self._state.trading.of(peer).state is TradingState.HOT:
            self.set_trading_state(TradingState.ARMED, f"HOT ended: {why}", peer)

    def check_hot(self) -> None:
        """End HOT when it has expired, the connection was lost, or the risk mode changed."""
        for peer, sender in self._state.trading.senders.items():
            if sender.state is TradingState.HOT and (why := self._why_hot_ends(sender)):
                self.end_hot(why, peer)

    def _why_hot_ends(self, sender: SenderState) -> str:
        state = self._state
        if state.clock.mono() >= sender.hot_until:
            return "it has expired"
        if not self._is_connected() or state.epoch != sender.hot_epoch:
            return "the connection was lost"
        if state.trading.risk_mode is not sender.hot_mode:
            return f"the risk mode changed to {state.trading.risk_mode.value}"
        return ""

    def set_risk_mode(self, mode: RiskMode, why: str) -> None:
        """Enter a stricter risk mode, or return to NORMAL unless a limit is still breached."""
        if mode is RiskMode.NORMAL:
            self._modes.resume(why)
        else:
            self._modes.enter(mode, why, lasts=True)
        self._changed()

    def set_limits(self, limits: Limits, what: str) -> None:
        """Replace the limits; refused unless all senders are in VIEW, as orders may be under way by the old limits."""
        state = self._state
        if any(sender.state is not TradingState.VIEW for sender in state.trading.senders.values()):
            state.notify(Level.WARN, "limits change in VIEW only: disarm first", answers=True)
            return
        state.settings = msgspec.structs.replace(state.settings, limits=limits)
        state.write_journal("limits", {"change": what, "limits": msgspec.to_builtins(limits)})
        state.notify(Level.INFO, what, answers=True)
        self._changed()

    def disarm(self, why: str, peer: str = OWN_SCREEN) -> None:
        """Disarm a sender: set the state VIEW, in which only the kill prompt can send."""
        self.set_trading_state(TradingState.VIEW, why, peer)

    def kill(self, reason: str = "kill switch", peer: str = OWN_SCREEN) -> None:
        """Disarm every sender and set the risk mode HALT for a reason such as `kill switch`, named with its sender."""
        self._state.trading.kills += 1
        self._state.trading.killed_by = by_whom(peer)
        reason = f"{reason} {by_whom(peer)}"
        for peer in self._state.trading.senders:
            self.disarm(reason, peer)
        self.set_risk_mode(RiskMode.HALT, reason)
