"""Form for the markup that a broker adds to the fees of sub portfolios."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from tui.engine.intents import AccountCommand
from tui.engine.service_query import query_endpoint
from tui.interface.decimals import BadDecimal, parse_typed, plain
from tui.interface.families.fees import BrokerFeeSchedule, ChangeType, SetSubFee
from tui.rules.fees import AddPoint, add_markup
from tui.workstation.commands.context import Context
from tui.workstation.features.fees.tabs import PORTFOLIOS, describe_rate, list_portfolios
from tui.workstation.model import number_format
from tui.workstation.widgets.forms.view import Choice, FieldSpec, Figure, FormSubject, FormView, choose_value
from tui.workstation.widgets.question import Option, Question

_VENUES = (Choice("BINANCE"), Choice("OKX"), Choice("EDX"))
_KINDS = (Choice("PERP", "perpetuals"), Choice("SPOT", "spot and margin"))
_WAYS = (Choice(ChangeType.ABSOLUTE, "basis points"), Choice(ChangeType.PERCENTAGE, "per cent of the rate"))
_ALL = Choice("", "all sub portfolios")
_POINT_PLACES, _RATIO_PLACES = 2, 4
_MAIN_RATES = query_endpoint("fee form/main", "broker_fee_rate")


class SubFeeForm(FormSubject):
    """Form that adds basis points or per cent to the fee rates of one sub portfolio, or of all."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._view = context.view

    def view(self, values: Mapping[str, str]) -> FormView:
        """Build the form view for the given field values."""
        fields = self._fields(values)
        refused = any(field.refused for field in fields)
        command = None if refused else self._command(values)
        return FormView(
            title="fees of sub portfolios", fields=fields, figures=self._figures(values) if not refused else (),
            notes=("takes effect at the next full hour, or at 00:00 UTC of the given day",),
            refusal="" if values.get("taker") or values.get("maker") else "type a taker or a maker markup",
            needs=(PORTFOLIOS, _MAIN_RATES),
            command=command, question=self._question(command) if command is not None else None,
        )  # fmt: skip

    def _fields(self, values: Mapping[str, str]) -> tuple[FieldSpec, ...]:
        typed = (
            ("taker", self._point_refusal(values, "taker"), "added to the taker rate"),
            ("maker", self._point_refusal(values, "maker"), "added to the maker rate; empty: unchanged"),
            (
                "rebate ratio",
                _ratio_refusal(values.get("rebate ratio", "")),
                "share of the markup paid back, 0 to 1",
            ),
            ("from", _day_refusal(values.get("from", "")), "yyyymmdd; empty: the next full hour"),
        )
        return (
            FieldSpec(name="portfolio", choices=self._portfolios()),
            FieldSpec(name="venue", choices=_VENUES),
            FieldSpec(name="kind", choices=_KINDS),
            FieldSpec(name="in", choices=_WAYS),
            *(FieldSpec(name=name, note=why or note, refused=bool(why)) for name, why, note in typed),
        )

    def _portfolios(self) -> tuple[Choice, ...]:
        subs = [row for row in list_portfolios(self._view) if str(row.belonging_to) != "0"]
        return (_ALL, *(Choice(str(row.portfolio_id), row.name) for row in subs))

    def _is_fixed(self, values: Mapping[str, str]) -> bool:
        return choose_value(values, "in", _WAYS) == ChangeType.ABSOLUTE

    def _point_refusal(self, values: Mapping[str, str], name: str) -> str:
        """Return why a markup is invalid, or an empty text."""
        text = values.get(name, "")
        if not text:
            return ""
        fixed = self._is_fixed(values)
        try:
            value = parse_typed(text)
        except BadDecimal as problem:
            return str(problem)
        places = _POINT_PLACES if fixed else 0
        accepted = f"at most {places} decimals" if places else "whole numbers"
        return "" if value == round(value, places) else f"accepted: {accepted}"

    def _figures(self, values: Mapping[str, str]) -> tuple[Figure, ...]:
        """Compute the fee rates before and after the markup, by those of the main portfolio."""
        answer = self._view.mirror.answers.get(_MAIN_RATES.key)
        wanted = (choose_value(values, "venue", _VENUES), choose_value(values, "kind", _KINDS))
        rows = [row for row in (answer.rows if answer is not None else ()) if isinstance(row, BrokerFeeSchedule)]
        base = next((row for row in rows if (row.exchange, row.inst_type) == wanted), None)
        if base is None:
            return ()
        fixed = self._is_fixed(values)
        figures = []
        for name, rate in (("taker", base.taker), ("maker", base.maker)):
            text, value = values.get(name, ""), number_format.value(rate)
            if text and value is not None:
                then = add_markup(value, AddPoint(fixed, Decimal(text)))
                figures.append(Figure(name=name, before=describe_rate(rate), after=describe_rate(plain(then))))
        return tuple(figures)

    def _command(self, values: Mapping[str, str]) -> AccountCommand:
        venue, kind = choose_value(values, "venue", _VENUES), choose_value(values, "kind", _KINDS)
        portfolio_id = choose_value(values, "portfolio", self._portfolios())
        portfolio = next(choice.shown for choice in self._portfolios() if choice.value == portfolio_id)
        unit = "bp" if self._is_fixed(values) else "%"
        points = " ".join(f"{name} +{values[name]}{unit}" for name in ("taker", "maker") if values.get(name))
        request = SetSubFee(
            portfolio_id=portfolio_id, exchange=venue, inst_type=kind, chg_type=choose_value(values, "in", _WAYS),
            chg_taker=values.get("taker", ""), chg_maker=values.get("maker", ""), eff_date=values.get("from", ""),
            markup_rebate_ratio=values.get("rebate ratio", ""),
        )  # fmt: skip
        title = f"fees of {portfolio} on {venue} {kind}: {points}"
        return self._context.command(request, title)

    def _question(self, command: AccountCommand) -> Question:
        return Question(kind="fee", title="Change the fees of sub portfolios", choices=(Option("set", command.title),))


def _ratio_refusal(text: str) -> str:
    if not text:
        return ""
    try:
        value = parse_typed(text)
    except BadDecimal as problem:
        return str(problem)
    return (
        "" if 0 <= value <= 1 and value == round(value, _RATIO_PLACES) else "accepted: 0 to 1 with at most 4 decimals"
    )


def _day_refusal(text: str) -> str:
    return (
        "" if not text or (len(text) == 8 and text.isascii() and text.isdigit()) else "accepted: a day such as 20261122"
    )
