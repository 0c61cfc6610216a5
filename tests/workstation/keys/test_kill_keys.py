"""The kill prompt, the quit question and the stop of a leg: what each row ends, what stays, what is without a stop."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.algo_rows import put_algo, put_whole_stop
from tests.workstation.driver import Desk, desk, open_kill
from tests.workstation.keys.test_command_line import answer
from tui.engine.event_line import Level
from tui.engine.intents import CancelAll, Outcome, Place, Verdict
from tui.engine.modes import RiskMode, TradingState
from tui.engine.rows import Fact, Table
from tui.engine.status_rows import LinkState
from tui.interface.families.orders import OrderType, PositionSide, Side
from tui.workstation.input.scopes import PANES, Scope
from tui.workstation.tickets.panel_keys import key_pieces

BTC = "BINANCE_PERP_BTC_USDT"
SMALL, WIDE = (80, 24), (160, 45)
CLOSED = "closed unsent, HALT by you"
BY_ANN = "closed unsent, HALT by ann"
HALT = {"trading_state": TradingState.VIEW, "risk_mode": RiskMode.HALT}
"""State of a desk behind a kill."""


def kill_elsewhere(at: Desk) -> None:
    """What the engine tells of a kill: the state, and at other desks than its own the lines about it."""
    at.port.set_desk(kills=at.port.desk.kills + 1, killed_by="by ann", risk_mode_reason="kill switch by ann", **HALT)
    at.port.event("Disarmed (kill switch by ann)")
    at.port.event("HALT: kill switch by ann", Level.ALERT)


async def test_kill_prompt_enter_cancels_entries_and_keeps_stops() -> None:
    async with desk(160, 45) as at:
        put_whole_stop(at)
        await at.settle()
        await open_kill(at)
        assert "keep closing orders: SL 63,000.0 of BINANCE BTC perp" in at.text()
        assert "all: cancel everything: also SL 63,000.0 of BINANCE BTC perp" in at.text()
        assert "without a stop then: BINANCE BTC perp LONG 2.500" in at.text()
        assert "without a stop then: BINANCE BTC perp LONG 2.500," not in at.text(), (
            "a position that has no stop now loses none"
        )
        assert "no stop now: BINANCE ETH perp LONG" in at.text()
        await at.press("enter")
        [intent] = at.port.intents
        assert isinstance(intent, CancelAll) and intent.kill and intent.spare_closing


@pytest.mark.parametrize("size", [SMALL, WIDE])
@pytest.mark.parametrize("why", ["the link is down", "not read yet"])
async def test_kill_and_quit_say_the_same_of_stops_not_known(why: str, size: tuple[int, int]) -> None:
    """The kill prompt said `no stop now` of positions of which the quit question said that it was not known."""
    async with desk(*size) as at:
        at.port.set_desk(algo_error=why)
        await at.settle()
        for key in ("X", "ctrl+q"):
            await at.press(key)
            text = at.flat_text()
            assert "stops not known now" in text and "no stop" not in text, text
            at.clock.pass_by(0.3)
            await at.press("escape")
        at.port.set_desk(algo_error="")
        await at.settle()
        for key, words in (("X", "no stop now: BINANCE BTC perp LONG"), ("ctrl+q", "(no stop)")):
            await at.press(key)
            assert words in at.flat_text() and "not known" not in at.flat_text(), at.flat_text()
            at.clock.pass_by(0.3)
            await at.press("escape")


@pytest.mark.parametrize(
    ("keys", "size"), [(("b",), SMALL), (("b", "1", "0"), WIDE), (("b", "e"), SMALL), (("3", "f"), WIDE)]
)
async def test_a_kill_closes_an_open_ticket_and_digits_go_to_panes(
    keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    async with desk(*size) as at:
        await at.press(*keys)
        await open_kill(at)
        await at.press("enter")
        assert f"{CLOSED}: ticket BUY" in at.text() or f"{CLOSED}: ticket SELL" in at.text()
        at.clock.pass_by(1.0)
        await at.press("2")
        assert at.scope() is Scope.ORDERS and not at.app.main_screen.panel.open
        assert [type(intent) for intent in at.port.intents] == [CancelAll]


SEND_TWO = (*":buy 0.011 BTC take; buy 0.02 BTC join", "enter")


@pytest.mark.parametrize("keys", [SEND_TWO, ("3", "F")])
async def test_a_kill_closes_a_question_that_could_send(keys: tuple[str, ...]) -> None:
    async with desk() as at:
        await at.press(*keys)
        assert at.scope() in (Scope.PROMPT, Scope.WORD)
        await at.press("ctrl+g")
        at.clock.pass_by(0.3)
        await at.press("enter")
        assert at.scope() not in (Scope.PROMPT, Scope.WORD, Scope.KILL)
        assert CLOSED in at.text()
        await at.press("2")
        assert at.scope() is Scope.ORDERS
        assert [type(intent) for intent in at.port.intents] == [CancelAll]


async def test_a_kill_from_the_help_page_closes_the_question_below_it() -> None:
    async with desk() as at:
        await at.press(*SEND_TWO, "f1")
        await open_kill(at)
        await at.press("enter", "escape")
        assert at.scope() is not Scope.PROMPT
        assert any(text.startswith(f"{CLOSED}: Send 2 orders") for text in at.events())


@pytest.mark.parametrize("line", ["buy 0.011 BTC take", "c last", "buy 0.0"])
async def test_a_kill_closes_the_command_line_and_digits_go_to_panes(line: str) -> None:
    async with desk() as at:
        await at.press(":", *line, "ctrl+g")
        at.clock.pass_by(0.3)
        await at.press("enter")
        assert f"{CLOSED}: line '{line}'" in at.events()
        await at.press("2")
        assert at.scope() is Scope.ORDERS
        assert [type(intent) for intent in at.port.intents] == [CancelAll]


async def test_esc_in_a_kill_prompt_leaves_the_question_below_open() -> None:
    async with desk() as at:
        await at.press(*SEND_TWO)
        await open_kill(at)
        await at.press("escape")
        assert at.scope() is Scope.PROMPT and at.port.intents == []


@pytest.mark.parametrize("keys", [("ctrl+q",), ("1", "C")])
async def test_a_kill_closes_an_open_quit_or_cancel_all_question(keys: tuple[str, ...]) -> None:
    """Whether to quit, and what else to cancel, is asked anew: what it named has ended."""
    async with desk() as at:
        await at.press(*keys)
        assert at.scope() is Scope.PROMPT
        await open_kill(at)
        await at.press("enter")
        assert at.scope() not in (Scope.PROMPT, Scope.KILL) and CLOSED in at.text()


async def test_a_kill_closes_an_open_transfer_form_and_says_so() -> None:
    async with desk(80, 24) as at:
        await at.press("4", "g", "t", *"500")
        assert at.scope() is Scope.FORM
        await open_kill(at)
        await at.press("enter")
        await at.settle()
        assert at.scope() is Scope.ASSETS and f"{CLOSED}: " in at.text(), at.text()
        await at.press("2")
        assert at.scope() is Scope.ORDERS and [type(intent) for intent in at.port.intents] == [CancelAll]


@pytest.mark.parametrize("keys", [SEND_TWO, ("b", "e"), ("4", "g", "t", *"500"), ("ctrl+q",), (":", *"buy 0.0")])
async def test_a_kill_at_another_desk_closes_a_ticket_or_question_here(keys: tuple[str, ...]) -> None:
    async with desk(80, 24) as at:
        await at.press(*keys)
        kill_elsewhere(at)
        await at.settle()
        assert at.scope() in PANES and not at.app.main_screen.panel.open
        assert BY_ANN in at.text(), at.text()
        await at.press("y", "enter", "2")
        assert at.scope() in PANES and at.port.intents == [] and BY_ANN in at.text(), "typed for what is closed"
        at.clock.pass_by(2.1)
        await at.press("2")
        assert at.scope() is Scope.ORDERS


async def test_a_kill_at_another_desk_leaves_an_open_kill_prompt() -> None:
    async with desk() as at:
        await at.press(*SEND_TWO)
        await open_kill(at)
        kill_elsewhere(at)
        await at.settle()
        assert at.scope() is Scope.KILL
        await at.press(*"flat", "enter")
        await at.settle()
        assert at.scope() in PANES and isinstance(at.port.intents[0], CancelAll)
        assert len([text for text in at.events() if BY_ANN in text]) == 1, "it is told once"


async def test_what_a_kill_closed_names_whose_and_the_whole_ticket() -> None:
    """`closed by HALT, nothing was sent: ticket BUY 10 BINANCE ETH` did not say whose, and was cut at 80 columns."""
    async with desk(80, 24) as at:
        await at.press("b", *"1234.5")
        kill_elsewhere(at)
        await at.settle()
        assert "closed unsent, HALT by ann: ticket BUY 1234.5 BINANCE BTC perp  " in at.text(), at.text()


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
@pytest.mark.parametrize("keys", [SEND_TWO, ("b",), (":", *"buy 0.0")])
async def test_after_a_kill_events_show_halt_and_what_was_closed(keys: tuple[str, ...], size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press(*keys, "ctrl+g")
        at.clock.pass_by(0.3)
        await at.press("enter")
        kill_elsewhere(at)
        await at.settle()
        at.port.event("cancel-all: 3 of 3 working orders cancelled, 1 algo order cancelled")
        await at.settle()
        assert CLOSED in at.text() and "HALT: kill switch" in at.text()
        await at.press("2")
        assert CLOSED not in at.text() and "HALT: kill switch" in at.text()


@pytest.mark.parametrize("keys", [SEND_TWO, ("b",), (":", *"buy 0.0")])
async def test_what_a_kill_closed_is_shown_before_an_older_alert(keys: tuple[str, ...]) -> None:
    """At 80 columns an alert of before took the only line that had room for it."""
    async with desk(80, 24) as at:
        at.port.event("ALERT 1: BINANCE BTC perp mark < 60,000: now 59,000.0", Level.ALERT, sticky=True)
        await at.settle()
        await at.press(*keys, "ctrl+g")
        at.clock.pass_by(0.3)
        await at.press("enter")
        at.port.event("HALT: kill switch", Level.ALERT)
        at.port.event("cancel-all: 3 of 3 working orders cancelled, 1 algo order cancelled", stays=True)
        await at.settle()
        assert CLOSED in at.text() and "cancel-all: 3 of 3" in at.text() and "[!]1" in at.text()
        await at.press("2")
        assert CLOSED not in at.text() and "ALERT 1" in at.text() and "[!] clear" in at.text()


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
@pytest.mark.parametrize(("keys", "closed"), [((), False), (SEND_TWO, True)])
async def test_the_count_of_orders_a_kill_cancelled_stays_until_a_key(
    size: tuple[int, int], keys: tuple[str, ...], closed: bool
) -> None:
    """The events of its orders, and that of the mode, pushed it off a line of 80 columns."""
    async with desk(*size) as at:
        await at.press(*keys)
        await open_kill(at)
        await at.press("enter")
        at.port.event("HALT: kill switch", Level.ALERT)
        at.port.event("cancel-all: 7 accepted, 2 UNKNOWN; no answer", Level.ALERT, stays=True)
        for price in range(60000, 60009):
            at.port.event(f"BUY 0.01 BINANCE BTC perp @ {price}.0: CANCELLED (USER)", key=f"k{price}")
        await at.settle()
        assert "cancel-all: 7 accepted, 2 UNKNOWN" in at.text() and (CLOSED in at.text()) is closed
        at.clock.pass_by(60)
        at.app._tick()
        await at.settle()
        assert "cancel-all: 7 accepted, 2 UNKNOWN" in at.text(), "it may not have been read yet"
        await at.press("2")
        assert "cancel-all: 7 accepted" not in at.text()


async def test_a_kill_from_before_a_desk_attached_closes_nothing_there() -> None:
    async with desk(filled=False, armed=False) as at:
        at.port.set_desk(kills=2, **HALT)
        await at.settle()
        assert not any(CLOSED in text for text in at.events()) and at.app.context.kills == 0


async def test_a_gate_question_that_comes_after_a_kill_is_not_asked() -> None:
    """The engine asked about the order before it heard of the kill."""
    async with desk(80, 24) as at:
        at.port.hold = True
        await at.press(*SEND_TWO)
        await answer(at, "y")
        await open_kill(at)
        await at.press("enter")
        at.port.answer(Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit"))
        await at.settle()
        assert at.scope() in PANES
        assert any("nothing was sent: the question came after the kill" in text for text in at.events())


async def test_a_gate_question_waits_until_the_kill_prompt_is_closed() -> None:
    async with desk() as at:
        at.port.hold = True
        await at.press(*SEND_TWO)
        await answer(at, "y")
        await open_kill(at)
        at.port.answer(Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit"))
        await at.settle()
        assert at.scope() is Scope.KILL, "Enter is for the kill"
        await at.press("escape")
        assert at.scope() is Scope.PROMPT and "Step 1 of 2 asks" in at.text()


async def test_a_kill_ends_a_command_line_that_waits_for_an_answer() -> None:
    async with desk() as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")]
        await at.press(*SEND_TWO)
        await answer(at, "y")
        await at.settle()
        assert "Step 1 of 2 asks" in at.text()
        await open_kill(at)
        await at.press("enter")
        assert at.scope() is not Scope.PROMPT
        assert any("1 other not sent: " in text for text in at.events()), at.events()
        assert [type(intent) for intent in at.port.intents] == [Place, CancelAll]


async def test_a_kill_ends_a_line_that_waits_for_its_next_step() -> None:
    """Armed and resumed before the answer to the first came, it went on."""
    async with desk() as at:
        at.port.hold = True
        await at.press(*SEND_TWO)
        await answer(at, "y")
        at.port.rest("n1")
        kill_elsewhere(at)
        await at.settle()
        at.port.set_desk(trading_state=TradingState.ARMED, risk_mode=RiskMode.NORMAL)
        at.port.answer(Outcome(verdict=Verdict.ACCEPTED, key="n1"))
        await at.settle()
        assert [type(intent) for intent in at.port.intents] == [Place]
        assert any("step 2 of 2: not sent: a kill came meanwhile" in text for text in at.events()), at.events()


async def test_typing_all_in_the_kill_prompt_cancels_stops_too() -> None:
    async with desk(160, 45) as at:
        put_whole_stop(at)
        await at.settle()
        await open_kill(at)
        await at.press("a", "l", "enter")
        assert at.port.intents == [] and at.scope() is Scope.KILL, "half a word confirms nothing"
        await at.press("l", "enter")
        [intent] = at.port.intents
        assert isinstance(intent, CancelAll) and intent.kill and not intent.spare_closing


async def test_typing_flat_in_the_kill_prompt_closes_all_positions() -> None:
    async with desk(160, 45) as at:
        await open_kill(at)
        assert "flat: cancel everything and close at market: BINANCE BTC perp LONG" in at.text()
        await at.press("f", "l", "a", "t", "enter")
        await at.settle()
        cancel, *closes = at.port.intents
        assert isinstance(cancel, CancelAll) and cancel.kill and not cancel.spare_closing
        places = [intent for intent in closes if isinstance(intent, Place)]
        assert len(places) == len(closes) == len(at.app.mirror.positions)
        assert all(intent.kill and intent.order_type is OrderType.MARKET for intent in places)
        assert len({intent.line for intent in places}) == 1 and places[0].line, "one send, however many"
        sides = {(intent.sym, intent.side, intent.position_side) for intent in places}
        assert (BTC, Side.SELL, PositionSide.LONG) in sides


@pytest.mark.parametrize("keys", [("down", "enter"), ("down", "down", "enter"), ("x", "z", "down", "enter")])
async def test_enter_confirms_no_kill_prompt_row_that_needs_a_word(keys: tuple[str, ...]) -> None:
    async with desk(160, 45) as at:
        await open_kill(at)
        await at.press(*keys)
        assert at.port.intents == [] and at.scope() is Scope.KILL
        assert "to confirm this row" in at.events()[-1]


@pytest.mark.parametrize(
    ("typed", "size"),
    [("xyz", SMALL), ("glat", WIDE), ("7", SMALL), ("flst", SMALL), ("xflat", WIDE), ("quit", WIDE)],
)
async def test_a_misspelt_word_in_the_kill_prompt_blocks_enter(typed: str, size: tuple[int, int]) -> None:
    """`flat` misspelt cancelled the entries and closed nothing."""
    async with desk(*size) as at:
        await open_kill(at)
        await at.press(*typed, "enter", "enter")
        assert at.port.intents == [] and at.scope() is Scope.KILL
        assert "Enter does nothing" in at.text() and "Backspace continues" in at.text()
        assert at.events()[-1].startswith("Enter does nothing behind letters") and at.events()[-1].endswith("(×2)")
        left = "fl" if typed == "flst" else ""
        await at.press("backspace", *"flat"[len(left) :], "enter")
        await at.settle()
        assert any(isinstance(intent, Place) for intent in at.port.intents)


@pytest.mark.parametrize(
    "keys", [("enter",), ("X", "X", "X", "enter"), ("z", "backspace", "enter"), ("f", "backspace", "enter")]
)
async def test_enter_after_the_kill_key_cancels_entry_orders(keys: tuple[str, ...]) -> None:
    """Held, X repeats into its own prompt."""
    async with desk(160, 45) as at:
        await open_kill(at)
        await at.press(*keys)
        [intent] = at.port.intents
        assert isinstance(intent, CancelAll) and intent.spare_closing


async def test_esc_closes_a_kill_prompt_after_wrong_letters() -> None:
    async with desk(80, 24) as at:
        await open_kill(at)
        await at.press(*"xyz", "escape")
        assert at.scope() is Scope.QUOTES
        await open_kill(at)
        await at.press("enter")
        assert len(at.port.intents) == 1


@pytest.mark.parametrize(("width", "height"), [(80, 24), (160, 45)])
async def test_kill_prompt_rows_are_readable_in_full_at_every_size(width: int, height: int) -> None:
    async with desk(width, height) as at:
        put_whole_stop(at)
        await at.settle()
        await open_kill(at)
        words = " ".join(" ".join(line.strip("│ ▸") for line in at.text().split("\n")).split())
        for part in ("Enter: cancel entries of portfolio main", "all: cancel everything", "flat: cancel everything"):
            assert part in words
        assert "VIEW and HALT" in words


async def test_an_order_filled_during_the_kill_prompt_is_reported() -> None:
    async with desk(160, 45, filled=False) as at:
        at.port.set_desk(synced=True)
        at.port.order("a", BTC, "BUY", "50000", "0.1")
        await at.settle()
        await open_kill(at)
        assert ": 1 order" in at.text()
        at.port.order("a", BTC, "BUY", "50000", "0.1", state="FILLED", executed="0.1", final=True)
        await at.settle()
        await at.press("enter")
        assert "BUY 0.1 BINANCE BTC perp @ 50,000: FILLED meanwhile" in at.events()


@pytest.mark.parametrize(
    ("opens", "key", "says"),
    [
        ("ctrl+q", "y", "y not sent: the question has just opened; read it, then press y"),
        ("ctrl+q", "enter", "Enter ignored: the question has just opened; Esc closes it"),
        ("X", "enter", "Enter not sent: the question has just opened; read it, then press Enter"),
    ],
)
async def test_an_answer_just_after_a_question_opened_is_ignored(opens: str, key: str, says: str) -> None:
    async with desk(160, 45) as at:
        await at.press(opens, key)
        assert at.scope() in (Scope.PROMPT, Scope.KILL) and says in at.events() and at.port.intents == []


async def test_a_key_held_while_a_prompt_opens_logs_one_message_only() -> None:
    async with desk(160, 45) as at:
        await at.press("ctrl+q")
        await at.hold("y", 2.0)
        assert at.scope() is Scope.PROMPT and sum("has just opened" in text for text in at.events()) == 1


@pytest.mark.parametrize("word", ["all", "flat"])
async def test_words_typed_in_the_kill_prompt_act_on_a_frozen_screen(word: str) -> None:
    async with desk() as at:
        await at.press("2", "z", "X")
        at.clock.pass_by(0.5)
        await at.press(*word, "enter")
        assert at.port.intents and isinstance(at.port.intents[0], CancelAll) and at.port.intents[0].kill


@pytest.mark.parametrize("word", ["all", "flat"])
async def test_the_word_of_the_kill_prompt_may_be_typed_quickly(word: str) -> None:
    async with desk() as at:
        await at.press("X")
        at.clock.pass_by(0.5)
        await at.type(word, every=0.06)
        await at.press("enter")
        assert at.port.intents and isinstance(at.port.intents[0], CancelAll) and at.port.intents[0].kill


@pytest.mark.parametrize("keys", [("u",), ("ctrl+g", "enter")])
async def test_cancel_last_and_kill_send_from_a_frozen_screen(keys: tuple[str, ...]) -> None:
    async with desk() as at:
        await at.press("b", "enter", "2", "z")
        placed = len(at.port.intents)
        for key in keys:
            at.clock.pass_by(0.5)
            await at.press(key)
        assert len(at.port.intents) == placed + 1, at.port.intents


async def cut_link_with_many_positions(at: Desk) -> None:
    first, link = next(iter(at.app.mirror.positions.values())), at.app.mirror.links["private"]
    for pair, side, qty in (
        ("BINANCE_PERP_ETH", "LONG", "0.5"), ("OKX_PERP_BTC", "LONG", "3"), ("OKX_PERP_ETH", "SHORT", "7"),
        ("OKX_PERP_DOGE", "SHORT", "5"), ("EDX_PERP_BTC", "LONG", "0.02"),
    ):  # fmt: skip
        held = msgspec.structs.replace(
            first.record, sym=f"{pair}_USDT", position_side=side, position_qty=qty, tpsl_order=[]
        )
        at.port.put(Table.POSITIONS, f"{held.sym}/{side}", Fact(held, at.port.stamp()))
    put_whole_stop(at)
    put_algo(at, "702", tp_trigger_price="67000")
    at.port.put(Table.LINKS, "private", msgspec.structs.replace(link, state=LinkState.DOWN))
    at.port.set_desk(synced=False)
    await at.settle()


@pytest.mark.parametrize("key", ["X", "ctrl+q"])
async def test_kill_and_quit_fit_80x24_while_the_link_is_down(key: str) -> None:
    """At 80x24 its last lines were not shown, nothing said so, and nine lines above it were free."""
    async with desk(*SMALL) as at:
        await cut_link_with_many_positions(at)
        await at.press("3", key)
        said, lines = at.flat_text(), at.text().split("\n")
        for part in (
            "LINK DOWN",
            "priv○ down 60s",
            "the private stream is down: cancels are tried, but orders may stay live",
        ):
            assert part in said, at.text()
        whole = ("every choice sets VIEW and HALT", "no stop now: ", "and 2 more") if key == "X" else ("stays open: ",)
        assert all(part in said for part in whole) and "not fit" not in said, at.text()
        assert lines[0].startswith(" PAPER"), at.text()


@pytest.mark.parametrize("key", ["X", "ctrl+q"])
async def test_a_kill_prompt_in_a_small_window_says_all_in_short(key: str) -> None:
    """At 60x20 it said `4 lines do not fit`: VIEW, HALT and what has no stop were not there, nor the keys below it."""
    async with desk(60, 20) as at:
        await cut_link_with_many_positions(at)
        await at.press("3", key)
        said, foot = at.flat_text(), at.text().split("\n")[-1]
        parts = (
            "private stream down: orders may stay live",
            *(
                (
                    "cancel entries of portfolio main (PAPER): 3 orders (1 UNKNOWN); keep 1 order, 2 algo orders that close",
                    "also 1 order, 2 algo orders that close; no stop then: BINANCE BTC perp LONG 2.500",
                    "all, and close at market: BINANCE BTC perp LONG 2.500, BINANCE ETH perp LONG 0.500 and 5 more",
                    "every choice sets VIEW and HALT: nothing opens",
                    "no stop now: BINANCE ETH perp LONG 0.500 and 5 more",
                    "Enter does it Esc back or type all or flat",
                )
                if key == "X"
                else ("stays open: BINANCE BTC perp LONG 2.500 (SL 63,000.0 TP 67,000.0)", "y confirms")
            ),
        )
        assert [part for part in parts if part not in said] == [] and "not fit" not in said, at.text()
        assert "Esc back" in foot or "Enter back" in foot, at.text()
        await at.press("right", "right")
        assert "not fit" not in at.text(), at.text()


async def test_a_kill_prompt_without_room_counts_its_hidden_lines() -> None:
    async with desk(40, 16) as at:
        await cut_link_with_many_positions(at)
        await at.press("X")
        assert "lines do not fit" in at.text(), at.text()


@pytest.mark.parametrize("size", [(38, 9), (40, 12), (80, 24)])
async def test_each_kill_prompt_row_names_the_words_all_and_flat(size: tuple[int, int]) -> None:
    """At 38x9, on the row of one word, the other was nowhere."""
    async with desk(*size) as at:
        await at.press("X")
        assert "all" in at.text() and "flat" in at.text()
        await at.press("right")
        assert "type all or flat:" in at.text()
        await at.press("right")
        assert "type flat or all:" in at.text()
        at.clock.pass_by(1.0)
        await at.press("f")
        assert "or all" not in at.text(), "a word is being typed"


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
@pytest.mark.parametrize("typed", [("5",), ("5", "tab")])
async def test_the_kill_prompt_hides_the_keys_of_the_ticket_below_it(
    size: tuple[int, int], typed: tuple[str, ...]
) -> None:
    async with desk(*size) as at:
        await at.press("1", "b", *typed, "ctrl+g")
        await at.settle()
        footer = at.text().split("\n")[-1]
        assert "keeps the size" not in footer and "Enter run the selected row" in footer, footer
        panel = at.app.main_screen.panel
        assert panel.paused and key_pieces(panel) == []
        assert "drops" not in at.text() and "continues" not in at.text()
        await at.press("escape")
        await at.settle()
        assert "Kill" not in at.text().split("\n")[-1] and key_pieces(panel) != []
