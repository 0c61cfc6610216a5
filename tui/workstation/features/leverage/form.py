"""Leverage form: limits, values before and after, and why a value is refused."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import ClassVar

from tui.engine.rows import SettingChange, Table
from tui.interface.decimals import plain
from tui.workstation.commands.context import Context
from tui.workstation.features.leverage.forecast import (
    LeverageForecast,
    LeverageRange,
    LeverageTarget,
    describe_change,
    frozen_reason,
)
from tui.workstation.model import number_format
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.widgets.forms.account_figures import compare_accounts
from tui.workstation.widgets.forms.view import FieldKind, FieldSpec, Figure, FormSubject, FormView
from tui.workstation.widgets.question import Option, Question

_VALUE = "leverage"
MOST_DIGITS = 4
MOST_TIERS = 6
"""Most tiers listed."""


class LeverageForm(FormSubject):
    """Form that sets the leverage of a pair or of a coin's debt; an increase must be confirmed."""

    cells: ClassVar[int] = 62

    def __init__(self, target: LeverageTarget, context: Context) -> None:
        self._target = target
        self._context = context

    def view(self, values: Mapping[str, str]) -> FormView:
        view, target = self._context.view, self._target
        present, allowed = target.present(view.mirror), target.range(view.mirror)
        text, now = values.get(_VALUE, ""), _whole(present)
        wanted = int(text) if text and len(text) <= MOST_DIGITS else None
        forecast = target.forecast(view.mirror, wanted or now or 1)
        figures = () if isinstance(forecast, Missing) else _figures(target, forecast, view)
        refusal = self._refusal(present, allowed)
        value_refusal = "" if refusal or not text else self._judge(text, wanted, present, allowed, forecast)
        bounds = f"1 to {allowed.most}" if isinstance(allowed, LeverageRange) else f"needs {allowed.text}"
        note = value_refusal or f"now {present or number_format.MISSING}; {bounds}"
        raises = wanted is not None and wanted > (now or 0)
        return FormView(
            title=target.name,
            fields=(
                FieldSpec(
                    name=_VALUE,
                    kind=FieldKind.COUNT,
                    now=now or 0,
                    note=note,
                    required=not refusal,
                    refused=bool(value_refusal),
                ),
            ),
            figures=figures,
            notes=_tiers(allowed, view) if isinstance(allowed, LeverageRange) else (),
            refusal=refusal,
            command=None if wanted is None else target.intent(self._context.build_decision(), wanted, present),
            question=self._question(f"{present} → {text}", figures) if raises else None,
        )

    def _refusal(self, present: str, allowed: LeverageRange | Missing) -> str:
        """Return why no leverage can be sent at all, or an empty text."""
        view, target = self._context.view, self._target
        change = view.mirror.row(Table.SETTINGS, target.setting)
        if isinstance(change, SettingChange):
            return describe_change(change, view.now)
        if frozen := frozen_reason(view.mirror, target.exchange):
            return frozen
        if not present:
            return "its current value is not read yet"
        return f"needs {allowed.text}" if isinstance(allowed, Missing) else ""

    def _judge(
        self,
        text: str,
        wanted: int | None,
        present: str,
        allowed: LeverageRange | Missing,
        forecast: LeverageForecast | Missing,
    ) -> str:
        """Return why a typed leverage would be refused by the venue; empty if it would be accepted."""
        most = allowed.most if isinstance(allowed, LeverageRange) else 0
        if wanted is None or not 1 <= wanted <= most:
            return f"{text} is not accepted; type 1 to {most}"
        if wanted == _whole(present):
            return f"it is {present} already"
        if isinstance(forecast, LeverageForecast) and not forecast.has_margin:
            needed, held = (
                self._context.view.amount(margin) for margin in (forecast.after.frozen, forecast.after.valid)
            )
            return f"{wanted} needs {needed} of margin; {held} is available"
        return ""

    def _question(self, change: str, figures: tuple[Figure, ...]) -> Question:
        changes = "; ".join(f"{figure.name} {figure.before} → {figure.after}" for figure in figures[:2])
        return Question(
            kind="leverage",
            title=f"Raise the {self._target.name} of {self._context.portfolio_text}",
            choices=(Option("set", f"{change}{': ' if changes else ''}{changes}"),),
            notes=("the same margin then carries a larger position",),
        )


def _whole(text: str) -> int | None:
    """Return a leverage text as an integer; None if it cannot be parsed."""
    value = number_format.value(text)
    return None if value is None else int(value)


def _tiers(allowed: LeverageRange, view: DisplayContext) -> tuple[str, ...]:
    parts = [f"{most} to {_format_cap(cap, view)}" for cap, most in allowed.tiers[:MOST_TIERS]]
    more = ["…"] if len(allowed.tiers) > MOST_TIERS else []
    return (f"tiers {' · '.join([*parts, *more])}",) if parts else ()


def _format_cap(cap: Decimal, view: DisplayContext) -> str:
    return number_format.group_thousands(plain(cap)) if view.settings.separators else plain(cap)


def _figures(target: LeverageTarget, forecast: LeverageForecast, view: DisplayContext) -> tuple[Figure, ...]:
    before, after, perp = forecast.before, forecast.after, bool(target.sym)
    held, needed = (before.perp_margin, after.perp_margin) if perp else (before.debt_margin, after.debt_margin)
    figures = (
        Figure(name="margin", before=view.amount(held), after=view.amount(needed)),
        *compare_accounts(before, after, view),
    )
    if not perp:
        return figures
    before_text, after_text = (
        number_format.NONE if price is None else view.price_of(target.sym, price)
        for price in (forecast.liq_before, forecast.liq_after)
    )
    return (*figures, Figure(name="liq price", before=before_text, after=after_text))
