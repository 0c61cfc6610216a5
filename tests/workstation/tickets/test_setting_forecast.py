"""The form of a leverage against the paper venue: range, refusal and figures foreseen are the venue's, to the digit."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest

from tests.venue.core.drive import code
from tests.workstation.tickets.order.test_forecast import Scene
from tui.interface.decimals import truncate
from tui.interface.families.positions import AccountRecord, SetLeverage, SetMarginLeverage
from tui.rules.account import AccountFigures
from tui.venue.core.commands import Done
from tui.venue.core.market.symbols import SHIPPED
from tui.workstation.features.leverage.forecast import (
    CoinLeverage,
    LeverageForecast,
    LeverageRange,
    PairLeverage,
    list_mode_blockers,
)

pytestmark = pytest.mark.usefixtures("exact")

BATCHES, CASES = 6, 8


def same(row: AccountRecord, figures: AccountFigures, where: str) -> None:
    """The venue's row carries these figures."""
    shown = (row.perp_margin, row.debt_margin, row.available_margin, row.maintain_margin)
    mine = (figures.perp_margin, figures.debt_margin, figures.available, figures.maintenance)
    assert shown == tuple(truncate(one) for one in mine), where
    assert row.uni_mmr == ("999999" if figures.uni_mmr is None else truncate(figures.uni_mmr, 10)), where


@pytest.mark.parametrize("batch", range(BATCHES))
def test_leverage_forecast_of_a_pair_matches_the_venue(batch: int) -> None:
    source = random.Random(f"leverage {batch}")
    for _ in range(CASES):
        scene = Scene(source)
        pair = scene.pair()
        if not pair.is_perp:
            continue
        wanted = source.choice((1, 2, 5, 20, 40, 50, 75, 100, 101))
        target, mirror, main = PairLeverage(pair.sym), scene.mirror(), scene.desk.main
        allowed, found = target.range(mirror), target.forecast(mirror, wanted)
        assert isinstance(allowed, LeverageRange) and isinstance(found, LeverageForecast)
        where = f"{pair.sym} to {wanted}"
        same(scene.account(pair.exchange), found.before, where)
        reply = scene.desk.do(SetLeverage(portfolio=main, sym=pair.sym, leverage=str(wanted)))
        if wanted > allowed.most:
            assert code(reply) == 401908, where
        elif str(wanted) != target.present(mirror) and not found.has_margin:
            assert code(reply) == 401920, where
        else:
            assert isinstance(reply, Done), where
            same(scene.account(pair.exchange), found.after, where)
            assert target.present(scene.mirror()) == str(wanted)
            rows = [row for row in scene.desk.exchange.queries.positions(main) if row.sym == pair.sym]
            for row in rows:
                price = found.liq_after
                assert row.liq_price == (None if price is None else truncate(price)), where


@pytest.mark.parametrize("batch", range(BATCHES))
def test_margins_after_a_coin_leverage_change_match_the_venue(batch: int) -> None:
    source = random.Random(f"margin leverage {batch}")
    for _ in range(CASES):
        scene = Scene(source)
        loan = source.choice(list(scene.desk.exchange.queries.loans()))
        wanted = source.choice((1, 2, 3, 4, 5, 6))
        target, mirror = CoinLeverage(loan.exchange, loan.coin), scene.mirror()
        allowed, found = target.range(mirror), target.forecast(mirror, wanted)
        assert isinstance(allowed, LeverageRange) and isinstance(found, LeverageForecast)
        command = SetMarginLeverage(
            portfolio=scene.desk.main, exchange_type=loan.exchange, coin=loan.coin, leverage=str(wanted)
        )
        reply, where = scene.desk.do(command), f"{loan.coin} on {loan.exchange} to {wanted}"
        if wanted > allowed.most:
            assert code(reply) == 401908, where
        elif str(wanted) != target.present(mirror) and not found.has_margin:
            assert code(reply) == 401920, where
        else:
            assert isinstance(reply, Done), where
            same(scene.account(loan.exchange), found.after, where)


def test_the_leverage_form_has_the_risk_tiers_of_the_pair() -> None:
    scene = Scene(random.Random("tiers"))
    sym = "BINANCE_PERP_BTC_USDT"
    allowed = PairLeverage(sym).range(scene.mirror())
    assert isinstance(allowed, LeverageRange)
    assert allowed.tiers == tuple((tier.cap, tier.max_leverage) for tier in SHIPPED[sym].tiers)


def test_perpetual_positions_and_orders_block_a_mode_change() -> None:
    for number in range(12):
        scene = Scene(random.Random(f"standing {number}"))
        mirror, queries, main = scene.mirror(), scene.desk.exchange.queries, scene.desk.main
        for venue in ("BINANCE", "OKX", "EDX"):
            here = f"{venue}_PERP_"
            held = [row for row in queries.positions(main) if row.sym.startswith(here) and Decimal(row.position_qty)]
            waiting = [row for row in queries.open_orders(main) if row.sym.startswith(here)]
            found = list_mode_blockers(mirror, venue)
            assert [one.pane for one in found] == ["positions"] * len(held) + ["orders"] * len(waiting)
            prices = [one.text.rpartition("@ ")[2] for one in found if "@ " in one.text]
            assert all("." in price for price in prices), "with the decimals of the tick"
