"""Journal, screen and venue against each other once everything is sound again."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from tests.terminal.terminal import Terminal
from tests.venue.shell.conftest import Venue

ORDERS = "/api/v1/trading/orders"
HISTORY = "/api/v1/trading/history/orders"
EXECUTIONS = "/api/v1/trading/executions/pageable"
POSITIONS = "/api/v1/trading/position"
ASSETS = "/api/v1/trading/portfolio/assets"
FINAL = frozenset(["FILLED", "CANCELLED", "REJECTED", "EXPIRED"])
PAGE = 1000
DAY_MS = 86_400_000

Record = dict[str, Any]


class VenueTruth(NamedTuple):
    """What the venue holds."""

    working: dict[str, Record]
    """Open orders by order id."""
    orders: dict[str, list[Record]]
    """Every order of the account by client order id."""
    fills: dict[str, Record]
    """By transaction id."""
    positions: dict[tuple[str, str], Record]
    """By pair and leg, without empty ones."""
    balances: dict[tuple[str, str], Decimal]
    """By coin and venue, without empty ones."""


class JournalTruth(NamedTuple):
    """What the journal says."""

    began_ms: int
    intents: dict[str, Record]
    """Place intents by client order id."""
    sent: frozenset[str]
    """Intents that were handed to the socket."""
    last_words: dict[str, Record]
    """The newest order record by order id."""
    fills: Counter[str]
    """How often each transaction was written."""


class Difference(NamedTuple):
    """Something that two of them say differently."""

    kind: str
    text: str


def read_venue(venue: Venue) -> VenueTruth:
    """Everything the venue holds for the main key, read without its rate limits."""
    venue.set("rate_profile", "off")
    try:
        working = {one["orderId"]: one for one in _pages(venue, ORDERS)}
        history: dict[str, list[Record]] = {}
        for one in [*_pages(venue, HISTORY), *working.values()]:
            history.setdefault(one["clientOrderId"], []).append(one)
        fills = {one["transactionId"]: one for one in _pages(venue, EXECUTIONS)}
        rows = venue.data("GET", POSITIONS)
        assets = venue.data("GET", ASSETS)["list"]
    finally:
        venue.set("rate_profile", "official")
    positions = {(one["sym"], one["positionSide"]): one for one in rows if Decimal(one["positionQty"])}
    balances = {(one["coin"], one["exchangeType"]): Decimal(one["balance"]) for one in assets}
    held = {place: balance for place, balance in balances.items() if balance}
    return VenueTruth(working, history, fills, positions, held)


def _pages(venue: Venue, path: str) -> list[Record]:
    found: list[Record] = []
    page = 1
    while True:
        data = _patiently(venue, path, {"page": str(page), "pageSize": str(PAGE)})
        found += data["list"]
        if len(data["list"]) < PAGE:
            return found
        page += 1


def _patiently(venue: Venue, path: str, params: dict[str, str]) -> Any:
    """The data of a read; the switch of the limits takes a moment to arrive."""
    deadline = time.monotonic() + 20
    while True:
        status, answer = venue.call("GET", path, params)
        if answer.get("code") == 200000:
            return answer["data"]
        assert status == 429 and time.monotonic() < deadline, answer
        time.sleep(0.2)


def read_journal(entries: Iterable[Record]) -> JournalTruth:
    """What an export of the journal says."""
    began, intents, sent = 0, dict[str, Record](), set[str]()
    words, fills = dict[str, Record](), Counter[str]()
    for entry in entries:
        began = began or entry["wall_ms"]
        kind, client = entry["kind"], entry["client_order_id"]
        if kind == "intent":
            payload = json.loads(entry["payload"])
            if payload["kind"] == "Place":
                intents[client] = payload
        elif kind == "sent" and client in intents:
            sent.add(client)
        elif kind == "fill":
            fills[json.loads(entry["payload"])["transactionId"]] += 1
        elif kind in ("push", "query", "snapshot") and '"orderState"' in entry["payload"]:
            record = json.loads(entry["payload"])
            # The journal leaves out what holds its default.
            before = words.get(record["orderId"])
            if before is None or _stage_of(record) >= _stage_of(before):
                words[record["orderId"]] = record
    return JournalTruth(began, intents, frozenset(sent), words, fills)


def _stage_of(record: Record) -> tuple[int, bool]:
    """How far an order is: NEW and OPEN carry one time, and a network may hand over the NEW behind the OPEN."""
    return int(record["updateAt"]), record["orderState"] != "NEW"


def compare_fills(journal: JournalTruth, venue: VenueTruth) -> list[Difference]:
    """Every fill of the venue since the journal began stands in it once, and no other."""
    since = {number for number, one in venue.fills.items() if int(one["createAt"]) >= journal.began_ms}
    missing = sorted(since - set(journal.fills))
    invented = sorted(set(journal.fills) - set(venue.fills))
    twice = sorted(number for number, count in journal.fills.items() if count > 1)
    return [
        *(Difference("fill missing", f"{number} {_fill_words(venue.fills[number])}") for number in missing),
        *(Difference("fill invented", number) for number in invented),
        *(Difference("fill written twice", number) for number in twice),
    ]


def _fill_words(one: Record) -> str:
    return (
        f"{one['side']} {one['quantity']} {one['sym']} @ {one['price']} of {one['clientOrderId']} at {one['createAt']}"
    )


def compare_orders(journal: JournalTruth, venue: VenueTruth, prefix: str) -> list[Difference]:
    """The journal's last word of each order is what the venue says; what the venue has of ours was meant."""
    by_id = {one["orderId"]: one for rows in venue.orders.values() for one in rows}
    strange = [client for client in venue.orders if client.startswith(prefix) and client not in journal.intents]
    found = [Difference("order without intent", client) for client in strange]
    for number, word in journal.last_words.items():
        true = by_id.get(number)
        if true is None:
            if word["orderState"] not in FINAL:
                found.append(Difference("order invented", f"{number} {word['orderState']}"))
            continue
        said = (word["orderState"], Decimal(word.get("executedQty", "0")))
        is_so = (true["orderState"], Decimal(true["executedQty"]))
        if said == is_so:
            continue
        kind = "end invented" if said[0] in FINAL and true["orderState"] not in FINAL else "order state"
        found.append(Difference(kind, f"{true['clientOrderId']} {number}: journal {said}, venue {is_so}"))
    return found


def compare_screen(desk: Terminal, venue: VenueTruth) -> list[Difference]:
    """Working orders, positions, balances and the day result on the screen are those of the venue."""
    try:
        return _compare_panes(desk, venue)
    except AssertionError as error:
        return [Difference("screen", str(error))]


def _compare_panes(desk: Terminal, venue: VenueTruth) -> list[Difference]:
    text = desk.text()
    counted = re.search(r"2 Orders\s+[─-]?\s*(\d+) working", text)
    shown = int(counted.group(1)) if counted else -1
    found = []
    if shown != len(venue.working):
        found.append(Difference("working orders", f"screen {shown}, venue {len(venue.working)}"))
    return [
        *found,
        *_zoomed(desk, "3 Positions", lambda lines: _compare_positions(lines, venue)),
        *_zoomed(desk, "4 Assets", lambda lines: _compare_assets(lines, venue)),
        *_zoomed(desk, "P&L", lambda lines: _compare_day(lines, venue)),
    ]


def _zoomed(desk: Terminal, tab: str, compared: Callable[[list[str]], list[Difference]]) -> list[Difference]:
    """What differs on the screen while one pane has the room of all; a pane that still differs is looked at again.

    Raises:
        AssertionError: the pane did not come, or the others did not come back.
    """
    if BACK in desk.text():
        _go_back(desk)
    desk.see(tab, within=ZOOM_S)
    desk.click(tab)
    desk.press("0")
    desk.until(lambda lines: any(tab in line and BACK in line for line in lines), f"{tab} alone", within=ZOOM_S)
    with contextlib.suppress(AssertionError):
        desk.until(lambda lines: not compared(lines), tab, within=ZOOM_S)
    found = compared(desk.display)
    _go_back(desk)
    return found


def _go_back(desk: Terminal) -> None:
    """To all panes; they are drawn when each has its title, which is a frame later than the title that changes."""
    desk.press("0")

    def all_drawn(lines: list[str]) -> bool:
        text = "\n".join(lines)
        return BACK not in text and all(title in text for title in TITLES)

    desk.until(all_drawn, "all panes", within=ZOOM_S)


def _compare_positions(lines: list[str], venue: VenueTruth) -> list[Difference]:
    seen = _position_rows(lines)
    found = []
    for (sym, leg), row in venue.positions.items():
        exchange, _, base = sym.split("_")[:3]
        size = abs(Decimal(row["positionQty"]))
        side = leg if leg in ("LONG", "SHORT") else ("LONG" if Decimal(row["positionQty"]) > 0 else "SHORT")
        if seen.get((exchange, base, side)) != size:
            found.append(
                Difference("position", f"{sym} {side} {size}: screen {seen.get((exchange, base, side), 'nothing')}")
            )
    if len(seen) != len(venue.positions):
        found.append(Difference("positions", f"screen {sorted(seen)}, venue {sorted(venue.positions)}"))
    return found


def _compare_assets(lines: list[str], venue: VenueTruth) -> list[Difference]:
    rows = {}
    for line in lines:
        for coin, exchange, figure in _ASSET.findall(line):
            rows[coin, exchange] = figure.replace(",", "")
    found = []
    for place, balance in venue.balances.items():
        text = rows.get(place, "")
        decimals = len(text.partition(".")[2])
        if not text or Decimal(text) != rounded(balance, decimals):
            found.append(Difference("balance", f"{place}: screen {text or 'nothing'}, venue {balance}"))
    return found


def rounded(value: Decimal, places: int) -> Decimal:
    """Half away from zero, as a trader rounds -0.065 to -0.07."""
    return value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)


def _compare_day(lines: list[str], venue: VenueTruth) -> list[Difference]:
    """Gross, fee and rebate of the day on the screen are the sums of the venue's fills."""
    line = next((line for line in lines if re.search(r"\btotal\b", line)), "")
    shown = [Decimal(text.replace(",", "")) for text in _FIGURE.findall(line)[:3]]
    sums = day_result(venue.fills.values(), int(time.time() * 1000) // DAY_MS)
    wanted = [rounded(one, 2) for one in (sums["gross"], -sums["fee"], sums["rebate"])]
    if not line and not any(wanted) and any(NOTHING_BOOKED in line for line in lines):
        return []
    return [] if shown == wanted else [Difference("day result", f"screen {shown}, venue {wanted}: {line.strip()}")]


ZOOM_S = 10.0
"""How long a pane may take to be drawn on a busy machine, s."""
NOTHING_BOOKED = "nothing booked"
TITLES = ("1 Quotes", "2 Orders", "3 Positions", "4 Assets")
BACK = "[0] back"
"""In the title of a pane that has the room of all."""
_ASSET = re.compile(r"\b(USDT|USDC|BTC|ETH|SOL|DOGE)\s+(BINANCE|OKX|EDX)\s+(-?[\d,.]+)\s")
_FIGURE = re.compile(r"[+-]?\d[\d,]*\.\d+")
_POSITION = re.compile(r"\b(BINANCE|OKX|EDX) ([A-Z]+)\s+(LONG|SHORT)\s+([\d,.]+)(?:ct)?\s")


def _position_rows(display: list[str]) -> dict[tuple[str, str, str], Decimal]:
    rows = {}
    for line in display:
        for exchange, base, side, size in _POSITION.findall(line):
            rows[exchange, base, side] = Decimal(size.replace(",", ""))
    return rows


def day_result(fills: Iterable[Record], day: int) -> dict[str, Decimal]:
    """Gross, fee and rebate of the perpetual fills of one UTC day, in quote, by a formula of its own.

    Args:
        fills: Records of the venue.
        day: Days since 1970.
    """
    sums = {"gross": Decimal(0), "fee": Decimal(0), "rebate": Decimal(0)}
    for one in fills:
        if int(one["createAt"]) // DAY_MS != day:
            continue
        base = one["sym"].split("_")[2]
        price = Decimal(one["price"])
        sums["gross"] += Decimal(one["rpnl"])
        sums["fee"] += Decimal(one["fee"]) * (price if one["feeCoin"] == base else 1)
        sums["rebate"] += Decimal(one["rebate"]) * (price if one["rebateCoin"] == base else 1)
    return sums
