"""Names of pairs as narrow lists write them: a venue and a coin mean the one pair that fits the line, or none."""

from __future__ import annotations

import pytest

from tui.workstation.command_line.grammar.canonical import write_line
from tui.workstation.command_line.grammar.parser import parse
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.scene import Scene

EDX, EDX_USDC, EDX_ETH = "EDX_PERP_BTC_USDT", "EDX_PERP_BTC_USDC", "EDX_SPOT_ETH_USDT"
PERP, SPOT = "BINANCE_PERP_BTC_USDT", "BINANCE_SPOT_BTC_USDT"
SOL = "BINANCE_PERP_SOL_USDT"
SYMBOLS = [PERP, SPOT, SOL, EDX, EDX_ETH]


def read(line: str, scene: Scene) -> str:
    return write_line(parse(line, scene))


def refuse(line: str, scene: Scene) -> tuple[Code, str, str]:
    """Code, text and the refused part of a line."""
    with pytest.raises(LineRefused) as refused:
        parse(line, scene)
    return refused.value.code, str(refused.value), line[refused.value.start : refused.value.end]


@pytest.mark.parametrize("in_view", ["", PERP, EDX_ETH])
@pytest.mark.parametrize(
    ("line", "canonical"),
    [
        ("buy 0.02 BTC EDX BTC join", f"buy 0.02 BTC {EDX} join"),
        ("sell 25ct edx btc at 64000", f"sell 25ct {EDX} at 64000"),
        ("buy 0.02 BTC EDX BTC/USDT join", f"buy 0.02 BTC {EDX} join"),
        ("flat Edx Btc", f"flat {EDX}"),
        ("sell $900 BTC BINANCE_PERP at 62900", f"sell $900 {PERP} at 62900"),
        ("buy 25% avail btc edx_perp join", f"buy 25% avail {EDX} join"),
        ("flat SOL BINANCE_PERP", f"flat {SOL}"),
        ("close 50% EDX BTC long join", f"close 50% {EDX} long join"),
        ("sl move EDX BTC to 59000", f"sl move {EDX} to 59000"),
        ("c bids EDX ETH", f"c bids {EDX_ETH}"),
        ("keep EDX BTC", f"keep {EDX}"),
        ("alert when EDX BTC mark < 60000", f"alert when {EDX} mark < 60000"),
        ("limit max_notional 50k EDX BTC", f"limit max_notional 50k {EDX}"),
    ],
)
def test_a_venue_and_a_coin_in_a_command_name_the_pair_that_fits(line: str, canonical: str, in_view: str) -> None:
    assert read(line, Scene(SYMBOLS, in_view, has_cursor=bool(in_view))) == canonical


def test_a_venue_and_coin_of_two_pairs_mean_the_pair_in_view() -> None:
    for sym in (PERP, SPOT):
        assert read("buy 0.02 BTC BINANCE BTC join", Scene(SYMBOLS, sym)) == f"buy 0.02 BTC {sym} join"


def test_closing_a_coin_of_several_pairs_means_the_one_held() -> None:
    held = Scene(SYMBOLS, SPOT, held={PERP: "LONG"})
    assert read("flat BINANCE BTC", held) == f"flat {PERP}"
    assert read("close half BINANCE BTC/USDT", held) == f"close 50% {PERP}"
    assert read("buy 0.02 BTC BINANCE BTC join", held) == f"buy 0.02 BTC {SPOT} join", "it closes nothing"


@pytest.mark.parametrize("line", ["buy 0.02 BTC BINANCE BTC join", "flat  BINANCE  BTC", "c all sym binance btc"])
def test_a_coin_of_two_pairs_neither_in_view_is_refused(line: str) -> None:
    code, text, part = refuse(line, Scene(SYMBOLS, EDX))
    assert (code, part.upper().split()) == (Code.AMBIGUOUS_SYMBOL, ["BINANCE", "BTC"])
    assert text == f"BINANCE BTC fits 2 symbols: {PERP}, {SPOT}; write one of them, or such as BINANCE BTC perp"
    _, text, _ = refuse(line, Scene(SYMBOLS, EDX, has_cursor=True))
    assert text == (f"BINANCE BTC fits 2 symbols; the cursor chooses: put it on one of them, or write {PERP} or {SPOT}")


def test_closing_a_coin_with_two_positions_at_a_venue_is_refused() -> None:
    held = Scene([*SYMBOLS, EDX_USDC], held={EDX: "LONG", EDX_USDC: "SHORT", PERP: "LONG"})
    code, text, _ = refuse("flat EDX BTC", held)
    assert code is Code.AMBIGUOUS_SYMBOL and f"{EDX}, {EDX_USDC};" in text and PERP not in text
    assert read("flat EDX BTC/USDC", held) == f"flat {EDX_USDC}"


@pytest.mark.parametrize(
    ("line", "name"),
    [("buy 1 SOL EDX SOL join", "EDX SOL"), ("flat edx sol", "EDX SOL"), ("keep EDX BTC/USDC", "EDX BTC/USDC")],
)
def test_a_command_for_a_coin_the_venue_does_not_list_is_refused(line: str, name: str) -> None:
    for in_view in ("", PERP, EDX):
        assert refuse(line, Scene(SYMBOLS, in_view))[:2] == (Code.UNKNOWN_SYMBOL, f"no pair is named {name}")


def test_a_price_word_after_a_venue_is_not_read_as_a_coin() -> None:
    scene = Scene([EDX, PERP], PERP)
    assert read("buy 25ct EDX join", scene) == f"buy 25ct {EDX} join"
    assert read("alert EDX spread > 3t", scene) == f"alert when {EDX} spread > 3t"
    assert read("close 50% EDX mid", Scene(["EDX_PERP_MID_USDT"])) == "close 50% EDX_PERP_MID_USDT mid"
    assert read("close 50% EDX MID perp mid", Scene(["EDX_PERP_MID_USDT"])) == "close 50% EDX_PERP_MID_USDT mid"
    assert refuse("buy 1 BTC EDX ETH join", Scene(SYMBOLS))[0] is Code.WRONG_UNIT
