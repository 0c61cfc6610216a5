"""The books at the end of a run, beside those of the venue: fills in the journal, the day result, account commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tui.engine.rows import AccountCommandRow
from tui.interface.decimals import plain
from tui.interface.families.deposits import WithdrawalStatus
from tui.rules.day_result import DAY_MS

if TYPE_CHECKING:
    from tests.simulation.floor import Floor


class _Fill(msgspec.Struct, rename="camel"):
    """What counts of a fill in the journal."""

    transaction_id: str


class Day(NamedTuple):
    """The result of one UTC day."""

    day: int
    """Days since 1970."""
    net: str
    """Realised less fees plus rebates, in quote, to the last digit."""
    fills: int
    partial: bool


def journaled(floor: Floor) -> Counter[str]:
    """Transaction id -> how often the journal has the fill."""
    decode = msgspec.json.Decoder(_Fill).decode
    return Counter(decode(line.payload).transaction_id for line in floor.journal.lines if line.kind == "fill")


def engine_day(floor: Floor) -> Day:
    """The day result that the loss limit sees."""
    desk = floor.engine.state
    whole = desk.day_is_whole()
    day = desk.fills.day
    return Day(day.day, plain(day.net), day.total.fills, partial=not whole or day.total.incomplete > 0)


def venue_day(floor: Floor) -> Day:
    """The same day summed from the venue's own fills; every pair of the campaign settles in its quote."""
    day = int(floor.venue_clock.wall() * 1000) // DAY_MS
    rows = [one for one in floor.exchange.queries.executions(floor.portfolio) if int(one.create_at) // DAY_MS == day]
    net = sum((Decimal(one.rpnl) - Decimal(one.fee) + abs(Decimal(one.rebate)) for one in rows), Decimal(0))
    return Day(day, plain(net), len(rows), partial=False)


def differences(floor: Floor) -> Iterator[str]:
    """What is not equal yet."""
    if set(journaled(floor)) != {one.transaction_id for one in floor.exchange.queries.executions(floor.portfolio)}:
        yield "journal fills"
    if engine_day(floor) != venue_day(floor):
        yield "day result"


MOVES = {
    "transfer": "transfer", "withdraw": "withdrawal", "custody_lock": "custody", "custody_unlock": "custody",
    "create_portfolio": "portfolio", "rename_portfolio": "portfolio",
}  # fmt: skip
"""Account commands that end as the venue says, by their row; loans are judged apart."""
_WITHDRAWN = {
    WithdrawalStatus.EXECUTED: "DONE", WithdrawalStatus.FAILED: "FAILED", WithdrawalStatus.REJECTED: "FAILED",
}  # fmt: skip


def client_moves(floor: Floor) -> dict[tuple[str, str], str]:
    """Kind and name of a command -> state on the screen, of this life and of those that were not settled before it."""
    return {
        (MOVES[row.endpoint], _name(row)): row.state.value
        for row in floor.mirror.commands.values()
        if row.endpoint in MOVES
    }


def _name(row: AccountCommandRow) -> str:
    """What both sides know a command by: the client order id, or an amount or name that is drawn once."""
    args = dict(row.args)
    if MOVES[row.endpoint] == "custody":
        return f"{row.endpoint} {args['amount']}"
    return args["name"] if MOVES[row.endpoint] == "portfolio" else row.id


def venue_moves(floor: Floor) -> dict[tuple[str, str], str]:
    """Kind and name of a command -> how it stands at the venue."""
    funds = floor.exchange.funds
    found = {("transfer", one.client_id): one.status.name for one in funds.transfers(floor.portfolio)}
    for went in funds.withdrawals(floor.portfolio):
        found["withdrawal", went.client_id] = _WITHDRAWN.get(went.status, "RUNNING")
    for one in funds.custody_actions():
        found["custody", f"custody_{one.kind.name.lower()} {plain(one.amount)}"] = one.status.name
    return found | {("portfolio", name): "DONE" for name in floor.answers.names}


def client_loans(floor: Floor) -> dict[str, str]:
    """Client order id -> state on the screen, of this life and of those that were not settled before it."""
    rows = floor.mirror.commands.items()
    return {key: row.state.value for key, row in rows if row.endpoint.startswith("portfolio_loan_")}


def venue_loans(floor: Floor) -> list[str]:
    """Client order ids of what the venue carried out."""
    return [one.client_id for one in floor.exchange.queries.loan_orders(floor.portfolio)]


def write(floor: Floor) -> None:
    """Both sides into the history, for the checker."""
    for tx, times in journaled(floor).items():
        for _ in range(times):
            floor.history.add("client", "end journal fill", life=floor.life, tx=tx)
    for who, life, one in (("client", floor.life, engine_day(floor)), ("venue", -1, venue_day(floor))):
        state = "partial" if one.partial else "whole"
        text = f"{one.net} of {one.fills} fills on day {one.day}"
        floor.history.add(who, "end day", life=life, state=state, text=text)
    for who, found in (("client", client_moves(floor)), ("venue", venue_moves(floor))):
        for (kind, cid), state in found.items():
            floor.history.add(who, f"end {kind}", life=-1 if who == "venue" else floor.life, cid=cid, state=state)
    for name, state in client_loans(floor).items():
        floor.history.add("client", "end loan", life=floor.life, cid=name, state=state)
    for name in venue_loans(floor):
        floor.history.add("venue", "end loan", life=-1, cid=name)
