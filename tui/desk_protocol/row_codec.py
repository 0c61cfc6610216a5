"""Rows and intents as JSON, and back."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from tui.desk_protocol.messages import ProtocolError, decode
from tui.engine import intents, rows, status_rows
from tui.engine.intents import Intent, Outcome
from tui.engine.rows import Row, Table
from tui.engine.service_query import ListRead
from tui.interface.catalogue import BY_NAME
from tui.interface.endpoint import Endpoint, Shape
from tui.interface.families.algo import AlgoRecord
from tui.interface.families.assets import AssetRecord
from tui.interface.families.fees import FeeSchedule
from tui.interface.families.history import StatementRecord, TradeRecord
from tui.interface.families.liquidation import LiquidationNode, LiquidationPositionRecord
from tui.interface.families.loans import CoinDiscountRow, InterestRates, LoanTierRow
from tui.interface.families.market import Bracket, KlineRow, SymbolInfo, TradePush
from tui.interface.families.orders import OrderRecord
from tui.interface.families.portfolio_loans import LoanConfig
from tui.interface.families.positions import AccountRecord, AdlRank, LeverageRow, PositionRecord
from tui.interface.families.system import StatusRow
from tui.interface.ready import Recording
from tui.interface.text import clean, is_clean_json, scrub
from tui.rules.day_result import FillSums

_FIELD_TYPES = (
    AlgoRecord, Bracket, FillSums, KlineRow, LiquidationNode, LiquidationPositionRecord, LoanTierRow, OrderRecord, Recording,
    StatusRow, TradePush,
)  # fmt: skip
# The engine imports these for the type checker alone, because its rows are imported before the first frame.
for _type in _FIELD_TYPES:
    vars(rows).setdefault(_type.__name__, _type)
    vars(status_rows).setdefault(_type.__name__, _type)

ROW_TYPES: dict[Table, Any] = {
    Table.SYMBOLS: SymbolInfo,
    Table.QUOTES: rows.QuoteRow,
    Table.ORDERS: rows.OrderRow,
    Table.ALGOS: rows.AlgoRow,
    Table.POSITIONS: rows.Fact[PositionRecord],
    Table.ASSETS: rows.Fact[AssetRecord],
    Table.ACCOUNTS: rows.Fact[AccountRecord],
    Table.ADL: rows.Fact[AdlRank],
    Table.FILLS: rows.Fact[TradeRecord],
    Table.DAYS: rows.DayRow,
    Table.STATEMENTS: rows.Fact[StatementRecord],
    Table.FUNDING: rows.FundingTerms,
    Table.TICKERS: rows.TickerRow,
    Table.DEPTH: rows.DepthRow,
    Table.PRINTS: rows.PrintsRow,
    Table.BARS: rows.BarsRow,
    Table.FEES: rows.Fact[FeeSchedule],
    Table.BRACKETS: rows.BracketTable,
    Table.LEVERAGES: LeverageRow,
    Table.DISCOUNTS: CoinDiscountRow,
    Table.LOANS: rows.LoanTerms,
    Table.INTEREST: InterestRates,
    Table.LOAN_CONFIG: LoanConfig,
    Table.SETTINGS: rows.SettingChange,
    Table.COMMANDS: rows.AccountCommandRow,
    Table.ANSWERS: ListRead,
    Table.LIQUIDATIONS: rows.LiquidationStep,
    Table.UNREAD: rows.ReadFailure,
    Table.PROPOSALS: status_rows.ProposalRow,
    Table.MANDATES: status_rows.MandateRow,
    Table.LINKS: status_rows.LinkRow,
    Table.ENGINE_STATUS: status_rows.EngineStatusRow,
}
"""Type of the rows of each table."""


def _decoder(kind: Any) -> msgspec.json.Decoder[dict[str, Any]]:
    return msgspec.json.Decoder(dict[str, kind | None])


_DECODERS = {table: _decoder(kind) for table, kind in ROW_TYPES.items()}
_ENCODER = msgspec.json.Encoder()

_KINDS: dict[str, type] = {
    re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower(): kind
    for kind in (
        intents.Place, intents.Replace, intents.Cancel, intents.CancelAll, intents.SetLeverage, intents.SetMarginLeverage,
        intents.SetPositionMode, intents.PlaceAlgo, intents.ReplaceAlgo, intents.CancelAlgo, intents.CancelAllAlgos,
        intents.AccountCommand,
    )
}  # fmt: skip
"""Intents by the name under which they are sent: `place`, `cancel_all`."""
MOST_INTENT_BYTES = 6 * 1024
"""Longest intent: the journal keeps it twice in one entry, as it came and as it is sent."""
_NAMES = {kind: name for name, kind in _KINDS.items()}


def encode_rows(changed: dict[str, Row | None]) -> bytes:
    """Encode changed rows by key as JSON; None stands for a deleted row."""
    return _ENCODER.encode(changed)


def decode_rows(table: Table, data: bytes | msgspec.Raw) -> dict[str, Row | None]:
    """Decode changed rows by key from JSON, as the row type of their table.

    Raises:
        ProtocolError: They are no rows of the table.
    """
    try:
        decoded: dict[str, Row | None] = _DECODERS[table].decode(data)
        if table is Table.ANSWERS:
            return {key: _read_answer(row) for key, row in decoded.items()}
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ProtocolError(f"rows of {table.value} cannot be read: {error}") from None
    return decoded


def _read_answer(row: Row | None) -> Row | None:
    """Convert the plain objects in a service list that was read to the record type of its endpoint; keep other rows."""
    if not isinstance(row, ListRead):
        return row
    endpoint = BY_NAME.get(row.query.sources[0].endpoint)
    record = endpoint.record if endpoint is not None else None
    if endpoint is None or record is None:
        return row
    return msgspec.structs.replace(
        row,
        rows=tuple(msgspec.convert(listed, record) for listed in row.rows),
        data=_read_data(row.data, record, endpoint.shape),
    )


def _read_data(data: object, record: type, shape: Shape) -> object:
    if not isinstance(data, dict):
        return data
    kinds: dict[Shape, Any] = {Shape.MAP: dict[str, record], Shape.LISTS: dict[str, list[record]]}  # type: ignore[valid-type]
    return msgspec.convert(data, kinds.get(shape, record))


def encode_intent(intent: Intent) -> tuple[str, msgspec.Raw]:
    """Encode an intent as JSON; return its type name and the JSON."""
    return _NAMES[type(intent)], msgspec.Raw(_ENCODER.encode(intent))


def decode_intent(kind: str, body: bytes | msgspec.Raw) -> Intent:
    """Decode an intent; unclean characters are removed from its texts for people, and refused in any other field.

    Raises:
        ProtocolError: The name is unknown, a field is missing or wrong, or it is longer than the journal keeps.
    """
    if kind not in _KINDS:
        raise ProtocolError(f"intent {clean(kind, 40)!r} is not known; accepted: {', '.join(_KINDS)}")
    what = f"intent {kind}"
    data = bytes(body)
    if len(data) > MOST_INTENT_BYTES:
        raise ProtocolError(f"{what} has {len(data)} bytes; {MOST_INTENT_BYTES} are accepted at most")
    if not is_clean_json(data.decode(errors="replace")):
        data = _clean_intent(data, what)
    intent: Intent = decode(data, _KINDS[kind], what)
    return intent


def _clean_intent(data: bytes, what: str) -> bytes:
    """Remove unclean characters from an intent's texts for people; refuse them in any other field.

    Raises:
        ProtocolError: Anything else in it is not clean.
    """
    given: dict[str, object] = decode(data, dict[str, object], what)
    cleaned = scrub(given)
    if _what_counts(cleaned) != _what_counts(given):
        raise ProtocolError(f"{what}: a text holds characters that cannot be shown, or is too long")
    return _ENCODER.encode(cleaned)


def _what_counts(given: dict[str, object]) -> dict[str, object]:
    """Return an intent's fields without the texts for people: `preview`, `title` and the decision's `source`."""
    counts = {name: value for name, value in given.items() if name not in ("preview", "title")}
    decision = counts.get("decision")
    if isinstance(decision, dict):
        counts["decision"] = {name: value for name, value in decision.items() if name != "source"}
    return counts


def read_outcome(outcome: Outcome, intent: Intent) -> Outcome:
    """Convert the answer in an account command's outcome to the record type of its endpoint; None if it does not fit."""
    if not isinstance(intent, intents.AccountCommand) or not isinstance(outcome.answer, dict):
        return outcome
    endpoint: Endpoint | None = BY_NAME.get(intent.endpoint)
    if endpoint is None or endpoint.record is None:
        return outcome
    try:
        answer: object = msgspec.convert(outcome.answer, endpoint.record)
    except msgspec.ValidationError:
        answer = None
    return msgspec.structs.replace(outcome, answer=answer)
