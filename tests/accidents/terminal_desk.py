"""The same attempts in a real terminal: the program as its own process, and a venue process beside it."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, TextIO

from tests.accidents.hands import close_pair
from tests.accidents.kinds import BTC
from tests.accidents.record import ELSEWHERE, VenueOrder, VenueRecord
from tests.accidents.runner import MARKETS, Session, Tally, draw_all, live, sessions
from tests.accidents.virtual_desk import POSITIONS, RESTING, TO_FIRST_ROWS, position_of
from tests.terminal.terminal import KEYS, Terminal
from tests.venue.shell.conftest import Venue
from tui.interface.families.algo import OPEN_ALGO_STATES

ORDER = "/api/v1/trading/order"
OPEN_ORDERS = "/api/v1/trading/orders"
MARK_PRICE = "/api/v1/market/markPrice"
HISTORY = "/api/v1/trading/history/orders"
OPEN_ALGOS = "/api/v1/algo/openOrders"
BRACKETED = "\x1b[200~{}\x1b[201~"


class TerminalDesk:
    """A workstation in a pseudo-terminal on a venue process of its own."""

    unfit: frozenset[str] = frozenset(["calm: cancel last"])
    """Its resting orders come from beside the workstation, and `u` cancels those of the workstation alone."""

    def __init__(
        self, home: Path, seed: int, size: tuple[int, int], *, market: str, venue: tuple[str, ...] = ()
    ) -> None:
        """
        Args:
            home: Folder of the program.
            seed: Of the venue and its market.
            size: Columns and lines of the terminal.
            market: A key of `MARKETS`.
            venue: More arguments of the venue.
        """
        switches = ["latency=test", "past=off", "rate_profile=off", *("=".join(pair) for pair in MARKETS[market])]
        self.venue = Venue(
            "--seed", str(seed), "--control", *(word for name in switches for word in ("--set", name)), *venue
        )
        self.names: Mapping[str, str] = {}
        self._count = 0
        key = self.venue.ready["keys"][0]
        write_home(home, self.venue.ready, still=market == "still")
        self.desk = Terminal(
            "--profile", "desk", home=home, columns=size[0], lines=size[1],
            environment={"ACCIDENT_KEY": key["api_key"], "ACCIDENT_SECRET": key["api_secret"]},
        )  # fmt: skip

    def start(self) -> None:
        """Come in and arm."""
        self.desk.see("Type the portfolio name 'main'")
        self.desk.press("main", "enter")
        self.desk.see("In sync with the venue", within=40)
        self.desk.press("a")
        self.desk.see("Arm portfolio main")
        while True:
            self.desk.press("y")
            if "ARMED" in self.desk.until(_look_for_arming, "ARMED, or that the question has just opened"):
                break

    def close(self) -> None:
        self.desk.close()
        self.venue.stop()

    # -- what the person does --------------------------------------------------------------------------------------

    async def press(self, key: str) -> None:
        self.desk.burst(KEYS.get(key, key))

    async def paste(self, text: str, *, bracketed: bool) -> None:
        self.desk.burst(BRACKETED.format(text) if bracketed else text.replace("\n", "\r"))

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def text(self) -> str:
        return self.desk.text()

    # -- the venue around it ---------------------------------------------------------------------------------------

    async def record(self) -> VenueRecord:
        rows = [*self.venue.data("GET", HISTORY)["list"], *self.venue.data("GET", OPEN_ORDERS)["list"]]
        algos = self.venue.data("GET", OPEN_ALGOS)["list"]
        return VenueRecord(
            orders={row["orderId"]: describe_row(row) for row in rows},
            algos={
                row["algoOrderId"]: f"{row['slTriggerPrice']} {row['tpTriggerPrice']} {row['orderQty']}"
                for row in algos
                if row["orderState"] in OPEN_ALGO_STATES
            },
        )

    async def prepare(self, scene: str) -> None:
        for _ in range(4):
            await self.press("escape")
            await self.pause(0.35)
        if "FROZEN" in self.text():
            await self.press("z")
        for listed, cancel in ((OPEN_ORDERS, "/api/v1/trading/cancelAll"), (OPEN_ALGOS, "/api/v1/algo/cancelAll")):
            for exchange in {row["sym"].split("_")[0] for row in self.venue.data("GET", listed)["list"]}:
                self.venue.data("DELETE", cancel, {"exchangeType": exchange})
        rows = self.venue.data("GET", "/api/v1/trading/position")
        for sym in {**POSITIONS, **{row["sym"]: "0" for row in rows}}:
            self._hold(sym, position_of(scene, sym))
        await self._return_to_armed()
        self._rest(RESTING if scene == "working" else {})
        await close_pair(self)
        for key in TO_FIRST_ROWS:
            await self.press(key)
            await self.pause(0.25)
        await self.pause(1.0)

    async def _return_to_armed(self) -> None:
        """Leave VIEW and HALT as a person does."""
        if "HALT" in self.desk.display[0] or "REDUCING" in self.desk.display[0]:
            await self.press("ctrl+t")
            self.desk.see("Resume trading")
            await self.pause(0.5)
            for char in "resume":
                await self.press(char)
                await self.pause(0.1)
            await self.pause(0.5)
            await self.press("enter")
            self.desk.see("NORMAL")
            await self.pause(0.5)
        self.desk.until(lambda display: " HOT " not in display[0] or None, "the end of HOT")
        if "ARMED" not in self.desk.display[0]:
            await self.press("a")
            self.desk.see("Arm portfolio main")
            await self.pause(0.6)
            await self.press("y")
            self.desk.see("ARMED")

    def _hold(self, sym: str, size: Decimal) -> None:
        rows = self.venue.data("GET", "/api/v1/trading/position")
        held = sum(Decimal(row["positionQty"]) for row in rows if row["sym"] == sym)
        if size != held:
            side, qty = ("BUY", size - held) if size > held else ("SELL", held - size)
            self._place({"sym": sym, "side": side, "orderType": "MARKET", "orderQty": str(qty)})

    def _place(self, body: dict[str, str]) -> str:
        self._count += 1
        reply = self.venue.data("POST", ORDER, {**body, "clientOrderId": f"{ELSEWHERE}{os.getpid()}x{self._count}"})
        return str(reply["orderId"])

    def _rest(self, orders: Mapping[str, tuple[str, str]]) -> None:
        mark = self._mark() if orders else Decimal(0)
        self.names = {
            name: self._place({
                "sym": BTC, "side": "BUY", "orderType": "LIMIT", "timeInForce": "GTC", "orderQty": qty,
                "limitPrice": str(mark - Decimal(below)),
            })
            for name, (below, qty) in orders.items()
        }  # fmt: skip
        for _, qty in list(orders.values())[-1:]:
            self.desk.see("OPEN", "BINANCE BTC", qty)

    def _mark(self) -> Decimal:
        """The mark price of the first pair, in whole ticks."""
        row = self.venue.data("GET", MARK_PRICE, {"sym": BTC})
        row = row[0] if isinstance(row, list) else row
        return Decimal(row["markPrice"]).quantize(Decimal("0.1"))

    async def happen(self, what: str, argument: str) -> None:
        if what == "end":
            self.venue.call("DELETE", ORDER, {"orderId": self.names[argument]})
        elif what == "move":
            self.venue.move("BTC", argument if argument[0] == "-" else f"+{argument}")
        elif what == "arrive":
            price = str(self._mark() - 10)
            self._place({
                "sym": BTC, "side": "BUY", "orderType": "LIMIT", "timeInForce": "GTC", "orderQty": "0.001",
                "limitPrice": price,
            })  # fmt: skip

    async def touch(self, sym: str) -> tuple[str, ...]:
        return ()


def describe_row(row: Mapping[str, Any]) -> VenueOrder:
    """The part of a listed order that the oracle compares."""
    return VenueOrder(
        order_id=row["orderId"],
        sym=row["sym"],
        side=row["side"],
        order_type=row["exchangeOrderType"],
        qty=row["orderQty"],
        price=row["limitPrice"],
        state=row["orderState"],
        cancel_type=row.get("cancelType", ""),
        client_id=row.get("clientOrderId", ""),
    )


def write_home(home: Path, ready: Mapping[str, Any], *, still: bool) -> None:
    """A config with a profile on the venue; all times of keys and prompts as they are for everybody."""
    for folder in (home, home / "config"):
        folder.mkdir(mode=0o700, exist_ok=True)
    profile = {
        "rest_url": ready["rest_url"],
        "private_ws_url": ready["private_ws_url"],
        "algo_ws_url": ready["algo_ws_url"],
        "public_ws_url": ready["public_ws_url"],
        "portfolio": ready["keys"][0]["portfolioId"],
        "portfolio_name": "main",
        "key_env": "ACCIDENT_KEY",
        "secret_env": "ACCIDENT_SECRET",
    }
    lines = ["[engine.limits]", "first_of_day = false", *(["stale = 3600", "red_after = 3600"] if still else [])]
    lines += ["[profile.desk]", *(f"{name} = {json.dumps(value)}" for name, value in profile.items())]
    path = home / "config" / "config.toml"
    path.write_text("\n".join(lines) + "\n")
    path.chmod(0o600)


def run(seed: int, first: int, count: int, *, out: TextIO | None = None) -> Tally:
    """Run attempts in real terminals; shapes and arguments are those of `in_process.run`."""
    tally = Tally()
    for session in sessions(seed, first, count):
        with tempfile.TemporaryDirectory() as folder:
            run_session(session, tally, Path(folder) / "home", out)
    return tally


def run_session(session: Session, tally: Tally, home: Path, out: TextIO | None = None) -> None:
    """Run one session in a terminal of its own."""
    desk = TerminalDesk(home, session.seed * 100_003 + session.numbers[0], session.size, market=session.market)
    try:
        desk.start()
        asyncio.run(live(desk, draw_all(session), tally, out))
    finally:
        desk.close()


def _look_for_arming(lines: list[str]) -> str:
    """Find the line that says whether the answer armed the desk or came too early."""
    return next((line for line in lines if " ARMED " in line or "y not sent" in line), "")
