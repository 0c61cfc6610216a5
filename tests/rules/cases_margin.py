"""Margin, liquidation, deleveraging, queue and previews: inputs of a case to our figures."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from tui.interface.families.orders import Side
from tui.rules import account, adl, liquidation, margin, preview, queue
from tui.rules.liquidation import Collateral, LiquidationLeg
from tui.rules.margin import MarginTier

Inputs = dict[str, Any]


def _sign(leg: Inputs) -> int:
    return -1 if leg.get("side") == "SHORT" else 1


def _tiers(rows: list[list[str]]) -> tuple[MarginTier, ...]:
    return margin.add_cum(MarginTier(Decimal(floor), Decimal(cap), Decimal(mmr)) for floor, cap, mmr in rows)


def _margin_tiers(i: Inputs) -> Inputs:
    tiers = _tiers(i["tiers"])
    return {
        "cum": [tier.cum for tier in tiers],
        "mm": {value: margin.maintenance(tiers, Decimal(value), cumulative=True) for value in i["notionals"]},
    }


def _account(i: Inputs) -> Inputs:
    others = i.get("others", [])
    other_mm = Decimal(i.get("tmm_other", 0))
    other_upnl = Decimal(0)
    for one in others:
        other_mm += Decimal(one["qty"]) * Decimal(one["mark"]) * Decimal(one["mmr"]) - Decimal(one["cum"])
        other_upnl += _sign(one) * Decimal(one["qty"]) * (Decimal(one["mark"]) - Decimal(one["entry"]))
    found = liquidation.price(
        Decimal(i["wallet"]) + other_upnl,
        other_mm,
        [LiquidationLeg(_sign(leg), Decimal(leg["qty"]), Decimal(leg["entry"])) for leg in i["legs"]],
        [(Decimal(leg["mmr"]), Decimal(leg["cum"])) for leg in i["legs"]],
        Collateral(Decimal(i.get("collateral_qty", 0)), Decimal(i.get("collateral_haircut", 0)), Decimal(0)),
    )
    return {"tmm_other": other_mm, "upnl_other": other_upnl, "liq_price": found}


def _account_tiers(i: Inputs) -> Inputs:
    leg, tiers = i["leg"], _tiers(i["tiers"])
    one = LiquidationLeg(_sign(leg), Decimal(leg["qty"]), Decimal(leg["entry"]))
    found = [
        liquidation.price_with_tiers(Decimal(wallet), Decimal(0), [one], tiers, marks=[Decimal(leg["mark"])])
        for wallet in i["wallets"]
    ]
    return {"liq_price": found}


def _bankrupt(i: Inputs) -> Inputs:
    legs = [LiquidationLeg(_sign(leg), Decimal(leg["qty"]), Decimal(leg["mark"])) for leg in i["legs"]]
    return {
        "bankrupt": liquidation.bankruptcy_price(
            Decimal(i["equity"]), legs, Decimal(i.get("collateral_qty", 0)), legs[0].mark
        )
    }


def _haircut(i: Inputs) -> Inputs:
    value = margin.margin_value(
        margin.CollateralCoin(Decimal(one["qty"]), Decimal(one["index"]), Decimal(one["haircut"]))
        for one in i["assets"]
    )
    uni = margin.uni_mmr(value, Decimal(i["maintenance"]))
    assert uni is not None
    assert margin.risk_ratio(uni) == Decimal("0.1226")
    return {"margin_value": value, "uniMMR": uni, "riskRatio": 1 / uni}


def _figures(i: Inputs) -> Inputs:
    found = margin.position_figures(
        Decimal(i["qty"]),
        Decimal(i["entry"]),
        Decimal(i["mark"]),
        Decimal(i["leverage"]),
        [MarginTier(Decimal(0), Decimal(10**12), Decimal(i["mmr"]))],
    )
    return {
        "positionValue": found.value,
        "positionMargin": found.margin,
        "positionMM": found.maintenance,
        "unrealizedPNL": found.unrealised,
        "unrealizedPNLRate": found.rate,
    }


def _lights(i: Inputs) -> Inputs:
    ranked = adl.rank(adl.AdlCandidate(one["id"], Decimal(one["qty"]), Decimal(one["score"])) for one in i["accounts"])
    return {
        "order": [one.id for one in ranked],
        "cumulative_share_pct": [one.share for one in ranked],
        "lights": [one.lights for one in ranked],
        "closes": adl.allocate(ranked, Decimal(i["liquidated_qty"])),
    }


def _leverage_score(i: Inputs) -> Inputs:
    found = adl.leverage_score(_sign(i), Decimal(i["entry"]), Decimal(i["mark"]), Decimal(i["bankrupt"]))
    return {"pnl_pct": found.pnl_share, "eff_leverage": found.leverage, "score": found.score}


def _queue_position(i: Inputs) -> Inputs:
    front, back, drop, model = Decimal(i["front"]), Decimal(i["back"]), Decimal(i["drop"]), i["model"]
    return queue.position_after_drop(front, back, drop, queue.power(int(model.partition(":")[2])))._asdict()


def _queue_trades(i: Inputs) -> Inputs:
    fills = queue.compute_fills(Decimal(i["ahead"]), Decimal(i["own"]), [Decimal(trade) for trade in i["trades"]])
    return {"fills": fills, "own_left": Decimal(i["own"]) - sum(fills)}


def _preview(i: Inputs) -> Inputs:
    """One coin, one pair; the figures before and after through the same functions as the venue's."""
    tiers = [MarginTier(Decimal(0), Decimal(10**12), Decimal(i["mmr"]))]
    terms = account.PerpTerms("P", "BASE", Decimal(i["mark"]), Decimal(i["leverage"]), tiers)
    wallet = account.AccountCoin("USDT", Decimal(i["wallet"]), Decimal(1), Decimal(1))
    legs = tuple(
        account.PositionLeg(terms, leg["side"], _sign(leg) * Decimal(leg["qty"]), Decimal(leg["entry"]))
        for leg in i["legs"]
    )
    order, row = i["order"], account.Account(legs, (wallet,))
    rate = Decimal(i["taker"] if order["takes"] else i["maker"])
    part = preview.FillPart(Decimal(order["qty_base"]), Decimal(order["price"]), rate)
    found = preview.fill_perpetual(row, terms, order["position_side"], Side(order["side"]), [part])
    before, after = account.compute_figures(row), account.compute_figures(found.account)
    return {
        "fee": found.fee,
        "liq_before": account.liq_price(row, before, "P"),
        "liq_after": account.liq_price(found.account, after, "P"),
        "uniMMR_before": before.uni_mmr,
        "uniMMR_after": after.uni_mmr,
        "available_after": after.available,
    }


RULES: dict[str, Callable[[Inputs], Inputs]] = {
    "margin.tiers": _margin_tiers,
    "margin.haircut": _haircut,
    "position.figures": _figures,
    "liq.account": _account,
    "liq.account_tiers": _account_tiers,
    "liq.bankrupt_account": _bankrupt,
    "adl.lights": _lights,
    "adl.score_leverage": _leverage_score,
    "queue.position": _queue_position,
    "queue.trades": _queue_trades,
    "preview.fill": _preview,
}
