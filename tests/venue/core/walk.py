"""A seeded walk of commands over one venue, everything in one price range, so that orders meet often."""

from __future__ import annotations

from tests.venue.core.drive import OKX, PERP, SPOT, Desk
from tests.venue.core.seeded import Seeded
from tui.interface.families.algo import CancelAlgo, PlaceAlgo
from tui.interface.families.orders import CancelAllOrders, CancelOrder, PlaceOrder, ReplaceOrder
from tui.venue.core.commands import Advance, Command, MoveMarket


def commands(desk: Desk, seed: str, count: int) -> list[tuple[Command, int]]:
    """(command, ms after the one before); ids are drawn from what the venue has at that moment, so this also drives it."""
    source = Seeded(seed)
    done: list[tuple[Command, int]] = []
    for number in range(count):
        command = _draw(desk, source, number)
        gap = (0, 0, 1, 1, 2, 3, 40, 1100)[source.randrange(8)]
        done.append((command, gap))
        desk.do(command, gap)
    return done


def _draw(desk: Desk, source: Seeded, number: int) -> Command:
    portfolio = (desk.main, desk.sub)[source.randrange(2)]
    kind = source.randrange(22)
    known = desk.exchange.queries.orders(portfolio)[:6]
    if kind < 12 or not known:
        return _place(portfolio, source, number)
    order = known[source.randrange(len(known))].order_id
    if kind < 15:
        return ReplaceOrder(
            portfolio=portfolio,
            order_id=order,
            replace_qty=_qty(source, known[0].sym) if source.randrange(3) else "",
            replace_price=_price(source),
        )
    if kind < 18:
        return CancelOrder(portfolio=portfolio, order_id=order)
    if kind < 19:
        return CancelAllOrders(portfolio=portfolio) if not source.randrange(3) else Advance()
    if kind >= 20:
        return _algo(desk, portfolio, source)
    return MoveMarket(coin="BTC", price=str(61_000 + source.randrange(1600)))


def _algo(desk: Desk, portfolio: str, source: Seeded) -> Command:
    known = desk.exchange.queries.algos(portfolio)[:4]
    if known and source.randrange(2):
        return CancelAlgo(portfolio=portfolio, algo_order_id=known[source.randrange(len(known))].algo_order_id)
    return PlaceAlgo(
        portfolio=portfolio,
        algo_order_type="TPSL",
        sym=PERP,
        side=("BUY", "SELL")[source.randrange(2)],
        condition_type=("CONDITIONAL", "ENTIRE_CLOSE_POSITION")[source.randrange(2)],
        order_qty=_qty(source, PERP),
        conditional_trigger_price=_price(source),
        sl_trigger_price=_price(source),
        sl_price=_price(source) if source.randrange(2) else "",
    )


def _place(portfolio: str, source: Seeded, number: int) -> PlaceOrder:
    sym = (PERP, PERP, SPOT, OKX)[source.randrange(4)]
    is_market = not source.randrange(4)
    protected = not source.randrange(4)
    tif = ("", "GTC", "GTC", "IOC", "FOK", "GTX")[source.randrange(6)]
    return PlaceOrder(
        portfolio=portfolio,
        sym=sym,
        side=("BUY", "SELL")[source.randrange(2)],
        order_type="MARKET" if is_market else "LIMIT",
        time_in_force="" if is_market else tif,
        order_qty=_qty(source, sym),
        limit_price="" if is_market else _price(source),
        client_order_id=f"walk{number}" if source.randrange(2) else "",
        reduce_only=not source.randrange(5),
        sl_trigger_price=_price(source) if protected else "",
        sl_trigger_type=("LAST_PRICE", "MARK_PRICE")[source.randrange(2)],
        tp_trigger_price=_price(source) if protected and source.randrange(2) else "",
    )


def _qty(source: Seeded, sym: str) -> str:
    digit = 1 + source.randrange(9)
    return str(digit) if sym == OKX else f"0.0{digit}"


def _price(source: Seeded) -> str:
    return str(61_790 + source.randrange(20))
