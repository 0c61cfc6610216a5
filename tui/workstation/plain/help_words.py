"""Help of plain mode: each word with a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tui.workstation.command_line.grammar.parser import VERBS

READ: Mapping[str, str] = MappingProxyType({
    "quotes": "quotes, or quotes BTC: best bid and ask of pairs",
    "pairs": "pairs BTC: names of pairs that fit, as a line writes them",
    "orders": "orders: working orders, stops and targets",
    "order": "order 7f3a1c: everything known of an order, by the end of its id",
    "positions": "positions: size, entry, result and liquidation price of each, and the result of today",
    "assets": "assets: balances, and margin of each account",
    "adl": "adl: auto-deleveraging rank and liquidation price of each position",
    "fills": "fills: today's fills and result",
    "events": "events: what happened last",
    "status": "status: state, risk mode, connections",
})  # fmt: skip
"""Words that read, with how they are written."""
ACT: Mapping[str, str] = MappingProxyType({
    "buy": "buy 0.02 BTC BINANCE_PERP_BTC_USDT join: at the best bid; also at 64000, bid-2t, take, mkt; sl and tp behind",
    "sell": "sell 25ct OKX_PERP_BTC_USDT at 64000",
    "re": "re #7f3a1c px 63990: new price; tot 0.3 BTC: new total size",
    "c": "c #7f3a1c: cancel an order; c last; c all sym BINANCE_PERP_BTC_USDT; c all pf",
    "close": "close 50% BINANCE_PERP_BTC_USDT: half of a position at market",
    "flat": "flat BINANCE_PERP_BTC_USDT: the whole position; flat all: every one",
    "sl": "sl move BINANCE_PERP_BTC_USDT to 61500: sets a stop, or moves the one that is there; tp move the same",
    "arm": "arm: orders are sent from now on, each after a typed yes; view: nothing is sent",
    "kill": "kill: cancel what can open a position, and stop; also all, flat",
    "clear": "clear: takes warnings off; once the link is back, one at a time keeps what a kill or flatten did not reach",
    "practice": "practice: faults of the paper venue by numbers; practice 1 2 sets one, practice end ends all",
    "say": "say all, say trades, say nothing: which events are said as they come",
    "quit": "quit: end; asks while orders work or positions are open",
})  # fmt: skip
"""Words that act, with how they are written."""
ANSWERS = (
    "a question is answered by yes, or by the word that it names, and dropped by no; an empty line answers nothing"
)
HINT = "help lists the words"
MORE = "every line of the command line works here: docs/guide/command-line.md; here, marks and hot need the full screen"


def explain(word: str) -> list[str]:
    """Return the help on a word; without a word, an overview of all words."""
    known = {**READ, **ACT}
    if not word:
        return [f"read: {', '.join(READ)}", f"act: {', '.join(ACT)}", "help WORD explains one", ANSWERS, MORE]
    if word in known:
        return [known[word]]
    return [MORE] if word in VERBS else [f"no word {word}; {', '.join(known)}", MORE]
