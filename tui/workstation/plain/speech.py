"""Lines as they are read out: signs in words, and a unit behind every amount."""

from __future__ import annotations

import re
from functools import partial

from tui.interface.symbols import CONTRACT_VENUES
from tui.interface.text import clean

MOST = 2000
"""Most characters of a line."""
_NUMBER = r"[\d,]*\d(?:\.\d+)?"
_ORDER = re.compile(
    rf"\b(?P<word>BUY|SELL|buy|sell|LONG|SHORT|to|cancel|close)(?P<leg>\+LONG|\+SHORT)? (?P<size>≤?{_NUMBER})(?:ct)?"
    rf"(?: (?P<unit>[A-Z][A-Z0-9]*|ct))? (?:of )?(?P<venue>[A-Z]{{2,}}) (?P<base>[A-Z0-9]+)(?:/(?P<quote>[A-Z]+))?"
    rf" (?P<kind>perp|spot|margin)\b(?P<price>(?: @| at) {_NUMBER}(?: (?:USD[TC]?|EUR|BTC)\b)?)?"
)
"""Order as the desk writes it: `BUY 0.01 BINANCE BTC perp @ 64,000.0`."""
_LEG = re.compile(
    rf"\b(?P<venue>[A-Z]{{2,}}) (?P<base>[A-Z0-9]+)(?:/(?P<quote>[A-Z]+))? (?P<kind>perp|spot|margin)"
    rf" (?P<leg>LONG|SHORT) (?P<size>{_NUMBER})(?:ct)?(?! [A-Z])"
)
"""Position as the desk writes it: `BINANCE BTC perp LONG 0.070`."""
_PRICE = re.compile(
    rf"(?P<word>@ ?|(?<=\s)/ |\bSL |\bTP |\bavg |would realise )(?P<sign>[+-]?)(?P<number>{_NUMBER})"
    r"(?![\d.,%]| [A-Z]{3})"
)
"""Price or amount without its coin, because the screen leaves it out."""
_FILLED = re.compile(rf"\b(?P<word>FILLED|PARTIAL|filled) (?P<done>{_NUMBER})(?:ct)?/(?P<size>{_NUMBER})(?:ct)?")
_REDUCED = re.compile(rf"(?<=· )(?P<only>ro )?≤(?P<size>{_NUMBER})(?:ct)?")
"""Size to which an order that only closes is reduced, behind the order."""
_WORDS = {"@": "at ", "SL": "stop ", "TP": "target ", "avg": "average "}
_KINDS = {"perp": "perpetual", "spot": "spot", "margin": "margin"}
_SIGNS = (
    (re.compile(r" · "), "; "),
    (re.compile(r"\s*→\s*"), " to "),
    (re.compile(r"~\s*(?=[\d+-])"), "about "),
    (re.compile(r"[●○◐▸▾]+\s*"), ""),
    (re.compile(r"(?<=\d)\s*[×x](?![\w.])"), " times"),
    (re.compile(r"×(?=\d)"), "times "),
    (re.compile(r"≠\s*"), "differs: "),
    (re.compile(r"(?<=; )ro\b"), "reduce-only"),
    (re.compile(r"≤\s*"), "at most "),
    (re.compile(r"≥\s*"), "at least "),
    (re.compile(r"…"), "..."),
    (re.compile(r"(?<!\S)–(?![\d\w])"), "not known"),
    (re.compile(r"(?<!\w)@\s*"), "at "),
    (re.compile(r"(?<=\d) ?ct\b"), " contracts"),
    (re.compile(r"\bsl (?=\d)"), "stop "),
    (re.compile(r"\btp (?=\d)"), "target "),
    (re.compile(r"(?<=\d)t\b"), " ticks"),
    (re.compile(r"(?<=\d)bp\b"), " basis points"),
    (re.compile(r"(?<=\d)%"), " percent"),
    (re.compile(r"(?<=\d) %"), " percent"),
    (re.compile(r"\bperp\b"), "perpetual"),
    (re.compile(r"\bliq\b"), "liquidation price"),
    (re.compile(r"(?<!\()\buniMMR\b"), "margin ratio (uniMMR)"),
    (re.compile(r"(?<![\w.,-])\+(?=\d)"), "plus "),
    (re.compile(r"(?<![\w.,-])-(?=\d)"), "minus "),
    (re.compile(r"(?<!\S)! "), "warning: "),
    (re.compile(r" = "), " is "),
)


def speak(text: str) -> str:
    """Rewrite an output line for a speech program: words instead of signs, units after sizes and prices."""
    text = " ".join(clean(text, MOST).split())
    order = _ORDER.search(text)
    unit, quote = (_unit(order), order["quote"] or "USDT") if order is not None else ("", "USDT")
    text = _LEG.sub(_name_leg, _ORDER.sub(_name_order, text))
    text = _FILLED.sub(rf"\g<word> \g<done> of \g<size> {unit}".rstrip(), text)
    text = _REDUCED.sub(rf"\g<only>≤\g<size> {unit}".rstrip(), text)
    text = _PRICE.sub(partial(_name_price, quote), text)
    for sign, words in _SIGNS:
        text = sign.sub(words, text)
    return text.strip()


def say_amount(text: str, unit: str) -> str:
    """Return an amount with its unit, or `not known` if it has no digits."""
    return "not known" if not any(char.isdigit() for char in text) else f"{text} {unit}".rstrip()


def say_result(signed: str) -> str:
    """Turn a signed amount into `gain …` or `loss …` in words; `result not known` if it has no digits."""
    if not any(char.isdigit() for char in signed):
        return "result not known"
    word = {"+": "gain", "-": "loss"}.get(signed[0], "result")
    return f"{word} {signed.lstrip('+-')} USDT"


def _name_price(quote: str, match: re.Match[str]) -> str:
    word = _WORDS.get(match["word"].strip(), match["word"])
    return f"{word}{match['sign']}{match['number']} {quote}"


def _unit(match: re.Match[str]) -> str:
    """Return the unit of a size: contracts, or the base coin."""
    if match["kind"] == "perp" and match["venue"] in CONTRACT_VENUES:
        return "contracts"
    return match["base"]


def _pair(match: re.Match[str]) -> str:
    quote = f"/{match['quote']}" if match["quote"] else ""
    return f"{match['venue']} {match['base']}{quote} {_KINDS[match['kind']]}"


def _name_order(match: re.Match[str]) -> str:
    price = f" at {match['price'].split()[1]} {match['quote'] or 'USDT'}" if match["price"] else ""
    leg = f" {match['leg'].lstrip('+').lower()}" if match["leg"] else ""
    return f"{match['word']}{leg} {match['size']} {_unit(match)} of {_pair(match)}{price}"


def _name_leg(match: re.Match[str]) -> str:
    return f"{_pair(match)} {match['leg'].lower()} {match['size']} {_unit(match)}"
