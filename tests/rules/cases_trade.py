"""Units, rounding, fees, results and sizes: inputs of a case to our figures."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from tui.interface.decimals import ZERO, plain
from tui.interface.families.orders import Side
from tui.rules import bands, fees, funding, pnl, rounding, sizes, triggers, units

Inputs = dict[str, Any]


def _units_linear(i: Inputs) -> Inputs:
    contracts, size, price = Decimal(i["contracts"]), Decimal(i["contract_size"]), Decimal(i["price"])
    found: Inputs = {"base": units.base(contracts, size), "quote": units.notional(contracts, size, price)}
    if "typed" in i:
        found["echo"] = f"{plain(contracts)} ct = {plain(found['base'])} {i['coin']}"
        found["contracts_for_wish_of_10_base"] = rounding.quantity(Decimal(i["typed"]) / size, Decimal(1))
    return found


def _derived_price(i: Inputs) -> Inputs:
    price, tick = Decimal(i["price"]), Decimal(i["tick"])
    return {
        "buy": rounding.round_limit_price(price, tick, Side.BUY),
        "sell": rounding.round_limit_price(price, tick, Side.SELL),
    }


def _trigger(i: Inputs) -> Inputs:
    price, tick = Decimal(i["price"]), Decimal(i["tick"])
    return {
        "sell_stop": rounding.round_stop_trigger(price, tick, Side.SELL),
        "buy_stop": rounding.round_stop_trigger(price, tick, Side.BUY),
    }


def _off_tick(i: Inputs) -> Inputs:
    price, tick = Decimal(i["price"]), Decimal(i["tick"])
    return {"on_tick": rounding.is_multiple(price, tick), **rounding.neighbours(price, tick)._asdict()}


def _close_exempt(i: Inputs) -> Inputs:
    worth, least = Decimal(i["position_notional_quote"]), Decimal(i["min_notional"])
    close = bands.meets_min_notional(worth, least, closes=True)
    sell = bands.meets_min_notional(worth, least, closes=False)
    return {
        "close": "allowed" if close else "refused",
        "sell": "allowed" if sell else "refused",
        "hint": "use close" if close and not sell else "",
    }


def _hedge_reduce(i: Inputs) -> Inputs:
    short, price = -Decimal(i["short_leg"]), Decimal(1)
    fill = pnl.apply_one_way_fill(short, price, Side(i["side"]), Decimal(i["qty"]), price, reduce_only=True)
    cancelled = Decimal(i["qty"]) - fill.executed
    return {
        "filled_at_most": fill.executed,
        "cancelled": cancelled,
        "long_leg": i["long_leg"],
        "short_leg": -fill.position,
        "cancel_type": "REDUCE_ONLY" if cancelled else "",
    }


def _oneway_fill(i: Inputs) -> Inputs:
    found = pnl.apply_one_way_fill(
        Decimal(i["position"]),
        Decimal(i["entry"]),
        Side(i["side"]),
        Decimal(i["qty"]),
        Decimal(i["price"]),
        reduce_only=i["reduce_only"],
    )
    return {
        "executed": found.executed,
        "realised": found.realised,
        "position": found.position,
        "entry": found.entry,
    }


def _average_entry(i: Inputs) -> Inputs:
    position, entry = Decimal(0), None
    for quantity, price in i["fills"]:
        fill = pnl.apply_one_way_fill(position, entry, Side.BUY, Decimal(quantity), Decimal(price))
        position, entry = fill.position, fill.entry
    return {"entry": entry}


def _unrealised(i: Inputs) -> Inputs:
    sign = 1 if i["side"] == "LONG" else -1
    return {
        name: pnl.linear_result(sign, Decimal(i["qty"]), Decimal(i["entry"]), Decimal(at))
        for name, at in i["at"].items()
    }


def _path(i: Inputs) -> Inputs:
    position, entry, realised = Decimal(0), None, Decimal(0)
    entries = []
    for side, quantity, price in i["fills"]:
        after = pnl.apply_one_way_fill(position, entry, Side(side), Decimal(quantity), Decimal(price))
        position, entry, realised = after.position, after.entry, realised + after.realised
        entries.append(entry)
    return {"realised": realised, "entries_after_each_fill": entries, "position": position}


def _closed_trade(i: Inputs) -> Inputs:
    sign = 1 if i["side"] == "LONG" else -1
    quantity, opened, closed, taker = (
        Decimal(i["qty"]),
        Decimal(i["open_price"]),
        Decimal(i["close_price"]),
        Decimal(i["taker"]),
    )
    gross = pnl.linear_result(sign, quantity, opened, closed)
    opening, closing = fees.split(quantity * opened, taker).fee, fees.split(quantity * closed, taker).fee
    net = pnl.net_result(gross, fee=opening + closing, funding=Decimal(i["funding"]))
    return {"gross": gross, "open_fee": opening, "close_fee": closing, "net": net}


def _funding_linear(i: Inputs) -> Inputs:
    quantity, mark, rate = Decimal(i["qty_base"]), Decimal(i["mark"]), Decimal(i["rate"])
    return {
        "long": funding.linear(1, quantity, mark, rate),
        "short": funding.linear(-1, quantity, mark, rate),
        "simple_annualised": funding.annualise_simply(rate, Decimal(i["payments_per_day"])),
    }


def _break_even(i: Inputs) -> Inputs:
    def at(sign: int) -> Decimal:
        return pnl.break_even(
            sign,
            Decimal(i["entry"]),
            Decimal(i["qty"]),
            fees=Decimal(i["paid_fees"]),
            rebates=Decimal(i["rebates"]),
            funding_received=Decimal(i["funding_received"]),
            taker=Decimal(i["taker"]),
        )

    return {"long": at(1), "short": at(-1)}


def _sweep(i: Inputs) -> Inputs:
    levels = [(Decimal(price), Decimal(size)) for price, size in i["levels"]]
    quantity, mid = Decimal(i["qty"]), Decimal(i["mid"])
    takes = sizes.list_takes(quantity, levels, Side.BUY)
    taken = sum((part for _, part in takes), ZERO)
    average = sum((price * part for price, part in takes), ZERO) / taken
    return {"average": average, "cost_bp_over_mid": (average - mid) / mid * 10000, "unfilled": quantity - taken}


def _max_open(i: Inputs) -> Inputs:
    return {
        "contracts": [
            sizes.max_open(
                Decimal(i["available"]),
                Side(i["side"]),
                Decimal(price),
                Decimal(i["mark"]),
                leverage=Decimal(i["leverage"]),
                taker=Decimal(i["taker"]),
                contract_size=Decimal(i["contract_size"]),
                lot=Decimal(i["lot"]),
            )
            for price in i["prices"]
        ]
    }


def _trigger_source(i: Inputs) -> Inputs:
    side = Side.SELL if i["kind"].startswith("SELL") else Side.BUY
    return {
        f"{name.upper()}_PRICE": "fires"
        if triggers.fires(triggers.TriggerKind.STOP, side, Decimal(i["trigger"]), Decimal(i[name]))
        else "waits"
        for name in ("last", "mark")
    }


def _ladder(i: Inputs) -> Inputs:
    count, whole = int(i["rungs"]), Decimal(i["qty"])
    prices = sizes.spread_prices(Decimal(i["from"]), Decimal(i["to"]), count)
    parts = sizes.split_quantity(whole, sizes.list_weights(count, i["weights"]), Decimal(i["lot"]))
    worth = sum((price * part for price, part in zip(prices, parts, strict=True)), Decimal(0))
    return {"prices": prices, "qty": parts, "average": worth / whole}


RULES: dict[str, Callable[[Inputs], Inputs]] = {
    "units.linear": _units_linear,
    "round.derived_price": _derived_price,
    "round.qty": lambda i: {"qty": rounding.quantity(Decimal(i["qty"]), Decimal(i["step"]))},
    "round.trigger": _trigger,
    "round.off_tick": _off_tick,
    "min_notional.close_exempt": _close_exempt,
    "position.hedge_reduce": _hedge_reduce,
    "position.oneway_fill": _oneway_fill,
    "pnl.average_entry": _average_entry,
    "pnl.unrealised": _unrealised,
    "pnl.path": _path,
    "net.closed_trade": _closed_trade,
    "fee.split": lambda i: fees.split(Decimal(i["notional"]), Decimal(i["rate"]))._asdict(),
    "fee.signed_push": lambda i: fees.split_signed(Decimal(i["tradingFee"]))._asdict(),
    "funding.linear": _funding_linear,
    "breakeven": _break_even,
    "match.sweep_estimate": _sweep,
    "size.max_open": _max_open,
    "trigger.source": _trigger_source,
    "algo.ladder": _ladder,
}
