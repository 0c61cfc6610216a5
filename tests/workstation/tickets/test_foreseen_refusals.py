"""What the gate or the venue would refuse stands in the ticket before a key sends it."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.scripted import info
from tests.workstation.tickets.ticket_desk import read_panel
from tui.engine.intents import PlaceAlgo
from tui.engine.limits import Limits, TraderLimits
from tui.engine.modes import RiskMode, TradingState
from tui.engine.rows import Table
from tui.engine.status_rows import LinkState
from tui.workstation.input.scopes import Scope
from tui.workstation.tickets.order.refusals import expect_refusal
from tui.workstation.tickets.order.terms import PositionEffect
from tui.workstation.tickets.order.ticket import Ticket

BTC = "BINANCE_PERP_BTC_USDT"
SIZES = [(80, 24), (120, 36)]


async def stage_at(at: Desk, price: str) -> None:
    """A form of a buy of 0.001 BTC with a typed price, on its last line."""
    await at.press("b", "e", "tab", *["backspace"] * 8, *price, "enter")


@pytest.mark.parametrize("size", SIZES)
async def test_the_preview_says_that_a_price_off_the_band_is_refused(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await stage_at(at, "58000")
        assert at.scope() is Scope.PREVIEW
        assert "price 58,000 is too far behind the touch 64,001" in at.text()
        assert "would be refused" in at.text() and " sends" not in at.text().splitlines()[-2]


async def test_ticket_says_if_a_price_too_far_past_the_ask_is_refused() -> None:
    async with desk() as at:
        await stage_at(at, "65000")
        assert "too far through the touch" in at.text() and "would be refused" in at.text()


async def test_the_preview_says_that_a_replace_off_the_band_is_refused() -> None:
    async with desk() as at:
        await at.press("2")
        at.app.main_screen.tables["orders"].select("o3")
        await at.press("e", *["backspace"] * 8, *"58000", "tab", "tab", "tab")
        assert "too far behind the touch" in at.text() and "would be refused" in at.text()


@pytest.mark.parametrize(("most", "refused"), [("169000", True), ("170000", False), ("", False)])
@pytest.mark.parametrize("size", SIZES)
async def test_a_ticket_over_the_position_limit_would_be_refused(
    size: tuple[int, int], most: str, refused: bool
) -> None:
    """Of the leg of 2.5 BTC, of the 0.15 BTC that still work, and of what the ticket adds."""
    async with desk(*size) as at:
        at.port.set_desk(limits=Limits(max_position=most))
        await at.press("1", "g", "j", "b")
        assert ("would be refused" in at.text()) is refused
        assert ("LONG could come to 169,666" in at.text()) is refused and (
            f"limit is {most[:3]},{most[3:]}" in at.text()
        ) is refused
        await at.press("escape", "s")
        assert "would be refused" not in at.text(), "it closes a part of the leg"


async def test_an_order_with_a_price_inside_the_band_is_sent() -> None:
    async with desk() as at:
        await stage_at(at, "63900")
        assert "would be refused" not in at.text()
        await at.press("y")
        assert len(at.port.intents) == 1


async def test_the_preview_says_that_a_size_over_our_limit_is_refused() -> None:
    async with desk() as at:
        at.port.set_desk(limits=Limits(max_qty="0.0005"))
        await at.settle()
        await at.press("b")
        assert "above your limit 0.0005" in at.text() and "would be refused" in at.text()


@pytest.mark.parametrize("own_name", ["", "desk of anna"])
@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (TraderLimits(max_qty="0.002"), "above your limit 0.002"),
        (TraderLimits(hard_notional="100"), "over the 100 limit"),
    ],
)
async def test_a_ticket_over_a_limit_of_its_trader_says_so(limits: TraderLimits, why: str, own_name: str) -> None:
    async with desk(160, 45) as at:
        at.port.set_desk(limits=Limits(trader={"anna": limits}), own_name=own_name)
        await at.settle()
        await at.press("b", *"0.005", "tab")
        refused = why in at.text() and "would be refused" in at.text()
        assert refused is bool(own_name), at.text()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("typed", ["61800", "64001.5"])
async def test_a_size_that_looks_like_a_price_is_refused_with_a_hint(size: tuple[int, int], typed: str) -> None:
    async with desk(*size) as at:
        await at.press("b", *typed, "enter", "enter", "y", "enter")
        assert f"{typed} looks like a price; the size is in BTC" in at.flat_text()
        assert at.port.intents == []


async def test_an_oversized_size_that_looks_like_a_price_gets_a_hint() -> None:
    async with desk() as at:
        at.port.put(Table.SYMBOLS, BTC, msgspec.structs.replace(info(BTC, "0.1", "0.001"), max_limit_size="1000"))
        await at.settle()
        await at.press("b", *"61800", "enter", "enter")
        assert "61800 looks like a price; the size is in BTC" in at.text()
        assert at.port.intents == []


async def test_a_usual_size_that_equals_a_low_price_is_sent() -> None:
    async with desk() as at:
        at.port.quote("BINANCE_PERP_SOL_USDT", "20.00", "20.01", mark="20.00")
        await at.settle()
        table = at.app.main_screen.tables["quotes"]
        while table.selected != "BINANCE_PERP_SOL_USDT":
            await at.press("j")
        await at.press("b", *"20", "enter")
        assert len(at.port.intents) == 1


@pytest.mark.parametrize("size", SIZES)
async def test_ticket_warns_of_a_stop_or_target_far_from_mark(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("b", "e")
        field = at.app.main_screen.panel.stop_field
        while not field.has_focus:
            await at.press("tab")
        await at.press(*"40000", "enter")
        assert "stop 40,000 is 37.5 % from mark" in at.text()


async def test_stop_form_warns_of_a_trigger_far_from_mark() -> None:
    async with desk() as at:
        await at.press("3", "p", *"40000")
        assert "% from mark" in at.text() and "may refuse it" in at.text()
        await at.press("enter", "enter", "y")
        assert all(isinstance(intent, PlaceAlgo) for intent in at.port.intents)


@pytest.mark.parametrize("size", SIZES)
async def test_y_in_a_form_without_a_side_asks_for_the_side(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("enter", "y")
        assert "choose buy or sell first: b or s" in at.text()
        assert "copies the id" not in at.text() and at.port.intents == []
        await at.press("b")
        assert "choose buy or sell first: b or s" not in "\n".join(at.text().splitlines()[-8:-1])


async def test_the_break_even_of_a_resting_order_says_if_filled() -> None:
    async with desk(160, 45) as at:
        await at.press("b")
        assert "break-even if filled" in at.text()
        await at.press("escape", "B")
        assert "break-even" in at.text() and "break-even if filled" not in at.text()


@pytest.mark.parametrize("size", SIZES)
async def test_a_ticket_below_the_minimum_value_does_not_offer_enter(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        at.port.put(Table.SYMBOLS, BTC, info(BTC, "0.1", "0.001", notional="100"))
        await at.settle()
        await at.press("b")
        assert "Enter sends" in at.text()
        await at.press("left")
        assert "Size must be worth at least 100 USDT" in at.text() and "would be refused" in at.text()
        assert "Enter sends" not in at.text()
        await at.press("right")
        assert "Enter sends" in at.text() and "would be refused" not in at.text()
        await at.press("enter")
        assert at.sent_sizes() == ["0.002"]


@pytest.mark.parametrize("size", SIZES)
async def test_the_refusal_of_a_too_small_size_names_the_least_size(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        at.port.put(Table.SYMBOLS, BTC, info(BTC, "0.1", "1", notional="100000"))
        await at.settle()
        await at.press("b", *".5")
        assert "must be a multiple of 1 (nearest 2); at least 2 BTC" in " ".join(at.text().split())
        assert "e.g. 2 BTC, " in at.text()


@pytest.mark.parametrize("size", SIZES)
async def test_a_ticket_names_the_unknown_orders_of_its_pair(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        at.port.order("u1", BTC, "BUY", "63000", "0.007", state="UNKNOWN")
        await at.settle()
        await at.press("1", "b")
        assert "BUY 0.007 BTC is UNKNOWN and may fill as well" in " ".join(at.text().split())


async def test_a_refused_size_stepped_up_to_the_minimum_can_be_sent() -> None:
    async with desk() as at:
        at.port.put(Table.SYMBOLS, BTC, info(BTC, "0.1", "0.001", notional="100"))
        await at.settle()
        await at.press("b", "left", "enter")
        assert at.port.intents == []
        await at.press("up", "enter")
        assert at.sent_sizes() == ["0.002"]


@pytest.mark.parametrize(("lot", "size"), [("0.001", "0.001"), ("0.00001", "0.00102")])
async def test_with_fine_lots_the_preset_size_is_above_the_minimum(lot: str, size: str) -> None:
    """Where lots are fine it has a hundredth of room; a coarse lot is never doubled."""
    async with desk(160, 45) as at:
        at.port.put(Table.SYMBOLS, BTC, info(BTC, "0.1", lot, notional="64"))
        await at.settle()
        await at.press("b")
        ticket = at.app.main_screen.panel.ticket
        assert ticket is not None and (ticket.qty, ticket.preset) == (size, size)


async def test_a_typed_price_that_makes_an_order_too_small_is_refused() -> None:
    async with desk(160, 45) as at:
        at.port.put(Table.SYMBOLS, BTC, info(BTC, "0.1", "0.001", notional="64"))
        await at.settle()
        await at.press("b", "e", "tab", *["backspace"] * 8, *"63900", "enter")
        assert "Size must be worth at least 64 USDT" in at.text() and "would be refused" in at.text()
        assert " sends" not in at.text().splitlines()[-2]


@pytest.mark.parametrize(
    ("desk_row", "said"),
    [
        ({}, "Enter sends · asks first: first order of the day"),
        ({"ordered_today": (BTC,)}, "Enter sends "),
        ({"ordered_today": (BTC,), "limits": Limits(soft_notional="50")}, "Enter sends · asks first: soft limit"),
        ({"limits": Limits(soft_notional="50", hard_notional="60")}, "64 over the 60 limit"),
        ({"limits": Limits(first_of_day=False)}, "Enter sends "),
    ],
)
async def test_a_ticket_says_which_gate_question_or_refusal_is_to_come(desk_row: dict[str, object], said: str) -> None:
    async with desk(160, 45) as at:
        at.port.set_desk(**desk_row)
        await at.settle()
        await at.press("b")
        assert said in at.text() and ("asks first" in at.text()) is ("asks first" in said)


async def test_at_80_columns_a_ticket_still_says_that_it_asks_first() -> None:
    async with desk(80, 24) as at:
        await at.press("b")
        assert "Enter sends · asks first" in at.text()


async def test_a_read_only_desk_does_not_say_how_to_arm_on_a_ticket() -> None:
    async with desk(120, 36) as at:
        at.port.set_desk(read_only="READ-ONLY: started with --read-only", trading_state=TradingState.VIEW)
        await at.settle()
        await at.press(":", *"buy 0.001 BTC BINANCE_PERP join")
        await at.settle()
        assert "! READ-ONLY: started with --read-only" in at.text() and "press a to arm" not in at.text()


async def test_in_state_view_a_ticket_also_names_the_risk_mode_halt() -> None:
    async with desk(120, 36) as at:
        at.port.set_desk(trading_state=TradingState.VIEW, risk_mode=RiskMode.HALT, risk_mode_reason="kill switch")
        await at.settle()
        await at.press(":", *"buy 0.001 BTC BINANCE_PERP join")
        await at.settle()
        why = at.app.context.not_armed_reason()
        assert why.endswith("; Esc, then a arms; the risk mode is HALT: to open, then Ctrl+T and resume")
        assert f"! {why}" in read_panel(at), "as the keys that send say it"


async def test_a_ticket_ignores_an_unknown_order_fully_filled_already() -> None:
    async with desk(160, 45) as at:
        at.port.order("u1", BTC, "BUY", "63000", "0.007", state="UNKNOWN")
        fill = next(iter(at.app.mirror.fills.values()))
        for number, quantity in enumerate(("0.003", "0.004")):
            record = msgspec.structs.replace(
                fill.record, transaction_id=f"n{number}", client_order_id="u1", order_id="", sym=BTC, quantity=quantity
            )
            at.port.put(Table.FILLS, f"n{number}", msgspec.structs.replace(fill, record=record))
            await at.settle()
            await at.press("1", "b")
            left = "BUY 0.004 BTC is UNKNOWN and may fill as well" in " ".join(at.text().split())
            assert left is (number == 0)
            await at.press("escape")
        at.app.main_screen.show_pane("orders")
        at.app.main_screen.tables["orders"].select("u1")
        await at.press("enter")
        assert "0.007 reported so far; the state of the order is not known" in at.text()
        charges = [line.split()[1:3] for line in at.text().split("\n") if " fee " in line or " rebate " in line]
        assert [charge for charge in charges if charge[0] in ("fee", "rebate")] == [["fee", "–"], ["rebate", "–"]]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("state", [LinkState.DOWN, LinkState.CONNECTING, LinkState.LOGIN])
async def test_with_the_link_down_a_ticket_says_it_would_be_refused(size: tuple[int, int], state: LinkState) -> None:
    async with desk(*size) as at:
        await at.press("b")
        link = at.app.mirror.links["private"]
        at.port.put(Table.LINKS, "private", msgspec.structs.replace(link, state=state))
        at.port.set_desk(synced=False)
        await at.settle()
        assert "! not connected; nothing is queued for later" in read_panel(at)
        assert "would be refused" in read_panel(at) and "Enter sends" not in at.text()
        at.port.put(Table.LINKS, "private", link)
        at.port.set_desk(synced=True)
        await at.settle()
        assert "Enter sends" in at.text() and "would be refused" not in at.text()


@pytest.mark.parametrize("size", SIZES)
async def test_while_orders_are_read_again_a_ticket_would_be_refused(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("b")
        link = at.app.mirror.links["private"]
        at.port.put(Table.LINKS, "private", msgspec.structs.replace(link, state=LinkState.RESYNC))
        await at.settle()
        assert "Enter sends" in at.text(), "the orders are known until the status says otherwise"
        at.port.set_desk(synced=False)
        await at.settle()
        assert "! orders are being read again; wait for SYNCED (cancels work)" in read_panel(at)
        assert "would be refused" in read_panel(at) and "Enter sends" not in at.text()


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_ticket_foresees_that_a_spot_coin_is_missing(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        spot = "BINANCE_SPOT_BTC_USDT"
        view = at.app.main_screen.panel.view
        sells = Ticket(sym=spot, info=view.info(spot), hedge=False, effect=PositionEffect.SELL, qty="1", price="64000")
        quote = at.app.mirror.quotes.get(spot)
        assert "needs 1 BTC; 0 available on BINANCE" in expect_refusal(sells, view, quote)


@pytest.mark.parametrize("size", SIZES)
async def test_a_ticket_over_the_free_margin_says_what_is_missing(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("b", *"30")
        assert "! not enough margin: " in at.text() and " missing" in at.text()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("margin", "refused"), [("1000", True), ("999999", False)])
async def test_a_ticket_without_margin_is_sent_by_y_but_not_by_enter(
    size: tuple[int, int], margin: str, refused: bool
) -> None:
    """Enter does not send it; `y` sends it all the same: the venue has the last word."""
    async with desk(*size) as at:
        account = at.app.mirror.accounts["BINANCE"]
        free = msgspec.structs.replace(account.record, available_margin=margin)
        at.port.put(Table.ACCOUNTS, "BINANCE", msgspec.structs.replace(account, record=free))
        at.port.set_desk(limits=Limits(soft_notional="9000000", hard_notional="9000000", first_of_day=False))
        await at.press("b", *"30")
        assert ("! needs 96,961.52 margin; 16,228.37 free on BINANCE" in read_panel(at)) is refused
        assert ("would be refused" in at.text()) is refused and ("Enter sends" in at.text()) is not refused
        await at.press("enter")
        assert len(at.port.intents) == (0 if refused else 1)
        await at.press("y")
        assert len(at.port.intents) == 1


async def test_a_ticket_within_the_free_margin_has_no_margin_warning() -> None:
    async with desk(160, 45) as at:
        await at.press("b")
        assert "not enough margin" not in at.text()


@pytest.mark.parametrize("size", SIZES)
async def test_a_post_only_ticket_that_would_take_names_only_key_y(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("b", "pagedown")
        assert "Enter sends" in at.text()
        at.port.quote(BTC, "63990.0", "63990.2")
        await at.settle()
        assert "! a post-only order would take: the ask is 63,990.2 " in read_panel(at)
        assert read_panel(at).count("would be refused") == 1, "in the place of the key"
        assert read_panel(at).count("would take") == read_panel(at).count("a post-only order would take") == 2
        assert "· y sends" in read_panel(at) and "Enter send" not in at.text().splitlines()[-1]
        link = at.app.mirror.links["public"]
        at.port.put(Table.LINKS, "public", msgspec.structs.replace(link, state=LinkState.DOWN))
        await at.settle()
        at.app.main_screen.tick()
        await at.settle()
        assert "Enter sends" in at.text(), "what an old quote says is no refusal"
        at.port.put(Table.LINKS, "public", link)
        at.port.quote(BTC, "64001.0", "64001.2")
        await at.settle()
        assert "Enter sends" in at.text() and "would be refused" not in at.text()


@pytest.mark.parametrize("size", SIZES)
async def test_in_halt_a_ticket_names_the_key_for_reduce_only(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        account, held = at.app.mirror.accounts["BINANCE"], at.app.mirror.positions[f"{BTC}/LONG"]
        in_one_way = msgspec.structs.replace(account.record, position_mode="NET")
        at.port.put(Table.ACCOUNTS, "BINANCE", msgspec.structs.replace(account, record=in_one_way))
        at.port.put(Table.POSITIONS, f"{BTC}/LONG", None)
        net = msgspec.structs.replace(held.record, position_side="NONE")
        at.port.put(Table.POSITIONS, f"{BTC}/NONE", msgspec.structs.replace(held, record=net))
        at.port.set_desk(risk_mode=RiskMode.HALT, risk_mode_reason="kill")
        await at.settle()
        await at.press("b")
        assert "only reduce-only orders are taken; Ctrl+T resumes" in read_panel(at), "a buy has nothing to reduce"
        await at.press("escape", "s")
        assert "only reduce-only orders are taken; r makes it reduce-only; Ctrl+T resumes" in read_panel(at)
        await at.press("r")
        assert "would be refused" not in read_panel(at) and "Enter sends" in at.text()


@pytest.mark.parametrize("size", SIZES)
async def test_in_reducing_ticket_and_question_say_when_it_can_end(size: tuple[int, int]) -> None:
    """It named the key alone, which does nothing while the limit is breached."""
    async with desk(*size) as at:
        breach = {"risk_mode_reason": "account OKX is MARGIN_CALL", "breach_end": "once account OKX is NORMAL"}
        at.port.set_desk(risk_mode=RiskMode.REDUCING, **breach)
        await at.settle()
        await at.press("b")
        assert "Ctrl+T resumes once account OKX is NORMAL" in read_panel(at)
        await at.press("escape", "ctrl+t")
        at.clock.pass_by(0.3)
        await at.press("down", "y")
        shown = " ".join(" ".join(line.strip("│┃ ") for line in at.text().split("\n")).split())
        assert "sets REDUCING now, and NORMAL once account OKX is NORMAL" in shown


async def test_in_halt_a_hedge_ticket_names_the_key_to_the_closing_leg() -> None:
    async with desk() as at:
        at.port.set_desk(risk_mode=RiskMode.HALT, risk_mode_reason="kill")
        await at.settle()
        await at.press("s")
        assert "only orders that close a leg are taken; L changes it to close long; Ctrl+T resumes" in read_panel(at)
        while at.ticket().effect is not PositionEffect.CLOSE_LONG:
            await at.press("L")
        assert "risk mode is" not in read_panel(at)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"skew_ms": -25_500.0}, ("clock differs by 26 s", "set this machine's clock")),
        ({"limits": Limits(max_loss="5000"), "day_is_whole": False}, ("daily loss limit 5000", "wait for them")),
    ],
)
async def test_with_a_wrong_clock_or_unread_day_only_closes_can_go(
    size: tuple[int, int], changes: dict[str, object], words: tuple[str, ...]
) -> None:
    async with desk(*size) as at:
        at.port.set_desk(**changes)
        await at.settle()
        await at.press("b")
        assert "would be refused" in at.text() and all(word in read_panel(at) for word in words)
        assert "until then only closing orders and cancels are taken" in read_panel(at)
        await at.press("escape", "3", "f")
        assert "would be refused" not in at.text()
