"""Words, codes and paths of the interface, written out: a value that changes in the product is noticed here."""

from __future__ import annotations

from enum import Enum

import pytest

from tui.client.settings import Timings
from tui.interface import catalogue, errors, paging, streams
from tui.interface.families import algo, liquidation, orders, positions
from tui.interface.families.market import Channel
from tui.interface.symbols import BusinessType, Exchange, is_in_scope, parse_symbol
from tui.workstation.features.history import trade_tabs

WORDS: tuple[tuple[type[Enum], str], ...] = (
    (orders.Side, "BUY SELL"),
    (orders.PositionSide, "NONE LONG SHORT"),
    (orders.OrderType, "LIMIT MARKET"),
    (orders.TimeInForce, "GTC IOC FOK GTX"),
    (orders.OrderState, "NEW OPEN PARTIALLY_FILLED FILLED CANCELLED REJECT FAIL"),
    (orders.Origin, "DMA SYSTEM_LIQ SYSTEM_REDUCE REPLACE DELIST SYSTEM SETTLEMENT"),
    (
        orders.Action,
        "AMEND_PENDING AMEND_COMPLETED AMEND_FAILED CANCEL_PENDING CANCEL_COMPLETED CANCEL_FAILED",
    ),
    (orders.CancelType, "USER EXPIRE REDUCE_ONLY LIQUIDATING SYSTEM SYM_DELIST"),
    (orders.AmendType, "USER REDUCE_ONLY"),
    (positions.PositionMode, "NET BOTH"),
    (positions.AccountStatus, "NORMAL MARGIN_CALL CANCEL_OPEN CANCEL_ALL LIQUIDATING TAKEOVER"),
    (positions.ClosedType, "PARTIAL_CLOSED COMPLETE_CLOSED LIQUIDATION SYSTEM_COMPLETE_CLOSED"),
    (BusinessType, "SPOT MARGIN PERP"),
    (Exchange, "BINANCE OKX EDX"),
    (liquidation.EventType, "REDUCE LIQUIDATE"),
    (
        liquidation.NodeType,
        "TRIGGERED MARGIN_CALL CANCEL_OPEN CANCEL_ALL REDUCE_START REDUCE_END LIQUIDATE_START LIQUIDATE_END TAKEOVER",
    ),
    (algo.TriggerType, "LAST_PRICE MARK_PRICE"),
    (algo.Condition, "CONDITIONAL OCO ENTIRE_CLOSE_POSITION PARTIAL_CLOSE_POSITION"),
    (
        algo.AlgoState,
        "PENDING_NEW NEW PROCESSING PENDING_CANCEL CANCELLED COMPLETED REJECTED FAILED EXPIRED",
    ),
    (
        Channel,
        "BBO TICKER TRADE ORDER_BOOK KLINE MARK_PRICE INDEX_PRICE MARK_PRICE_KLINE INDEX_KLINE OPEN_INTEREST",
    ),
    (
        streams.PrivateChannel,
        "Orders Trades Assets Positions Accounts MarginCall LiquidationEvent LiquidationPosition "
        "LiquidationPositionByUser ALGO_ORDER",
    ),
)


@pytest.mark.parametrize(("kind", "words"), WORDS, ids=[kind.__name__ for kind, _ in WORDS])
def test_interface_enums_have_the_documented_values(kind: type[Enum], words: str) -> None:
    assert [member.value for member in kind if member.value] == words.split()


CODES = {
    100003: ("Needs the main key", "CRED"), 400013: ("Timed out", "UNSURE"), 401011: ("Symbol not supported", "FIELD"),
    401129: ("Too many pairs, or cancel reduce-only orders of the pair first", "STATE"), 405001: ("Unknown key", "CRED"),
    406005: ("Bad fee markup", "FIELD"), 406006: ("Bad fee markup", "FIELD"),
    406007: ("Bad fee percent", "FIELD"), 406008: ("Bad fee percent", "FIELD"),
    406014: ("Coin cannot be borrowed", "FIELD"), 406015: ("Not enough margin", "STATE"),
    406016: ("Borrow quota used up", "STATE"), 406017: ("Not enough coins in the pool", "STATE"),
    406018: ("Above the maximum loan", "STATE"), 406019: ("LTV too high", "STATE"),
    406020: ("Account is being liquidated", "STATE"), 406021: ("Nothing to repay", "STATE"),
    406022: ("Repay amount too large", "FIELD"), 406023: ("Bad amount", "FIELD"),
    601004: ("Request not understood", "BUG"),
}  # fmt: skip
FAMILIES = {
    400099: ("Request rejected, see message", "BUG"), 401059: ("Trading rule broken, see message", "STATE"),
    401250: ("Algo order rule broken, see message", "STATE"), 405099: ("API key rule broken, see message", "CRED"),
    406099: ("Fee or loan rule broken, see message", "STATE"), 601099: ("Stream rule broken, see message", "BUG"),
}  # fmt: skip


@pytest.mark.parametrize(("code", "wanted"), {**CODES, **FAMILIES}.items())
def test_error_codes_have_text_and_class(code: int, wanted: tuple[str, str]) -> None:
    row = errors.lookup(code)
    assert (row.shows, row.read.value) == wanted
    assert bool(row.then) == (code in FAMILIES), "a family says what to do next"


def test_success_codes_are_200_and_200000() -> None:
    assert (errors.SUCCESS, errors.SUCCESS_SHORT, errors.LOGIN_SUCCESS) == (200000, 200, 0)
    assert [code for code in (0, 200, 201, 100003, 200000, 400000) if errors.is_success(code)] == [200, 200000]


def test_a_symbol_is_parsed_into_four_parts() -> None:
    parts = parse_symbol("OKX_MARGIN_ETH_USDT")
    assert (parts.exchange, parts.business_type, parts.base, parts.quote) == ("OKX", "MARGIN", "ETH", "USDT")
    assert [parse_symbol(f"BINANCE_{kind}_BTC_USDT").is_perp for kind in ("SPOT", "MARGIN", "PERP")] == [
        False, False, True,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("exchange", "pair", "is_within"),
    [("", "", True), ("OKX", "", True), ("OK", "", False), ("BINANCE", "", False), ("", "OKX_PERP_BTC_USDT", True),
     ("OKX", "OKX_PERP_BTC_USDT", True), ("OKX", "OKX_PERP_BTC", False)],
)  # fmt: skip
def test_a_symbol_is_in_the_scope_of_its_exchange_and_pair(exchange: str, pair: str, is_within: bool) -> None:
    assert is_in_scope("OKX_PERP_BTC_USDT", exchange, pair) is is_within


def test_a_page_has_at_most_a_thousand_rows() -> None:
    assert paging.MAX_PAGE_SIZE == 1000
    assert paging.page_query(3) == {"page": "3", "pageSize": "1000"}


def test_endpoint_paths_match_the_documents() -> None:
    outside = {row.path for row in catalogue.ROWS if not row.path.startswith("/api/")}
    assert outside == {"/v1/trading/user/tradingStats", "/v1/trading/user/portfolio/tradingstats"}
    prefixes = {"/".join(row.path.split("/")[:3]) for row in catalogue.ROWS} - {"/v1/trading"}
    assert prefixes == {"/api/v1", "/api/v2"}
    assert {row.family for row in catalogue.ROWS if row.path.startswith("/api/v2/")} == {"assets-v2"}
    removed = {row.key: row.replacement for row in catalogue.ROWS if row.removed}
    assert removed == {
        "GET /api/v1/trading/loan/info": "GET /api/v1/trading/loan/info_detail",
        "GET /api/v1/trading/coin/discount": "GET /api/v1/trading/coin/discount_detail",
        "GET /api/v1/interest/user": "GET /api/v1/interest/user_detail",
        "POST /api/v1/transfer/internalExchange/apply": "POST /api/v1/transfer/apply",
        "GET /api/v1/transfer/info": "GET /api/v1/transfer/get",
    }


def test_archive_query_timeout_is_at_least_30_s() -> None:
    timings = Timings()
    assert timings.archive_timeout >= 30 > timings.read_timeout


@pytest.mark.parametrize(
    ("sent", "word"),
    [("REJECT", "REJECTED"), ("CANCELED", "CANCELLED"), ("PARTIALLY_FILLED", "PARTIAL"), ("OPEN", "OPEN"), ("?", "?")],
)
def test_order_state_spellings_have_one_display_word(sent: str, word: str) -> None:
    assert orders.state_word(sent) == orders.state_word(word) == word
    record = orders.OrderRecord(order_id="1", sym="BINANCE_SPOT_BTC_USDT", side="BUY", order_state=sent)
    assert trade_tabs._state(record)[0] == word
