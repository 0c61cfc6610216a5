"""Words of the command line about the desk itself: limits, kept pairs, exports, the portfolio that is traded."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.keys.test_command_line import enter, said
from tui.engine.limits import Limits
from tui.engine.modes import TradingState
from tui.workstation.command_line.grammar.refusals import LineRefused
from tui.workstation.command_line.grammar.syntax import SetLimit
from tui.workstation.command_line.limit_change import change_limit
from tui.workstation.commands.launcher_services import PortfolioChoice
from tui.workstation.model.instruments import full_name
from tui.workstation.model.screen_preferences import ScreenPreferences

BTC, OKX = "BINANCE_PERP_BTC_USDT", "OKX_PERP_BTC_USDT"


@pytest.mark.parametrize(
    ("name", "value", "field", "after"),
    [
        ("max_notional", "50k", "hard_notional", "50000"),
        ("hard_notional", "50k", "hard_notional", "50000"),
        ("soft_notional", "1.5mq", "soft_notional", "1500000"),
        ("budget", "200k", "budget", "200000"),
        ("max_loss", "off", "max_loss", ""),
        ("max_qty", "3ct", "max_qty", "3"),
        ("far", "10bp", "far_bp", 10),
        ("near", "20t", "near_ticks", 20),
        ("wide", "15bp", "wide_bp", 15),
        ("stale", "1.5s", "stale", 1.5),
        ("max_open", "12", "max_open", 12),
    ],
)
def test_command_limit_sets_only_the_limit_of_the_given_name(name: str, value: str, field: str, after: object) -> None:
    limits, said = change_limit(SetLimit(name=name, value=value), Limits())
    assert getattr(limits, field) == after and name in said
    assert msgspec.structs.replace(limits, **{field: getattr(Limits(), field)}) == Limits()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("max_notional", "off", "cannot be off"),
        ("max_notional", "5bp", "accepted is a number"),
        ("far", "10", "a number with bp or a number with t"),
        ("max_open", "1.5", "a whole number"),
        ("max_open", "0", "above 0"),
        ("leverage", "5", "there is no limit leverage"),
    ],
)
def test_a_limit_value_of_the_wrong_kind_is_refused(name: str, value: str, words: str) -> None:
    with pytest.raises(LineRefused, match=words):
        change_limit(SetLimit(name=name, value=value), Limits())


def test_changing_a_limit_of_one_pair_keeps_that_of_other_pairs() -> None:
    limits, _ = change_limit(SetLimit(name="max_notional", value="5k", sym=OKX), Limits())
    assert limits.of(OKX).hard_notional == "5000" and limits.of(BTC) == Limits(sym=limits.sym)
    with pytest.raises(LineRefused, match="holds for all pairs"):
        change_limit(SetLimit(name="budget", value="5k", sym=OKX), Limits())


async def test_command_limit_works_only_in_the_state_view() -> None:
    async with desk() as at:
        await enter(at, "limit max_notional 50k")
        assert "limits change only in the state VIEW" in at.text()
        await at.press("enter", "escape")
        assert at.port.limit_changes == []
    async with desk(armed=False) as at:
        await enter(at, "limit max_notional 50k")
        assert "limit max_notional: 100000 → 50000" in at.text()
        await at.press("enter")
        await at.settle()
        assert at.port.desk.limits.hard_notional == "50000" and len(at.port.limit_changes) == 1


async def test_command_flat_all_and_key_f_spare_and_name_kept_pairs() -> None:
    async with desk(160, 45) as at:
        await enter(at, f"keep {BTC}")
        assert "flat all (F) leaves out" in at.text()
        await at.press("enter")
        await enter(at, "flat all")
        shown = said(at)
        assert "close 2 positions at market" in shown and shown.count(full_name(BTC)) == 1
        assert "kept open: BINANCE BTC perp" in shown
        await at.press("escape")
        for keys in ((":", *"flat all", "enter"), ("F",)):
            await at.press(*keys)
            await at.settle()
            assert "kept open: BINANCE BTC perp" in at.text() and "close 2 legs" in at.text()
            await at.press("escape")
            await at.settle()
        await enter(at, f"unkeep {BTC}", "enter")
        await at.press("F")
        await at.settle()
        assert "kept" not in at.text() and "close 3 legs" in at.text()


def test_pairs_marked_keep_are_remembered_over_a_restart() -> None:
    first = ScreenPreferences({}, (), b"")
    first.kept.add(BTC)
    assert ScreenPreferences({}, (), first.encode()).kept == {BTC}


def saved(at: Desk) -> list[tuple[str, list[str], list[list[str]]]]:
    """Collect what the desk would write to files from now on."""
    files: list[tuple[str, list[str], list[list[str]]]] = []

    def save(name: str, header: Sequence[str], records: Sequence[Sequence[str]]) -> str:
        files.append((name, list(header), [list(record) for record in records]))
        return f"{name}.csv"

    at.app.controllers.lists._save = save
    return files


async def test_command_export_writes_the_list_named_or_in_view() -> None:
    async with desk() as at:
        files = saved(at)
        await enter(at, "export positions", "enter")
        [(name, header, records)] = files
        assert name == "positions" and len(records) == 3
        assert "BINANCE_PERP_BTC_USDT" in records[0] and all(len(record) == len(header) for record in records)
        await at.press("2", ":", *"export", "enter")
        await at.settle()
        assert [name for name, _, _ in files] == ["positions", "orders"]
        assert any("written to orders.csv" in text for text in at.events())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("export journal", "crossdesk journal export"),
        ("export fills 7d", "the history (H) has the past"),
        ("export orders json", "csv is"),
        ("set @e 5", "read at the start"),
    ],
)
async def test_exports_a_command_cannot_write_are_refused_with_a_hint(line: str, words: str) -> None:
    async with desk() as at:
        files = saved(at)
        await enter(at, line)
        assert words in at.text()
        await at.press("enter")
        assert files == []


async def test_command_use_asks_and_then_trades_another_portfolio() -> None:
    traded: list[str] = []
    async with desk(160, 45, choice=PortfolioChoice(traded.append, lambda: "")) as at:
        await enter(at, "use main")
        assert "trades main already" in at.text()
        await at.press("escape", "escape")
        await enter(at, "use hedge")
        assert "the portfolios are not read yet" in at.text() and traded == []
        await at.press("escape", "escape")
        at.app.controllers.portfolios.why_not_traded = lambda name: ""  # type: ignore[method-assign]
        await enter(at, "use hedge")
        assert "would ask, then trade portfolio hedge; the state becomes VIEW" in at.text()
        await at.press("enter")
        await at.settle()
        assert "trading state becomes VIEW" in at.text() and traded == []
        at.clock.pass_by(1.0)
        await at.press("y")
        await at.settle()
        assert traded == ["hedge"]


async def test_command_use_is_refused_if_a_profile_fixes_the_portfolio() -> None:
    async with desk() as at:
        await enter(at, "use hedge")
        assert "fixed by the profile" in at.text()
        await at.press("enter")
        assert at.port.desk.trading_state is TradingState.ARMED


async def test_tab_completes_the_words_after_commands_limit_and_export() -> None:
    async with desk() as at:
        await enter(at, "lim")
        await at.press("tab", *"bu", "tab")
        assert at.app.main_screen.line_field.value == "limit budget "
        await at.press("ctrl+u", *"export po", "tab")
        assert at.app.main_screen.line_field.value == "export positions "
        await at.press("ctrl+u", *"limit max", "tab")
        assert "max_open_sym" in at.text()
