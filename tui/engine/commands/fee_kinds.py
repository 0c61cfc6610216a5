"""Fee commands for sub portfolios; the service shows a changed fee from the next full hour on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal

from tui.client.call_expiry import EXPIRED_S
from tui.engine.commands.proofs import AccountCommandKind, Finding, TwoStepProof, never
from tui.engine.rows import AccountCommandRow, CommandState
from tui.interface.decimals import optional, plain
from tui.interface.families.fees import BrokerFeeSchedule, ChangeType, FeeQuery, SetSubFee
from tui.interface.families.portfolios import BelongingTo, PortfolioRecord
from tui.interface.request import arguments_of, read_arguments
from tui.rules.fees import AddPoint, add_markup

HOUR_MS = 3_600_000
CLOCKS_MS = 5_000
"""Allowance for the service's clock running behind, ms."""
MOST_PORTFOLIOS = 19
"""Most sub portfolios in one query beside the main portfolio; the change is the same for each."""
_EXACT = Decimal("0.00000001")


def _read_request(row: AccountCommandRow) -> SetSubFee:
    return read_arguments(SetSubFee, dict(row.args))


def in_force_from(row: AccountCommandRow) -> int:
    """Return the server time, in ms, from which the fee schedules must show the change, however late the request arrived."""
    arrived = row.sent_ms + int(EXPIRED_S * 1000)
    next_hour = (arrived // HOUR_MS + 1) * HOUR_MS
    day = _read_request(row).eff_date
    try:
        begin = int(datetime.strptime(day, "%Y%m%d").replace(tzinfo=UTC).timestamp() * 1000)
    except ValueError:
        begin = 0
    return max(begin, next_hour) + CLOCKS_MS


def _portfolios(row: AccountCommandRow, listed: object) -> tuple[list[str], list[str]]:
    """Return the ids of the main portfolios and of the sub portfolios that a fee change applies to."""
    portfolios = (
        [portfolio for portfolio in listed if isinstance(portfolio, PortfolioRecord)]
        if isinstance(listed, list)
        else []
    )
    wanted = _read_request(row).portfolio_id
    main = [str(portfolio.portfolio_id) for portfolio in portfolios if portfolio.belonging_to == BelongingTo.MAIN]
    subs = [str(portfolio.portfolio_id) for portfolio in portfolios if portfolio.belonging_to != BelongingTo.MAIN]
    return main, [name for name in subs if wanted in ("", name)][:MOST_PORTFOLIOS]


def _schedules_of(row: AccountCommandRow, listed: object) -> Mapping[str, str]:
    main, subs = _portfolios(row, listed)
    return arguments_of(FeeQuery(portfolios=",".join([*main, *subs])))


def _judge(row: AccountCommandRow, data: object) -> Finding | None:
    """Judge a fee change by the fees in force: DONE if all sub portfolios have the main rates plus the add-on."""
    asked = _read_request(row)
    where = (asked.exchange, asked.inst_type)
    listed, answer = data if isinstance(data, tuple) else ((), ())
    schedules: Sequence[object] = answer if isinstance(answer, list) else ()
    matching = [
        schedule
        for schedule in schedules
        if isinstance(schedule, BrokerFeeSchedule) and (schedule.exchange, schedule.inst_type) == where
    ]
    main, names = _portfolios(row, listed)
    base = next((schedule for schedule in matching if schedule.portfolio_id in main), None)
    subs = [schedule for schedule in matching if schedule.portfolio_id in names]
    if base is None or not subs:
        return Finding(CommandState.UNKNOWN, f"the service lists no fees of sub portfolios on {where[0]} {where[1]}")
    if all(_is_as_asked(schedule, base, asked) for schedule in subs):
        return Finding(CommandState.DONE, f"in force: {_rates(subs[0])}")
    return Finding(CommandState.NOT_DONE, f"in force is {_rates(subs[0])}, unless a later change replaced it")


def _is_as_asked(shown: BrokerFeeSchedule, base: BrokerFeeSchedule, asked: SetSubFee) -> bool:
    fixed = asked.chg_type == ChangeType.ABSOLUTE
    for text, is_now, at_main in (
        (asked.chg_taker, shown.taker, base.taker), (asked.chg_maker, shown.maker, base.maker),
    ):  # fmt: skip
        point, rate, now = optional(text), optional(at_main), optional(is_now)
        if point is None:
            continue
        if rate is None or now is None or abs(add_markup(rate, AddPoint(fixed, point)) - now) > _EXACT:
            return False
    ratio = optional(asked.markup_rebate_ratio)
    return ratio is None or optional(shown.markup_rebate_ratio) == ratio


def _rates(shown: BrokerFeeSchedule) -> str:
    """Format fee rates in basis points."""
    points = [f"{plain((optional(text) or Decimal(0)) * 10_000)}bp" for text in (shown.taker, shown.maker)]
    return f"taker {points[0]}, maker {points[1]}"


FEE_KINDS: Mapping[str, AccountCommandKind] = {
    "set_sub_fee_rate": AccountCommandKind(
        moves_money=False, raises_risk=never,
        proof=TwoStepProof("portfolios", "broker_fee_rate", _schedules_of, _judge, in_force_from),
    ),
}  # fmt: skip
"""Kinds by endpoint name."""
