"""Title of a staged ticket: side and pair stand in it at every size."""

from __future__ import annotations

import re
from decimal import Decimal

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.ticket_desk import BTC
from tui.engine.limits import Limits, SymLimits
from tui.engine.modes import RiskMode
from tui.engine.rows import Table
from tui.interface.decimals import plain


def read_title(at: Desk) -> str:
    return at.text().split("\n")[at.app.main_screen.panel.region.y]


@pytest.mark.parametrize("keys", ["", "tab", "0"])
@pytest.mark.parametrize("size", [(60, 15), (40, 10), (80, 24)])
async def test_the_ticket_title_names_side_leg_and_pair_at_every_size(size: tuple[int, int], keys: str) -> None:
    async with desk(*size) as at:
        await at.press("1", "b", *([keys] if keys else []))
        assert "BUY+LONG open long BINANCE BTC perp" in read_title(at)


@pytest.mark.parametrize(("size", "end"), [((60, 15), "━━┥"), ((72, 24), " PAPER main ━━┥"), ((100, 30), " or 1% ━━┥")])
async def test_the_ticket_title_shows_size_examples_where_they_fit(size: tuple[int, int], end: str) -> None:
    async with desk(*size) as at:
        await at.press("1", "b", "tab")
        assert at.app.main_screen.panel.size_field.has_focus
        assert "BINANCE BTC perp" in read_title(at) and end in read_title(at)


async def test_the_size_example_in_a_ticket_title_fits_the_lot() -> None:
    async with desk(120, 36) as at:
        info = at.app.mirror.symbols[BTC]
        at.port.put(Table.SYMBOLS, BTC, msgspec.structs.replace(info, lot_size="0.003"))
        await at.press("1", "b", "tab")
        assert " e.g. 0.498 BTC, $16000 or 1%" in read_title(at)


def _limit(**changes: str) -> Limits:
    most = {"hard_notional": "9000000", **changes}
    return Limits(soft_notional="9000000", first_of_day=False, sym={BTC: SymLimits(**most)})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "limits",
    [
        _limit(max_position="171000"),
        _limit(max_position="169000"),
        _limit(max_qty="0.021"),
        _limit(hard_notional="1999"),
    ],
)
async def test_the_largest_size_in_the_ticket_title_is_accepted(limits: Limits) -> None:
    """Whatever bounds it: the number itself would be sent, one lot more would be refused."""
    async with desk(140, 40) as at:
        at.port.set_desk(limits=limits)
        await stage(at)
        await expect_largest(at)


async def stage(at: Desk) -> None:
    account = at.app.mirror.accounts["BINANCE"]
    free = msgspec.structs.replace(account.record, available_margin="90000")
    at.port.put(Table.ACCOUNTS, "BINANCE", msgspec.structs.replace(account, record=free))
    await at.press("1", "g", "j", "b", "tab")


async def expect_largest(at: Desk) -> None:
    shown = re.search(r"max ([0-9.]+) BTC", read_title(at))
    assert shown is not None, read_title(at)
    most, lot = Decimal(shown[1]), at.ticket().lot
    assert lot is not None
    for size, refused in ((most, False), (most + lot, True)):
        if size:
            await at.press("ctrl+u", *plain(size))
            assert ("would be refused" in at.text() or "Size must be at most" in at.text()) is refused, at.text()


async def test_the_largest_size_in_a_title_is_within_the_pair_rules() -> None:
    async with desk(140, 40) as at:
        info = msgspec.structs.replace(at.app.mirror.symbols[BTC], max_limit_size="0.02", max_market_size="0.01")
        at.port.put(Table.SYMBOLS, BTC, info)
        at.port.set_desk(limits=_limit())
        await stage(at)
        assert "max 0.02 BTC" in read_title(at)
        await expect_largest(at)


@pytest.mark.parametrize("mode", [RiskMode.REDUCING, RiskMode.HALT])
async def test_the_title_names_no_largest_size_in_halt_or_reducing(mode: RiskMode) -> None:
    async with desk(140, 40) as at:
        at.port.set_desk(limits=_limit())
        await stage(at)
        assert "max " in read_title(at)
        at.port.set_desk(risk_mode=mode, risk_mode_reason="kill")
        await at.settle()
        await at.press("1")
        assert "max " not in read_title(at), read_title(at)


async def test_the_size_example_is_half_only_of_what_a_ticket_closes() -> None:
    """Half of the buying power was the example, and refused by the limit beside it."""
    async with desk(160, 45) as at:
        await at.press("1", "b", "tab")
        assert "or 1%" in read_title(at)
        await at.press("escape", "escape", "3", "o", "tab")
        assert "or 50%" in read_title(at)
