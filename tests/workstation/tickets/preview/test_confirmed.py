"""What is confirmed is what leaves: the text of a ticket against the arguments of its frame, and against look-alikes."""

from __future__ import annotations

import random
import re
from decimal import Decimal

import msgspec

from tests.workstation.driver import Desk, desk
from tui.engine.event_line import Level
from tui.engine.intents import Decision, Place
from tui.engine.modes import Environment, TradingState
from tui.engine.state import order_requests
from tui.interface.families.orders import OrderType, TimeInForce
from tui.workstation.input.scopes import Scope
from tui.workstation.tickets.order.checks import is_size_refused
from tui.workstation.tickets.order.terms import PositionEffect, PriceMode
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.preview.figures import figures_of, journal_text

SYMS = ("BINANCE_PERP_BTC_USDT", "OKX_PERP_BTC_USDT", "BINANCE_SPOT_ETH_USDT", "BINANCE_PERP_SOL_USDT")
DECISION = Decision(environment=Environment.PAPER, portfolio="7001", state=TradingState.ARMED, source="test")


def drawn(at: Desk, source: random.Random) -> Ticket:
    """A ticket as keys could have made it."""
    sym = source.choice(SYMS)
    info = at.app.main_screen.view.info(sym)
    assert info is not None
    lot, tick = Decimal(info.lot_size), Decimal(info.tick_size)
    quote = at.app.main_screen.view.mirror.quotes[sym]
    price = Decimal(quote.bid) + tick * source.randint(-50, 50)
    perp = "PERP" in sym
    hedge = perp and source.random() < 0.5
    effects = (
        (PositionEffect.OPEN_LONG, PositionEffect.CLOSE_LONG, PositionEffect.OPEN_SHORT, PositionEffect.CLOSE_SHORT)
        if hedge
        else (PositionEffect.BUY, PositionEffect.SELL)
    )
    market = source.random() < 0.2
    price_mode = source.choice(tuple(PriceMode))
    return Ticket(
        sym=sym,
        info=info,
        hedge=hedge,
        effect=source.choice(effects),
        order_type=OrderType.MARKET if market else OrderType.LIMIT,
        tif=source.choice(tuple(TimeInForce)),
        reduce_only=perp and not hedge and source.random() < 0.3,
        price_mode=price_mode,
        price=str(price) if price_mode is PriceMode.TYPED else "",
        qty=str(lot * source.randint(1, 5000)),
    )


def arguments(intent: Place) -> dict[str, str]:
    """What stands on the wire."""
    return order_requests.place_order(intent, "cd1")


def read(text: str) -> dict[str, str]:
    """The arguments as somebody would read them off the preview."""
    words = re.fullmatch(
        r"(?P<side>BUY|SELL)(\+(?P<leg>LONG|SHORT))? ((?P<wish>open|close) \w+ )?"
        r"(?P<venue>\w+) (?P<base>\w+) (?P<kind>perp|spot|margin)"
        r"(?P<reduce> reduce-only)? · (?P<qty>[0-9.,]+) (?P<unit>\w+).*",
        text,
    )
    assert words is not None, text
    found = {
        "sym": f"{words['venue']}_{words['kind'].upper()}_{words['base']}_USDT",
        "side": words["side"],
        "orderQty": words["qty"].replace(",", ""),
    }
    if words["leg"]:
        found["positionSide"] = words["leg"]
    else:
        found["reduceOnly"] = "true" if words["reduce"] else "false"
    rest = text.partition(" USDT · ")[2]
    if rest.startswith("MARKET "):
        return {**found, "orderType": "MARKET"}
    price, _, more = rest.partition(" ")
    tif = next(word for word in more.split() if word in ("post-only", *TimeInForce))
    return {
        **found,
        "orderType": "LIMIT",
        "limitPrice": price.replace(",", ""),
        "timeInForce": "GTX" if tif == "post-only" else tif,
    }


async def test_s45_the_order_sent_matches_the_preview() -> None:
    source, seen = random.Random(45), set[tuple[str, ...]]()
    async with desk(200, 50) as at:
        view = at.app.main_screen.view
        for _ in range(400):
            ticket = drawn(at, source)
            quote = view.mirror.quotes[ticket.sym]
            if is_size_refused(ticket, quote):
                continue
            text = journal_text(figures_of(ticket, quote, view))
            sent = arguments(ticket.place(DECISION, quote, frozenset(), text))
            sent.pop("clientOrderId")
            told = read(text)
            for name in ("orderQty", "limitPrice"):
                assert Decimal(told.pop(name, "0")) == Decimal(sent.pop(name, "0")), (text, sent)
            assert told == sent, text
            seen.add(tuple(sorted(sent.values())))
    assert len(seen) > 50, "the tickets are too much alike to prove anything"


async def test_s45_a_changed_price_or_size_changes_the_preview_text() -> None:
    """The reader above is not blind: a changed ticket reads otherwise."""
    async with desk(200, 50) as at:
        view = at.app.main_screen.view
        ticket = Ticket(
            sym=SYMS[0],
            info=view.info(SYMS[0]),
            hedge=False,
            effect=PositionEffect.BUY,
            price_mode=PriceMode.TYPED,
            price="64000",
            qty="0.5",
        )
        quote = view.mirror.quotes[SYMS[0]]
        one = read(journal_text(figures_of(ticket, quote, view)))
        for change in (
            {"price": "64000.1"},
            {"qty": "0.501"},
            {"effect": PositionEffect.SELL},
            {"tif": TimeInForce.IOC},
        ):
            changed = msgspec.structs.replace(ticket, **change)
            other = read(journal_text(figures_of(changed, quote, view)))
            assert other != one, change


async def test_s47_service_text_that_imitates_a_prompt_opens_none() -> None:
    """A hostile sentence stands in its field of its list; no prompt opens and no key answers it."""
    evil = "Place BUY 100 BTC perp?  y yes  n no"
    async with desk(160, 45) as at:
        at.port.order("h1", SYMS[0], "BUY", "64000.0", "1", reason=evil, state="REJECT")
        at.port.event(evil, Level.ALERT)
        await at.settle()
        rows = [line for line in at.text().splitlines() if "Place BUY 100" in line]
        assert rows
        time, _, _ = rows[0].strip().partition(" ")
        assert re.fullmatch(r"\d\d:\d\d:\d\d", time), "a line of the events, with its time before it"
        assert at.scope() is Scope.QUOTES, "no prompt has opened"
        await at.press("y")
        assert at.port.intents == []
        assert at.scope() is Scope.QUOTES
