"""`crossdesk bench real`: a minute of trading under a flood of quotes; then journal, screen and venue must agree."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from benchmarks.desk.front import ORDER_SYM
from benchmarks.desk.session import LIMITS, SWITCHES, Front
from benchmarks.result import json_option, quantile, rounded, write
from tests.chaos import comparison
from tests.chaos.comparison import Difference
from tests.chaos.stage import PROFILE
from tests.terminal.journal import exported_journal
from tests.terminal.misbehaving import KEY_NAMES, write_profile
from tests.terminal.terminal import KEY_S, SENDING_KEY_S, Terminal
from tests.venue.shell.conftest import Venue

ORDER = "/api/v1/trading/order"
PAUSE_MS = (KEY_S + SENDING_KEY_S) * 1000
"""How long the terminal of a test waits before it types a key that sends."""
SETTLE_S = 30.0
"""How long journal and screen may take to agree with the venue after the flood."""
_FIRST_PAIR = re.compile(r"▸[ ›]*BINANCE")


class Flood:
    """Paper venue, front and workstation, and what was given and seen during the flood."""

    def __init__(self, folder: Path) -> None:
        arguments = [word for switch in SWITCHES for word in ("--set", switch)]
        self.venue = Venue("--control", "--seed", "7", *arguments)
        self.front = Front(self.venue.ready)
        self.home = folder / "home"
        key = self.venue.ready["keys"][0]
        at = self.front.addresses()
        write_profile(
            self.home,
            rest=at["rest"],
            private=at["private"],
            algo=at["algo"],
            public=at["public"],
            portfolio=key["portfolioId"],
            more=LIMITS,
        )
        secrets = {KEY_NAMES["key_env"]: key["api_key"], KEY_NAMES["secret_env"]: key["api_secret"]}
        self.desk = Terminal("--profile", PROFILE, home=self.home, environment=secrets)
        self.placed_ms: list[float] = []
        """From the call that types Enter to the order at the front, ms."""
        self.beside = 0

    @property
    def enter_to_wire_ms(self) -> list[float]:
        """From the byte of Enter to the order at the front, ms."""
        return [one - PAUSE_MS for one in self.placed_ms]

    def close(self) -> None:
        self.desk.close()
        self.front.close()
        self.venue.stop()

    def come_in(self) -> None:
        """Give the typed name, wait until it is in step, arm."""
        desk = self.desk
        desk.see("Type the portfolio name")
        desk.press("main", "enter")
        desk.see("In sync with the venue")
        desk.see("BINANCE", "1t")
        desk.press("a")
        desk.see("Arm portfolio main")
        time.sleep(0.3)
        desk.press("y")
        desk.see("ARMED")

    def trade(self, seconds: float) -> None:
        """Orders by key and from beside the workstation, some of which fill and some of which rest."""
        until = time.monotonic() + seconds
        for turn in self._turns():
            if time.monotonic() > until:
                return
            self._by_key("B" if turn % 2 else "b")
            self._from_beside("BUY" if turn % 3 else "SELL", turn)

    def _turns(self) -> Iterator[int]:
        turn = 0
        while True:
            yield turn
            turn += 1

    def _by_key(self, key: str) -> None:
        self._go_to_quotes()
        self.desk.press(key)
        self.desk.see("Enter sends")
        time.sleep(0.7)
        self.front.lines.forget()
        began = time.monotonic_ns()
        self.desk.press("enter")
        sent = self.front.lines.next("action", lambda line: line["action"] == "place_order", within=20)
        self.placed_ms.append((sent["at"] - began) / 1e6)
        self.desk.gone("Enter sends")

    def _go_to_quotes(self) -> None:
        self.desk.press("1")
        self.desk.until(lambda lines: any(_FIRST_PAIR.search(line) for line in lines), "the first pair")

    def _from_beside(self, side: str, turn: int) -> None:
        order = {"sym": ORDER_SYM, "side": side, "orderQty": "0.001"}
        resting = {"orderType": "LIMIT", "limitPrice": f"{61000 + turn / 10:.1f}", "timeInForce": "GTC", "side": "BUY"}
        given = self.venue.data("POST", ORDER, {**order, "orderType": "MARKET"})
        given = self.venue.data("POST", ORDER, {**order, **resting})
        if turn % 4:
            self.venue.data("DELETE", ORDER, {"orderId": str(given["orderId"])})
        self.beside += 2

    def differences(self) -> list[Difference]:
        """What journal, screen and venue say differently, once they had time to agree."""
        deadline = time.monotonic() + SETTLE_S
        while True:
            venue = comparison.read_venue(self.venue)
            journal = comparison.read_journal(exported_journal(self.home, "--profile", PROFILE))
            prefix = next(iter(journal.intents), "cd------")[:8]
            found = [
                *comparison.compare_fills(journal, venue),
                *comparison.compare_orders(journal, venue, prefix),
                *comparison.compare_screen(self.desk, venue),
            ]
            if not found or time.monotonic() > deadline:
                return found

    def old_quotes(self) -> list[Difference]:
        """Pairs whose last quote does not stand on the screen."""
        desk = self.desk
        bids: dict[str, str] = self.front.ask("newest")["bids"]
        self._go_to_quotes()
        desk.press("0")
        desk.see("1 Quotes", comparison.BACK)
        wanted = {sym: f"{float(bid):,.10f}".rstrip("0").rstrip(".") for sym, bid in bids.items()}

        def missing(lines: list[str]) -> list[str]:
            rows = [line.replace("│", " ") for line in lines]
            return [sym for sym, bid in wanted.items() if not any(bid in line for line in rows)]

        try:
            desk.until(lambda lines: not missing(lines), "the newest quotes", within=10)
        except AssertionError:
            return [Difference("quote", f"{sym}: {wanted[sym]} is not shown") for sym in missing(desk.display)]
        finally:
            desk.press("0")
        return []


def measure(rate: int, seconds: float) -> tuple[dict[str, Any], list[Difference]]:
    """One flood; its figures and what differed after it."""
    with tempfile.TemporaryDirectory(prefix="crossdesk-bench-") as name:
        flood = Flood(Path(name))
        try:
            flood.come_in()
            flood.front.tell(do="rate", value=rate)
            time.sleep(1.0)
            before = flood.front.ask("stats")
            flood.trade(seconds)
            after = flood.front.ask("stats")
            found = [*flood.old_quotes(), *flood.differences()]
        finally:
            flood.close()
    spent = (after["at"] - before["at"]) / 1e9
    figures = {
        "offered_per_s": rounded((after["offered"] - before["offered"]) / spent),
        "taken_per_s": rounded((after["sent"] - before["sent"]) / spent),
        "seconds": rounded(spent),
        "orders_by_key": len(flood.placed_ms),
        "orders_from_beside": flood.beside,
        "key_to_wire_p50_ms": rounded(quantile(flood.enter_to_wire_ms, 0.5)),
        "key_to_wire_p99_ms": rounded(quantile(flood.enter_to_wire_ms, 0.99)),
        "differences": len(found),
    }
    return figures, found


@click.command()
@click.option("--rate", default=100_000, show_default=True, type=click.IntRange(0, 1_000_000), help="Quotes a second.")
@click.option("--seconds", default=60.0, show_default=True, help="Length of the flood.")
@json_option
def command(rate: int, seconds: float, target: Path | None) -> None:
    """Trade under a flood of quotes. Exit 1 when journal, screen and venue differ afterwards."""
    figures, found = measure(rate, seconds)
    for name, value in figures.items():
        click.echo(f"{name:24} {value:g}")
    if target is not None:
        write(target, {"rate": rate, "results": figures})
    if found:
        raise click.ClickException("; ".join(f"{one.kind}: {one.text}" for one in found))
