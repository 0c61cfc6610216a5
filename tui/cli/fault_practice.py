"""Faults that a trader can inject into the local paper venue for practice, with the venue switches each one sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import msgspec

from tui.workstation.commands.launcher_services import Practice


class Fault(msgspec.Struct, frozen=True):
    """Fault of the practice list, with its selectable states and the venue switches of each state."""

    name: str
    states: tuple[tuple[str, Mapping[str, str]], ...]
    """States by text; the first one is the sound one."""

    @property
    def switches(self) -> frozenset[str]:
        """Names of all venue switches that any state of the fault sets."""
        return frozenset(name for _, settings in self.states for name in settings)


NO_ORDER_QUERIES = "502:order_detail:1,502:open_orders:1,502:order_history:1"
"""Fault of the paper venue in which every query for orders fails."""

FAULTS: tuple[Fault, ...] = (
    Fault(
        "network",
        (
            ("works", {"network": "up"}),
            ("cut: every connection ends", {"network": "cut"}),
            ("silent: nothing gets through", {"network": "black_hole"}),
        ),
    ),
    Fault(
        "answers to orders",
        (
            ("arrive", {"lose_reply": "off", "reply_delay": "off"}),
            ("lost after they were carried out", {"lose_reply": "on"}),
            ("late by 4 s", {"reply_delay": "*:1:4000"}),
            (
                "lost, and nothing tells of it",
                {"lose_reply": "on", "push_fault": "drop:Orders:1", "rest_fault": NO_ORDER_QUERIES},
            ),
        ),
    ),
    Fault(
        "order pushes",
        (
            ("in time", {"push_fault": "off"}),
            ("half of them lost", {"push_fault": "drop:Orders:0.5"}),
            ("each one twice", {"push_fault": "duplicate:*:1:2"}),
            ("late by 2 s", {"push_fault": "delay:Orders:1:2000"}),
        ),
    ),
    Fault(
        "REST",
        (
            ("answers", {"rest_fault": "off"}),
            ("every request fails with 502", {"rest_fault": "502:*:1"}),
            ("every third request is one too many (429)", {"rest_fault": "429:*:0.33"}),
        ),
    ),
    Fault("quotes", (("sent", {"market_fault": "off"}), ("silent", {"market_fault": "silence:*"}))),
    Fault("distance", (("near", {"latency": "normal"}), ("150 ms each way", {"latency": "bad"}))),
    Fault("market", (("lively", {"agents": "on"}), ("still", {"agents": "still"}), ("empty", {"agents": "off"}))),
    Fault(
        "risk ladder",
        (
            ("as documented", {"risk_ladder": "2.0 1.5 1.2 1.0"}),
            ("a margin call for every position", {"risk_ladder": "999998 1.5 1.2 1.0"}),
            ("orders that add risk are cancelled", {"risk_ladder": "999998 999997 1.2 1.0"}),
            ("every order is cancelled", {"risk_ladder": "999998 999997 999996 1.0"}),
            ("every position is liquidated", {"risk_ladder": "999998 999997 999996 999995"}),
        ),
    ),
    Fault(
        "insurance fund",
        (("pays", {"insurance_fund": "pays"}), ("empty: the other side pays (ADL)", {"insurance_fund": "empty"})),
    ),
)


MOVES: tuple[tuple[str, str], ...] = (
    ("unchanged", ""),
    ("fell by 2 %", "-2%"),
    ("fell by 10 % more", "-10%"),
    ("rose by 2 %", "+2%"),
    ("rose by 10 % more", "+10%"),
)
"""Texts, and the share by which the market of every coin moves; a move is not reversed."""

COINS = ("BTC", "ETH", "SOL", "DOGE")


def build_practices(put: Callable[[str, str], None], move: Callable[[str, str], None]) -> list[Practice]:
    """Build the practice list of faults.

    Args:
        put: Sets one switch of the venue.
        move: Moves the market of a coin by a share.
    """
    switches = _Switches(put)
    lines = [
        Practice(fault.name, tuple(word for word, _ in fault.states), partial(switches.turn, number))
        for number, fault in enumerate(FAULTS)
    ]
    return [*lines, Practice("all prices", tuple(word for word, _ in MOVES), partial(_move, move))]


def _move(move: Callable[[str, str], None], state: int) -> None:
    share = MOVES[state][1]
    if share:
        for coin in COINS:
            move(coin, share)


class _Switches:
    """Current states of all practice faults, from which the venue's switches are set; two faults may use one switch."""

    def __init__(self, put: Callable[[str, str], None]) -> None:
        self._put = put
        self._sound = {name: value for fault in FAULTS for name, value in fault.states[0][1].items()}
        self._now = [0] * len(FAULTS)

    def turn(self, number: int, state: int) -> None:
        """Set a fault to a state, and its venue switches; a switch that this state does not set follows the other faults."""
        self._now[number] = state
        faulty: dict[str, str] = {}
        for fault, now in zip(FAULTS, self._now, strict=True):
            faulty |= fault.states[now][1] if now else {}
        faulty |= FAULTS[number].states[state][1] if state else {}
        for name in sorted(FAULTS[number].switches):
            self._put(name, faulty.get(name, self._sound[name]))
