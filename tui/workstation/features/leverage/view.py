"""What the form of a leverage shows for a typed value: figures before and after, range, and why it is refused."""

from __future__ import annotations

import math
from decimal import Decimal

import msgspec

from tui.engine.rows import SettingChange, SettingState, Table
from tui.interface.decimals import plain
from tui.workstation.features.leverage.forecast import LeverageForecast, LeverageRange, LeverageTarget, frozen_reason
from tui.workstation.model import number_format
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.widgets.forms.view import LOW_MMR

MOST_TIERS = 6
"""Tiers that are named."""


class Figure(msgspec.Struct, frozen=True):
    """One line of the form."""

    name: str
    before: str
    after: str
    low: bool = False
    """Whether the figure after the change is one to look at twice."""


class FormView(msgspec.Struct, frozen=True, kw_only=True):
    """All texts of the form."""

    title: str
    present: str
    range: str
    tiers: str
    figures: tuple[Figure, ...]
    change: str
    """How far a change is that is not settled, or an empty text."""
    refusal: str
    """Why the typed value is not sent, or an empty text."""
    wanted: int | None
    """The typed value, where it could be sent."""
    raises: bool
    """Whether it is larger than the present one, so that sending it asks."""


def form_view(target: LeverageTarget, typed: str, view: DisplayContext, not_armed: str = "") -> FormView:
    """The form as it stands now; `not_armed`: why nothing can be sent, or an empty text."""
    mirror = view.mirror
    present, allowed = target.present(mirror), target.range(mirror)
    wanted = int(typed) if typed else None
    found = target.forecast(mirror, wanted or whole(present) or 1)
    row = mirror.row(Table.SETTINGS, target.setting)
    change = change_words(row, view.now) if isinstance(row, SettingChange) else ""
    refusal = change or _refusal(target, wanted, present, allowed, found, view) or (not_armed if typed else "")
    return FormView(
        title=target.name,
        present=present or number_format.MISSING,
        range=f"1 to {allowed.most}" if isinstance(allowed, LeverageRange) else f"needs {allowed.text}",
        tiers=_tiers(allowed, view) if isinstance(allowed, LeverageRange) else "",
        figures=() if isinstance(found, Missing) else _figures(target, found, view),
        change=change,
        refusal=refusal,
        wanted=None if refusal else wanted,
        raises=wanted is not None and wanted > (whole(present) or 0),
    )


def whole(text: str) -> int | None:
    """A leverage as a number; None where it is not known."""
    value = number_format.value(text)
    return None if value is None else int(value)


def _refusal(
    target: LeverageTarget,
    wanted: int | None,
    present: str,
    allowed: LeverageRange | Missing,
    found: LeverageForecast | Missing,
    view: DisplayContext,
) -> str:
    """Why a value is not sent; the venue's own refusals are foreseen from the same arithmetic."""
    frozen = frozen_reason(view.mirror, target.exchange)
    if frozen:
        return frozen
    if not present:
        return "its present value is not read yet"
    if isinstance(allowed, Missing):
        return f"needs {allowed.text}"
    if wanted is None:
        return ""
    if not 1 <= wanted <= allowed.most:
        return f"{wanted} is not accepted; it is 1 to {allowed.most}"
    if wanted == whole(present):
        return f"it is {present} already"
    if isinstance(found, LeverageForecast) and not found.has_margin:
        return f"{wanted} needs {view.amount(found.after.frozen)} of margin; {view.amount(found.after.valid)} are there"
    return ""


def change_words(change: SettingChange, now: float) -> str:
    """How far a change is, and how long it can take to find out; `now`: monotonic, s."""
    step = f"{change.before} → {change.wanted}"
    if change.state is SettingState.SENDING:
        return f"{step} is being sent"
    if change.state is SettingState.ACCEPTED:
        return f"{step} accepted; it is being read back"
    left = math.ceil(change.proven_from - now)
    why = f"; the call can arrive for another {left} s" if left > 0 else ""
    return f"{step}: UNKNOWN whether it was carried out; it is being read back{why}"


def _tiers(allowed: LeverageRange, view: DisplayContext) -> str:
    parts = [f"{most} to {_bound(cap, view)}" for cap, most in allowed.tiers[:MOST_TIERS]]
    return " · ".join(parts) + (" · …" if len(allowed.tiers) > MOST_TIERS else "")


def _bound(cap: Decimal, view: DisplayContext) -> str:
    return number_format.grouped(plain(cap)) if view.settings.separators else plain(cap)


def _figures(target: LeverageTarget, found: LeverageForecast, view: DisplayContext) -> tuple[Figure, ...]:
    before, after, perp = found.before, found.after, bool(target.sym)
    held, needed = (before.perp_margin, after.perp_margin) if perp else (before.debt_margin, after.debt_margin)
    low = after.uni_mmr is not None and after.uni_mmr < LOW_MMR
    figures = (
        Figure("margin", view.amount(held), view.amount(needed)),
        Figure("free margin", view.amount(before.available), view.amount(after.available), after.available < 0),
        Figure("uniMMR", _ratio(before.uni_mmr), _ratio(after.uni_mmr), low),
    )
    if not perp:
        return figures
    return (*figures, Figure("liq price", *_prices(target.sym, found, view)))


def _prices(sym: str, found: LeverageForecast, view: DisplayContext) -> tuple[str, str]:
    before, after = (
        number_format.NONE if one is None else view.price_of(sym, one) for one in (found.liq_before, found.liq_after)
    )
    return before, after


def _ratio(value: Decimal | None) -> str:
    return number_format.NONE if value is None else number_format.decimal_figure(value, 2)
