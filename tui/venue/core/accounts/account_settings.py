"""Account settings: position mode of a venue, leverage of a perpetual, leverage of margin debt in a coin."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from tui.interface.decimals import ZERO, plain
from tui.interface.families.orders import Name
from tui.interface.families.positions import PositionMode, SetLeverage, SetMarginLeverage, SetPositionMode
from tui.rules import account
from tui.rules.margin import highest_leverage
from tui.rules.preview import has_margin
from tui.venue.core.accounts import account_figures, lending
from tui.venue.core.accounts.loan_terms import LOANS
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Done, Handlers
from tui.venue.core.market.symbols import VENUES, Pair
from tui.venue.core.state import risk_ladder
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.positions import LEGS, ONE_WAY

LeverageKey = TypeVar("LeverageKey", bound=tuple[str, ...])

FROZEN = "settings cannot be changed"
"""What follows for settings from a liquidation, in the message of a refusal."""
_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")


def set_position_mode(state: State, command: SetPositionMode) -> Done:
    """Set one-way or hedge mode; a change is refused while the venue has open derivative positions or orders.

    Raises:
        CheckFailed: Not accepted; nothing changed.
    """
    portfolio, venue, mode = command.portfolio, command.exchange_type, command.position_mode
    if venue not in VENUES:
        raise CheckFailed(401023, f"{Name.EXCHANGE_TYPE} {venue[:40]!r} is not accepted; it takes {', '.join(VENUES)}")
    if mode not in tuple(PositionMode):
        raise CheckFailed(
            400000, f"{Name.POSITION_MODE} {mode[:40]!r} is not accepted; it takes {', '.join(PositionMode)}"
        )
    check_has_account(state, portfolio, venue)
    if mode == state.mode(portfolio, venue):
        return Done()
    check_not_liquidated(state, portfolio, venue, FROZEN)
    held = sum(1 for owner, sym, _ in state.positions if owner == portfolio and state.pairs[sym].exchange == venue)
    waiting = sum(1 for order in state.open_on(portfolio, venue) if state.pairs[order.sym].is_perp)
    perps = [pair.sym for pair in state.pairs.values() if pair.is_perp and pair.exchange == venue]
    waiting += len(state.algos.of(portfolio, perps))
    if held or waiting:
        raise CheckFailed(
            406012,
            f"{Name.POSITION_MODE} {mode} on {venue} is refused with {held} open positions and {waiting} open orders "
            "of derivatives; close and cancel them first",
        )
    state.modes[(portfolio, venue)] = mode
    state.changes.dirty("mode", f"{portfolio}|{venue}")
    state.changes.stale[(portfolio, venue)] = None
    return Done()


def set_leverage(state: State, command: SetLeverage) -> Done:
    """Set the leverage of a perpetual; it applies at once to both legs and to open orders.

    Raises:
        CheckFailed: Not accepted; nothing changed.
    """
    portfolio, pair = command.portfolio, state.pairs.get(command.sym)
    if pair is None or not pair.is_perp or pair.sym not in state.offered:
        raise CheckFailed(401011, f"sym {command.sym[:64]!r} is not a perpetual of this venue")
    if not _WHOLE_NUMBER.fullmatch(command.leverage):
        raise CheckFailed(
            400000, f"leverage {command.leverage[:40]!r} is not accepted; it must be a whole number such as 5"
        )
    check_has_account(state, portfolio, pair.exchange)
    wanted, most = int(command.leverage), _highest_leverage(state, portfolio, pair)
    if not 1 <= wanted <= most:
        raise CheckFailed(401908, f"leverage {wanted} is not accepted on {pair.sym}; it must be 1 to {most}")
    before = state.leverage(portfolio, pair)
    if wanted == before:
        return Done()
    check_not_liquidated(state, portfolio, pair.exchange, FROZEN)
    missing = _change_leverage(
        state.leverages,
        (portfolio, pair.sym),
        wanted,
        lambda: account_figures.compute_figures(state, portfolio, pair.exchange),
    )
    if missing is not None:
        raise CheckFailed(
            401920,
            f"leverage {wanted} on {pair.sym} needs {plain(missing.perp_margin)} of margin; "
            f"{plain(missing.valid)} is available for all of {pair.exchange}",
        )
    state.changes.dirty("leverage", f"{portfolio}|{pair.sym}")
    state.changes.stale[(portfolio, pair.exchange)] = None
    for order in state.open_on(portfolio, pair.exchange):
        if order.sym == pair.sym:
            order.leverage = wanted
            state.publish_order(order)
    return Done()


def set_margin_leverage(state: State, command: SetMarginLeverage) -> Done:
    """Set the leverage of margin debt in a coin.

    Raises:
        CheckFailed: Not accepted; nothing changed.
    """
    portfolio, venue, coin = command.portfolio, command.exchange_type, command.coin
    if venue not in VENUES:
        raise CheckFailed(401023, f"{Name.EXCHANGE_TYPE} {venue[:40]!r} is not accepted; it takes {', '.join(VENUES)}")
    loan = LOANS.get((venue, coin))
    if loan is None:
        raise CheckFailed(406014, f"coin {coin[:40]!r} cannot be borrowed on {venue}")
    if not _WHOLE_NUMBER.fullmatch(command.leverage):
        raise CheckFailed(
            400000, f"leverage {command.leverage[:40]!r} is not accepted; it must be a whole number such as 3"
        )
    check_has_account(state, portfolio, venue)
    wanted = int(command.leverage)
    if not 1 <= wanted <= loan.max_leverage:
        raise CheckFailed(401908, f"leverage {wanted} is not accepted for {coin}; it must be 1 to {loan.max_leverage}")
    if wanted == lending.leverage(state, portfolio, loan):
        return Done()
    check_not_liquidated(state, portfolio, venue, FROZEN)
    key = (portfolio, venue, coin)
    missing = _change_leverage(
        state.margin_leverages,
        key,
        wanted,
        lambda: account_figures.compute_figures(state, portfolio, venue),
    )
    if missing is not None:
        raise CheckFailed(
            401920,
            f"leverage {wanted} of {coin} needs {plain(missing.frozen)} of margin; "
            f"{plain(missing.valid)} is available for all of {venue}",
        )
    state.changes.dirty("margin_leverage", "|".join(key))
    state.changes.stale[(portfolio, venue)] = None
    return Done()


def _change_leverage(
    leverages: dict[LeverageKey, int],
    key: LeverageKey,
    wanted: int,
    figures: Callable[[], account.AccountFigures],
) -> account.AccountFigures | None:
    """Set a leverage and return None; with too little margin, restore the old one and return the figures it would give."""
    former = leverages.get(key)
    before = figures()
    leverages[key] = wanted
    after = figures()
    if has_margin(before, after):
        return None
    if former is None:
        del leverages[key]
    else:
        leverages[key] = former
    return after


def _highest_leverage(state: State, portfolio: str, pair: Pair) -> int:
    """Return the largest allowed leverage: that of the larger leg's margin tier; without a position that of the first."""
    largest = max((abs(state.position_lots(portfolio, pair.sym, leg)) for leg in (ONE_WAY, *LEGS)), default=0)
    value = pair.base_qty(largest) * state.marks.mark[pair.sym] if largest else ZERO
    return highest_leverage(pair.tiers, value)


def check_has_account(state: State, portfolio: str, venue: str) -> None:
    """Check that the portfolio has an account on the venue (check 12 of a placement)."""
    if venue not in state.venues(portfolio):
        raise CheckFailed(401911, f"the portfolio has no account on {venue}")


def check_not_liquidated(state: State, portfolio: str, venue: str, so: str = "the venue is closing it") -> None:
    """Check that the account is not being liquidated (first half of check 13 of a placement).

    Args:
        state: State of the venue.
        portfolio: Portfolio.
        venue: Venue of the account.
        so: What follows from it, for the message.

    Raises:
        CheckFailed: 401910.
    """
    shown = state.published.accounts.get((portfolio, venue))
    if shown is not None and shown.account_status in risk_ladder.LIQUIDATED:
        raise CheckFailed(401910, f"the {venue} account is in {shown.account_status}; {so}")


HANDLERS: Handlers = {
    SetPositionMode: set_position_mode,
    SetLeverage: set_leverage,
    SetMarginLeverage: set_margin_leverage,
}
