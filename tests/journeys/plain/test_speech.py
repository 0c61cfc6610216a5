"""Lines as they are read out: signs in words, units behind amounts."""

from __future__ import annotations

import fcntl
import os
import struct
import termios

import pytest

from tui.cli.desks.folded_lines import fold, read_columns
from tui.workstation.plain.speech import say_amount, say_result, speak

CASES = {
    "FILL BUY 0.02 BINANCE BTC perp @ 61,776.4": "FILL BUY 0.02 BTC of BINANCE BTC perpetual at 61,776.4 USDT",
    "BUY 25 OKX BTC perp @ 64,000.0: OPEN": "BUY 25 contracts of OKX BTC perpetual at 64,000.0 USDT: OPEN",
    "BUY 25 ct OKX BTC perp @ 64,000.0": "BUY 25 contracts of OKX BTC perpetual at 64,000.0 USDT",
    "SELL 1.5 BINANCE ETH/USDC spot @ 2,600.1": "SELL 1.5 ETH of BINANCE ETH/USDC spot at 2,600.1 USDC",
    "buy 0.02 BTC of BINANCE BTC perp at 61,776.4 USDT": "buy 0.02 BTC of BINANCE BTC perpetual at 61,776.4 USDT",
    "stays open: BINANCE BTC perp LONG 0.070 (SL 58,000.0)":
        "stays open: BINANCE BTC perpetual long 0.070 BTC (stop 58,000.0 USDT)",
    "stop and target: SL 61,600.0 SL 61,254.9 and 1 more stop TP 63,000.0":
        "stop and target: stop 61,600.0 USDT stop 61,254.9 USDT and 1 more stop target 63,000.0 USDT",
    "SELL 0.02 BINANCE BTC perp market: FILLED avg 61,790.4":
        "SELL 0.02 BTC of BINANCE BTC perpetual market: FILLED average 61,790.4 USDT",
    "position -0.02 → 0.04 BTC": "position minus 0.02 to 0.04 BTC",
    "BUY ≤0.010 at 61,384.8": "BUY at most 0.010 at 61,384.8",
    "what is larger than its position: SELL ≤0.010 BINANCE BTC perp @ 61,384.8":
        "what is larger than its position: SELL at most 0.010 BTC of BINANCE BTC perpetual at 61,384.8 USDT",
    "1. SELL 4 BTC BINANCE BTC perp @ 65,000.0 · ro ≤2.500 · would rest":
        "1. SELL 4 BTC of BINANCE BTC perpetual at 65,000.0 USDT; reduce-only at most 2.500 BTC; would rest",
    "1. SELL 4 ct OKX BTC perp @ 65,000.0 · ≤2ct · would rest":
        "1. SELL 4 contracts of OKX BTC perpetual at 65,000.0 USDT; at most 2 contracts; would rest",
    "1. SELL 1 BTC BINANCE BTC perp @ 65,000.0 · ro · would rest":
        "1. SELL 1 BTC of BINANCE BTC perpetual at 65,000.0 USDT; reduce-only; would rest",
    "uniMMR ≥ 1.2, total ≤ filled": "margin ratio (uniMMR) at least 1.2, total at most filled",
    "bid +3t +0.5bp · ~12.30 USDT": "bid plus 3 ticks plus 0.5 basis points; about 12.30 USDT",
    "size 0.5 BTC = 30,788.55 USDT": "size 0.5 BTC is 30,788.55 USDT",
    "buy 1 BTC at bid-2": "buy 1 BTC at bid-2",
    "uniMMR 14.65 → 12.00": "margin ratio (uniMMR) 14.65 to 12.00",
    "free – → 12.00": "free not known to 12.00",
    "\x1b[31mred\u202e": "[31mred",
}  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_a_line_of_the_desk_is_turned_into_speakable_words(text: str) -> None:
    assert speak(text) == CASES[text]


def test_a_line_in_speakable_words_is_not_changed_again() -> None:
    for said in CASES.values():
        assert speak(said) == said


def test_signed_results_and_missing_amounts_become_words() -> None:
    assert say_result("+12.30") == "gain 12.30 USDT"
    assert say_result("-12.30") == "loss 12.30 USDT"
    assert say_result("0.00") == "result 0.00 USDT"
    assert say_result("–") == "result not known"
    assert say_amount("–", "BTC") == "not known"


def test_a_long_plain_line_breaks_at_words_only_in_a_terminal() -> None:
    line = "size: 0.02 BTC is worth 1,235.50 USDT of BINANCE BTC perpetual"
    assert fold(line, 24).splitlines() == ["size: 0.02 BTC is worth", "  1,235.50 USDT of", "  BINANCE BTC perpetual"]
    assert fold(line, 0) == fold(line, 80) == line
    ours, theirs = os.openpty()
    reading, writing = os.pipe()
    try:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        assert (read_columns(theirs), read_columns(writing)) == (80, 0)
    finally:
        for descriptor in (ours, theirs, reading, writing):
            os.close(descriptor)
