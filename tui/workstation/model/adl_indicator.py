"""ADL rank as one to five lights, by the scale of the venue."""

from __future__ import annotations

from decimal import ROUND_CEILING

from tui.engine.intents import Environment
from tui.workstation.model import number_format

_SCALES = {"BINANCE": (0, 4), "WHITEBIT": (0, 4), "BITMEX": (1, 5)}
_PAPER = (1, 5)
SENT_AS_LIGHTS = frozenset(["OKX"])


def lights(raw: str, exchange: str, environment: Environment) -> tuple[int, bool] | None:
    """How many lights burn and whether the scale is known; None when the rank is no number."""
    rank = number_format.value(raw)
    if rank is None:
        return None
    scale = _PAPER if environment is Environment.PAPER else _SCALES.get(exchange)
    if scale is None:
        return max(0, min(5, int(rank))), exchange in SENT_AS_LIGHTS
    low, high = scale
    count = 1 + int(((rank - low) * 4 / (high - low)).to_integral_value(ROUND_CEILING))
    return max(0, min(5, count)), True


def drawn(count: int) -> str:
    """The lights as text."""
    return "●" * count + "○" * (5 - count)


def role(count: int) -> str:
    """Colour of the lights; the digit beside them says the same."""
    return "alert" if count >= 5 else "warn" if count >= 4 else "text" if count >= 2 else "dim"
