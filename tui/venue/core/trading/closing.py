"""Closing of positions at market: one, several or all, by a reduce-only order of the position's size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tui.interface.families.orders import CancelType, Name, Origin, PositionSide, TimeInForce
from tui.interface.families.positions import CloseOutcome, ClosePosition, ClosePositions, Closing, PositionMode
from tui.venue.core.accounts import account_settings
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Command, Reply
from tui.venue.core.market.symbols import VENUES, Pair
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.orders import Order
from tui.venue.core.state.positions import LEGS, ONE_WAY, Position
from tui.venue.core.trading import field_checks, matching, order_checks
from tui.venue.core.trading.pending_changes import PendingChanges

MAX_PAIRS = 20
MAX_REDUCE_ONLY = 100
"""Most open reduce-only orders that one call may cancel."""

NO_POSITION = 401097
TOO_MANY = 401129


class PositionCloser:
    """Closer of positions: executes the closing commands."""

    def __init__(self, state: State, pending_changes: PendingChanges) -> None:
        self._state = state
        self._pending_changes = pending_changes

    def handlers(self) -> dict[type[Command], Callable[[Any], Reply]]:
        """Map each command class to its handler."""
        return {ClosePosition: self.close, ClosePositions: self.close_several}

    def close(self, command: ClosePosition) -> Closing:
        """Close one position; its open reduce-only orders are cancelled first.

        Raises:
            CheckFailed: Not accepted; nothing changed.
        """
        portfolio, pair = command.portfolio, self._find_perpetual(command.sym)
        field_checks.check_leg_word(command.position_side)
        leg = order_checks.leg_of(self._state, pair, portfolio, command.position_side)
        if leg == ONE_WAY and self._is_hedged(portfolio, pair):
            raise CheckFailed(
                401905,
                f"{Name.POSITION_SIDE} is required in hedge mode on {pair.exchange}; it takes {', '.join(LEGS)}",
            )
        position = self._state.positions.get((portfolio, pair.sym, leg))
        if position is None:
            raise CheckFailed(NO_POSITION, _nothing_to_close(pair, leg))
        account_settings.check_not_liquidated(self._state, portfolio, pair.exchange)
        self._check_order_count([position])
        return Closing(order_id=self._send_close(position).id)

    def close_several(self, command: ClosePositions) -> tuple[CloseOutcome, ...]:
        """Close the positions of up to 20 pairs, or all; return one outcome per position, in the order of the request.

        Raises:
            CheckFailed: Not accepted; nothing changed.
        """
        field_checks.check_leg_word(command.position_side)
        close_all = command.close_all_pos.lower()
        if close_all not in ("", "true", "false"):
            raise CheckFailed(
                400000, f"{Name.CLOSE_ALL_POS} {command.close_all_pos[:40]!r} is not accepted; it takes true and false"
            )
        positions_by_pair = self._all_positions(command) if close_all == "true" else self._find_positions(command)
        self._check_order_count([position for _, positions in positions_by_pair for position in positions])
        outcomes: list[CloseOutcome] = []
        for pair, positions in positions_by_pair:
            outcomes += [self._close_leg(position) for position in positions] or [_not_closed(pair, ONE_WAY)]
        return tuple(outcomes)

    def _close_leg(self, position: Position) -> CloseOutcome:
        """Close one of several positions; an earlier close may already have reduced it to 0."""
        pair, leg = self._state.pairs[position.sym], position.leg
        now = self._state.positions.get((position.portfolio, position.sym, leg))
        if now is None:
            return _not_closed(pair, leg)
        try:
            account_settings.check_not_liquidated(self._state, position.portfolio, pair.exchange)
        except CheckFailed as failure:
            return CloseOutcome(sym=pair.sym, position_side=leg, success="false", error_msg=failure.action_msg)
        order = self._send_close(now)
        return CloseOutcome(sym=pair.sym, position_side=leg, order_id=order.id, success="true", error_msg="")

    def _find_positions(self, command: ClosePositions) -> list[tuple[Pair, list[Position]]]:
        names = [name.strip() for name in command.sym_list.split(",") if name.strip()]
        if not names:
            raise CheckFailed(400009, f"{Name.SYM_LIST} is required unless {Name.CLOSE_ALL_POS} is true")
        if len(names) > MAX_PAIRS:
            raise CheckFailed(TOO_MANY, f"{Name.SYM_LIST} has {len(names)} pairs; at most {MAX_PAIRS} are accepted")
        pairs = [self._find_perpetual(name) for name in dict.fromkeys(names)]
        return [(pair, self._positions_of(command, pair)) for pair in pairs]

    def _all_positions(self, command: ClosePositions) -> list[tuple[Pair, list[Position]]]:
        venue = command.exchange_type
        if venue and venue not in VENUES:
            raise CheckFailed(
                401023, f"{Name.EXCHANGE_TYPE} {venue[:40]!r} is not accepted; it takes {', '.join(VENUES)}"
            )
        held = {sym: None for owner, sym, _ in self._state.positions if owner == command.portfolio}
        pairs = [self._state.pairs[sym] for sym in sorted(held)]
        positions_by_pair = [
            (pair, self._positions_of(command, pair)) for pair in pairs if venue in ("", pair.exchange)
        ]
        return [(pair, positions) for pair, positions in positions_by_pair if positions]

    def _positions_of(self, command: ClosePositions, pair: Pair) -> list[Position]:
        """List the positions that a close request selects on a pair, in hedge mode the long leg first."""
        side = command.position_side or PositionSide.NONE
        legs: tuple[str, ...] = (ONE_WAY,)
        if self._is_hedged(command.portfolio, pair):
            if side == PositionSide.NONE and self._state.switches["none_in_both_mode"] == "refuse":
                raise CheckFailed(
                    401905,
                    f"{Name.POSITION_SIDE} NONE is not accepted in hedge mode; it takes {', '.join(LEGS)}",
                )
            legs = LEGS if side == PositionSide.NONE else (side,)
        positions = [self._state.positions.get((command.portfolio, pair.sym, leg)) for leg in legs]
        return [position for position in positions if position is not None]

    def _find_perpetual(self, sym: str) -> Pair:
        pair = self._state.pairs.get(sym)
        if not sym:
            raise CheckFailed(400009, "sym is required")
        if pair is None or not pair.is_perp or sym not in self._state.offered:
            raise CheckFailed(401011, f"sym {sym[:64]!r} is not a perpetual of this venue")
        order_checks.check_trades(self._state, sym)
        return pair

    def _is_hedged(self, portfolio: str, pair: Pair) -> bool:
        return self._state.mode(portfolio, pair.exchange) == PositionMode.BOTH

    def _reduce_only_orders(self, position: Position) -> list[Order]:
        """List the open reduce-only orders that a close cancels: of the whole pair, or, by a switch, of the leg alone."""
        leg_only = self._state.switches["reduce_only_scope"] == "leg"
        return [
            order
            for order in self._state.open.get(position.portfolio, {}).values()
            if order.sym == position.sym and order.reduce_only and not (leg_only and order.leg != position.leg)
        ]

    def make_room(self, order: Order) -> None:
        """Cancel older reduce-only orders, if a switch says so, until the others and the new one fit into the position."""
        state = self._state
        if not order.reduce_only or state.switches["reduce_only_excess"] != "cancel_others":
            return
        others = [
            other
            for other in state.open.get(order.portfolio, {}).values()
            if other.reduce_only and (other.sym, other.leg, other.is_buy) == (order.sym, order.leg, order.is_buy)
        ]
        waiting, room = sum(other.left for other in others), state.reducible(order)
        for other in others:
            if waiting + order.lots <= room:
                break
            waiting -= other.left
            self._pending_changes.end_now(other, CancelType.REDUCE_ONLY, matching.REDUCES_NOTHING)

    def _check_order_count(self, positions: list[Position]) -> None:
        count = len({order.id for position in positions for order in self._reduce_only_orders(position)})
        if count > MAX_REDUCE_ONLY:
            raise CheckFailed(
                TOO_MANY,
                f"{count} reduce-only orders are open there; at most {MAX_REDUCE_ONLY}: cancel some and send it again",
            )

    def _send_close(self, position: Position) -> Order:
        """Send the order that closes the whole position."""
        state = self._state
        for order in self._reduce_only_orders(position):
            self._pending_changes.end_now(order, CancelType.REDUCE_ONLY, matching.REDUCES_NOTHING)
        closing = order_to_zero(state, position)
        matching.start_order(state, closing)
        return closing


def _not_closed(pair: Pair, leg: str) -> CloseOutcome:
    text = f"{NO_POSITION} {_nothing_to_close(pair, leg)}"
    return CloseOutcome(sym=pair.sym, position_side=leg, success="false", error_msg=text)


def _nothing_to_close(pair: Pair, leg: str) -> str:
    which = "position" if leg == ONE_WAY else f"{leg} leg"
    return f"the {which} on {pair.sym} is 0; there is nothing to close"


def order_to_zero(state: State, position: Position, origin: Origin = Origin.DMA) -> Order:
    """Build a reduce-only market order for the whole position."""
    return Order(
        id="",
        client_id="",
        portfolio=position.portfolio,
        sym=position.sym,
        is_buy=position.lots < 0,
        is_market=True,
        tif=TimeInForce.IOC,
        lots=abs(position.lots),
        ticks=0,
        reduce_only=True,
        leg=position.leg,
        leverage=state.leverage(position.portfolio, state.pairs[position.sym]),
        origin=origin,
    )
