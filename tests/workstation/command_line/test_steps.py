"""Steps of a line: the next one waits for what became of the one before."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.command_line.test_asked_market import shown
from tests.workstation.driver import desk
from tests.workstation.keys.test_command_line import answer, enter, placed
from tests.workstation.tickets.ticket_desk import BTC
from tui.engine.intents import Outcome, Verdict
from tui.engine.rows import Table
from tui.workstation.input.scopes import Scope


@pytest.mark.parametrize("joint", [";", "&"])
@pytest.mark.parametrize(("executed", "said"), [("0", "filled nothing"), ("0.03", "filled 0.03 of 0.05"), ("0.05", "")])
async def test_an_ioc_step_not_fully_filled_ends_the_line(joint: str, executed: str, said: str) -> None:
    """It counted as done: a sell behind a buy that had filled nothing opened a short."""
    async with desk(160, 45) as at:
        ioc, later = Outcome(verdict=Verdict.ACCEPTED, key="o9"), Outcome(verdict=Verdict.ACCEPTED, key="n9")
        at.port.outcomes = [ioc, later]
        at.port.order("n9", BTC, "SELL", "66000", "0.05", state="NEW")
        await enter(at, f"long 0.05 BTC {BTC} take {joint} short 0.05 BTC {BTC} at 66000", "enter")
        await answer(at, "y")
        assert len(placed(at)) == (2 if joint == "&" else 1), "it waits for the end"
        reason = "" if executed == "0.05" else "Unfilled remainder expired"
        state = "CANCELLED" if reason else "FILLED"
        at.port.order(
            "o9", BTC, "BUY", "64001.2", "0.05", executed=executed, state=state, reason=reason, time_in_force="IOC",
            final=True,
        )  # fmt: skip
        await at.settle()
        if said:
            assert len(placed(at)) == (2 if joint == "&" else 1)
            rest = "1 other working" if joint == "&" else "1 other not sent"
            assert at.events()[-1].startswith(f"{rest}: step 1 of 2: {said}, then CANCELLED ({reason}); BUY")
            return
        assert len(placed(at)) == 2 and "all 2 steps done" not in at.events()[-1], "the venue may still refuse it"
        at.port.order("n9", BTC, "SELL", "66000", "0.05")
        await at.settle()
        assert "all 2 steps done" in at.events()[-1]


@pytest.mark.parametrize(
    ("line", "on_its_way", "said"),
    [
        ("{a} & {b} ; {b}", (1,), "1 other not sent, 1 sent: step 1 of 3: "),
        ("{a} & {b} & {b} ; {b}", (2,), "1 other not sent, 2 sent: step 1 of 4: "),
        ("{a} & {b} & {b}", (1, 2), "2 others sent: step 1 of 3: "),
        ("{a} & {b} & {b}", (), "2 others sent: step 1 of 3: "),
    ],
)
async def test_unanswered_orders_of_a_line_are_counted_as_sent(
    line: str, on_its_way: tuple[int, ...], said: str
) -> None:
    """Those that were not answered yet were in no count, and rested."""
    async with desk(80, 24) as at:
        at.port.hold = True
        a, b = f"long 0.05 BTC {BTC} at 64000 ioc", f"long 0.05 BTC {BTC} at 63000"
        await enter(at, line.format(a=a, b=b), "enter")
        await answer(at, "y")
        at.port.order("o9", BTC, "BUY", "64000", "0.05", state="CANCELLED", reason="expired", final=True)
        for number in range(len(placed(at)) - len(on_its_way)):
            at.port.answer(Outcome(verdict=Verdict.ACCEPTED, key="n9" if number else "o9"))
        await at.settle()
        assert at.events()[-1].startswith(f"{said}filled nothing, then CANCELLED (expired); BUY")
        assert f"!! {said}filled nothing" in at.text()
        at.port.order("n9", BTC, "BUY", "63000", "0.05", client_order_id="n9")
        at.port.event("BUY 0.05 BINANCE BTC perp @ 63,000.0: OPEN", key="n9")
        await at.settle()
        assert f"!! {said}filled nothing" in at.text(), "the order that rests stands in the list"
        await at.press("j")
        at.port.event("BUY 0.05 BINANCE BTC perp @ 63,000.0: FILLED", key="n9")
        await at.settle()
        assert "63,000.0: FILLED" in at.text().split("\n")[-2], "the line was read before the key"


@pytest.mark.parametrize(
    ("state", "executed", "said"),
    [
        ("CANCELLED", "0.029", "1 other not sent, 1 ended with 0.029 of 0.05 filled: "),
        ("CANCELLED", "0", "1 other not sent, 1 ended unfilled: "),
        ("FILLED", "0.05", "1 other not sent, 1 filled: "),
        ("OPEN", "0", "1 other not sent, 1 working: "),
    ],
)
async def test_a_broken_off_line_says_which_orders_ended_or_work(state: str, executed: str, said: str) -> None:
    """An order that had ended counted as one that stays."""
    async with desk(160, 45) as at:
        at.port.hold = True
        line = " & ".join(f"long 0.05 BTC {BTC} at {price}" for price in (63000, 63001))
        await enter(at, f"{line} ; long 0.05 BTC {BTC} mkt", "enter")
        await answer(at, "y")
        at.port.answer(Outcome(verdict=Verdict.ACCEPTED, key="o9"))
        at.port.order("o9", BTC, "BUY", "63000", "0.05", state="OPEN")
        await at.settle()
        final = state != "OPEN"
        at.port.order("o9", BTC, "BUY", "63000", "0.05", executed=executed, state=state, final=final)
        await at.settle()
        at.port.answer(Outcome(verdict=Verdict.REJECTED, text="no"))
        await at.settle()
        assert any(event.startswith(f"{said}step 2 of 3: rejected") for event in at.events()), at.events()[-2:]


async def test_a_question_at_a_step_closes_when_the_line_has_ended() -> None:
    """It stayed open, and `y` sent nothing and said nothing."""
    async with desk(160, 45) as at:
        soft = Outcome(verdict=Verdict.ASK, guard="SOFT_NOTIONAL", text="over the soft limit")
        at.port.outcomes = [Outcome(verdict=Verdict.ACCEPTED, key="o9"), soft]
        await enter(at, f"long 0.05 BTC {BTC} at 64000 ioc & long 0.05 BTC {BTC} at 63000", "enter")
        await answer(at, "y")
        assert at.scope() is Scope.PROMPT and "Step 2 of 2 asks" in at.text()
        at.port.order("o9", BTC, "BUY", "64000", "0.05", state="CANCELLED", reason="expired", final=True)
        await at.settle()
        assert at.events()[-1].startswith("1 other not sent: step 1 of 2: filled nothing")
        await answer(at, "y")
        assert at.scope() is not Scope.PROMPT and len(placed(at)) == 2
        assert at.events()[-1].startswith("question closed: the line of commands has ended; nothing was done"), (
            at.events()
        )


@pytest.mark.parametrize("closes", ["short 0.05 BTC at 66000 ro", "close 50% BTC at 66000"])
@pytest.mark.parametrize("state", ["OPEN", "PARTIALLY_FILLED"])
async def test_a_step_after_a_closing_order_is_sent_once_that_rests(closes: str, state: str) -> None:
    """It waited for the whole fill, in vain, and was lost after ten seconds."""
    async with desk(160, 45) as at:
        at.port.outcomes = [Outcome(verdict=Verdict.ACCEPTED, key=key) for key in ("o9", "n9")]
        at.port.order("o9", BTC, "SELL", "66000", "0.05", state="NEW", position_side="LONG")
        at.port.order("n9", BTC, "BUY", "63000", "0.05")
        await enter(at, f"{closes} ; long 0.05 BTC {BTC} at 63000", "enter")
        await answer(at, "y")
        assert len(placed(at)) == 1, "the venue may still refuse it"
        at.port.order("o9", BTC, "SELL", "66000", "0.05", state=state, position_side="LONG")
        await at.settle()
        assert len(placed(at)) == 2 and "all 2 steps done" in at.events()[-1]


@pytest.mark.parametrize(
    ("size", "count", "named"),
    [
        ((80, 24), 2, "would rest · sl 62,370.0 loses at most ~6.93 with fees · tp 64,260.0"),
        ((60, 20), 4, "sl 62,370.0 · tp 64,260.0"),
    ],
)
async def test_a_line_question_names_stop_and_target_of_each_order(
    size: tuple[int, int], count: int, named: str
) -> None:
    """They stood only as offsets in the line that was typed."""
    async with desk(*size) as at:
        await enter(at, " ; ".join(["long 0.01 btc at 63000 tp entry+2% sl entry-1%"] * count), "enter")
        assert shown(at).count(f"@ 63,000.0 · {named}") == 2, shown(at)


@pytest.mark.parametrize(
    ("later", "share", "qty"), [(f"close 50% {BTC}", "50", "1.25"), (f"xlong 50% pos {BTC} mkt", "50", "1.25")]
)
async def test_a_part_behind_another_step_is_of_the_position_asked(later: str, share: str, qty: str) -> None:
    """The question did not say whether its size counts what the step before it fills."""
    async with desk(160, 45) as at:
        outcomes = [Outcome(verdict=Verdict.ACCEPTED, key=key) for key in ("o9", "n9")]
        at.port.outcomes = outcomes
        await enter(at, f"long 0.5 BTC {BTC} mkt ; {later}", "enter")
        assert at.scope() is Scope.PROMPT
        words = f"SELL {qty} BTC BINANCE BTC perp at market; {share} % of the position as it is before this line"
        assert words in at.flat_text(), at.flat_text()
        await answer(at, "y")
        held = at.app.mirror.positions[f"{BTC}/LONG"]
        grown = msgspec.structs.replace(held.record, position_qty="3.0")
        at.port.put(Table.POSITIONS, f"{BTC}/LONG", msgspec.structs.replace(held, record=grown))
        at.port.order("o9", BTC, "BUY", "", "0.5", executed="0.5", state="FILLED", order_type="MARKET", final=True)
        await at.settle()
        await at.pause(0.3)
        assert at.sent_sizes() == ["0.5", qty], "what the question said"


async def test_a_part_behind_a_step_of_another_pair_has_no_remark() -> None:
    async with desk(160, 45) as at:
        await enter(at, f"long 1ct OKX_PERP_BTC_USDT mkt ; close 50% {BTC}", "enter")
        assert "SELL 1.25 BTC" in at.flat_text() and "before this line" not in at.flat_text()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("close 50% BTC ; long 0.1 BTC at 63000 sl 1%", ["at market (50 % of the position) ;", "@ 63,000.0 (sl 1%)"]),
        ("long 0.1 BTC mkt sl 1% tp 2r & close half BTC", ["at market (sl 1%, tp 2r) &", "at market (50 % of the pos"]),
        ("long risk 1% BTC mkt sl 2% & flat BTC", ["(risk 1 % of BINANCE equity 31,711.50, sl 2%) &"]),
        ("long 5% eq BTC mkt & long 0.1 BTC mkt", ["(5 % of BINANCE equity 31,711.50); size rounded"]),
        ("scale long 5% eq BTC 3 from 63000 to 62000 sl 1%", ["total (5 % of BINANCE equity", "3 orders (sl 1%): BUY"]),
    ],
)
@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_typed_line_of_orders_tells_shares_and_exits(size: tuple[int, int], line: str, told: list[str]) -> None:
    """The preview named only side, size, pair and price until the question was asked."""
    async with desk(*size) as at:
        at.app.main_screen.tables["quotes"].select(BTC)
        await enter(at, line)
        assert [text for text in told if text not in at.flat_text()] == [], at.text()
