"""Hands on the keyboard of a workstation, and the venue's main key beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.terminal.conftest import STILL
from tests.terminal.misbehaving import KEY_NAMES, write_profile
from tests.terminal.terminal import Terminal
from tests.venue.shell.conftest import Venue

ACCOUNT = "/api/v1/trading/account"


_SENDERS = {"Enter sends": "enter", "y sends": "y"}
"""What the ticket says of the key that sends it."""


def send(desk: Terminal, key: str = "") -> None:
    """Press the key that the ticket names, or another one; what it asks is answered with y."""

    def shown(words: Iterable[str], what: str) -> str:
        return desk.until(
            lambda display: next((word for word in words if any(word in line for line in display)), None), what
        )

    ends = ("│ ? ", " ticket ━", " ticket ─")
    desk.press(key or _SENDERS[shown(_SENDERS, "the key that sends")])
    if shown(ends, "the question or the end of the ticket") == "│ ? ":
        desk.press("y")
        desk.gone("y sends")


class Trader:
    """Hands on the keyboard of a workstation, and the venue's main key beside it."""

    def __init__(self, venue: Venue, desk: Terminal) -> None:
        self.venue, self.desk = venue, desk

    def come_in(self) -> None:
        """Give the typed name, wait until it is in step, arm."""
        desk = self.desk
        desk.see("Type the portfolio name 'main'")
        desk.press("main", "enter")
        desk.see("In sync with the venue")
        desk.see("BINANCE", "1t")
        desk.see("min 0.001", "min notional 5")
        desk.press("a")
        desk.see("Arm portfolio main")
        desk.press("y")
        desk.see("ARMED")

    def mode(self, word: str) -> None:
        """Switch the account over REST, from beside the workstation."""
        self.venue.data("POST", ACCOUNT, {"exchangeType": "BINANCE", "positionMode": word})

    def stage(self, key: str, size: str, *words: str) -> None:
        """Stage at the opposite touch, so that it fills."""
        self.desk.press("1", key)
        self.desk.see("Staged", *words)
        self.desk.press(*size)
        self.desk.see("size", f"▸{size} ")
        self.desk.press("tab")
        self.desk.see("Enter sends")
        self.desk.press("T")
        self.desk.see("would take")

    def send(self, key: str = "") -> None:
        """The key that the ticket names, or another one; what it asks is answered with y."""
        send(self.desk, key)

    def rest_one(self) -> None:
        """Buy the smallest size at the own touch; it rests."""
        self.desk.press("1")
        self.desk.until(
            lambda display: any(re.search(r"▸[ ›]*BINANCE", line) for line in display) or None, "the first pair"
        )
        self.desk.press("b")
        self.desk.see("Staged", "BUY BINANCE BTC perp")
        self.send()
        self.desk.see("OPEN", "BINANCE BTC")

    def orders(self) -> list[dict[str, Any]]:
        """The orders that work at the venue."""
        rows: list[dict[str, Any]] = self.venue.data("GET", "/api/v1/trading/orders")["list"]
        return rows

    def legs(self) -> dict[str, dict[str, Any]]:
        """The venue's rows by leg."""
        return {row["positionSide"]: row for row in self.venue.data("GET", "/api/v1/trading/position")}

    def holds(self, *legs: str) -> dict[str, dict[str, Any]]:
        """Wait until the venue has exactly these legs."""
        self.desk.until(lambda _: set(self.legs()) == set(legs) or None, f"the legs {legs} at the venue")
        return self.legs()

    def shows(self, leg: str, row: dict[str, Any]) -> None:
        """Size and entry of a leg on the screen are those of the venue's row."""

        def equal(display: list[str]) -> bool:
            place = 2
            for line in display:
                if "entry" in line:
                    names = line.split()
                    place = names.index("entry") - names.index("leg")
                found = re.search(rf"BINANCE BTC\s+{leg}\s+(\S.*)", line)
                if found is not None:
                    figures = found.group(1).replace(",", "").split()
                    wanted = (Decimal(row["positionQty"]), Decimal(row["avgPrice"]))
                    return (Decimal(figures[0]), Decimal(figures[place - 1])) == wanted
            return False

        self.desk.until(equal, f"{leg} {row['positionQty']} @ {row['avgPrice']}")

    def select(self, leg: str) -> None:
        """Move the cursor of the positions to a leg."""
        self.desk.press("3")
        self.desk.until(lambda display: any("▸BINANCE BTC" in line for line in display) or None, "the cursor")
        lines = [line for line in self.desk.display if re.search(r"BINANCE BTC\s+(LONG|SHORT)\s", line)]
        now = next(at for at, line in enumerate(lines) if "▸BINANCE BTC" in line)
        wanted = next(at for at, line in enumerate(lines) if leg in line)
        self.desk.press(*["j" if wanted > now else "k"] * abs(wanted - now))
        self.desk.see("▸BINANCE BTC", leg)

    def order(self, *words: str) -> None:
        """The orders list says what an order is for."""
        self.desk.see("FILLED", "BINANCE BTC", *words)


@contextmanager
def at_the_desk(
    start: Callable[..., Terminal], folder: Path, *switches: str, more: str = "", **options: Any
) -> Iterator[Trader]:
    """A still venue, and a workstation on its main key; afterwards no control byte has reached the terminal.

    Args:
        start: Starts terminals.
        folder: Of the test.
        switches: Further arguments of the venue.
        more: Further TOML tables of the config.
        options: Of the terminal.
    """
    venue = Venue(*STILL, "--set", "rate_profile=off", *switches)
    try:
        key = venue.ready["keys"][0]
        assert key["name"] == "main"
        addresses = {"rest": "rest_url", "private": "private_ws_url", "public": "public_ws_url", "algo": "algo_ws_url"}
        home = folder / "home"
        urls = {name: venue.ready[url] for name, url in addresses.items()}
        write_profile(home, portfolio=key["portfolioId"], more=more, **urls)
        secrets = {KEY_NAMES["key_env"]: key["api_key"], KEY_NAMES["secret_env"]: key["api_secret"]}
        desk = start("--profile", "desk", home=home, environment=secrets, columns=160, lines=48, **options)
        yield Trader(venue, desk)
        desk.until(lambda _: desk.raw_control_bytes() == [] or None, "a terminal without control bytes")
        assert key["api_secret"].encode() not in desk.bytes
    finally:
        venue.stop()
