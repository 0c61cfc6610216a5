"""Which faults a seed has, and how often: every seed draws its own rates, so that some only cut and some do everything.

Rates belong to families. A family can be left in alone (`only`) to shrink a seed by hand, and a fault or a cell of the
matrix can be asked for (`forced`) where chance is too rare.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

import msgspec

from tests.simulation.points import CELLS, POINTS


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """Shares are 0 to 1 of the frames or requests concerned, gaps are mean virtual seconds; 0: never."""

    control: bool = False
    """No faults at all: nothing may look wrong."""
    cut_gap: float = 0
    flap_gap: float = 0
    latency: float = 0
    """Longest delay of a frame one way, s."""
    drop_push: float = 0
    repeat_push: float = 0
    reorder_push: float = 0
    lose_reply: float = 0
    slow_reply: float = 0
    repeat_reply: float = 0
    late: float = 0
    refuse: float = 0
    doubt: float = 0
    """Replies that say neither yes nor no."""
    bad_frame: float = 0
    rest_error: float = 0
    rest_slow: float = 0
    page_race: float = 0
    stale_read: float = 0
    slow_disk: float = 0
    full_disk: float = 0
    crash_gap: float = 0
    clock_gap: float = 0
    host_gap: float = 0
    """Sleep, pause, descriptors used up, names that cannot be resolved, network change."""
    server_gap: float = 0
    """Restart, maintenance, forced disconnect, REST down, a storm of rate refusals."""
    race_gap: float = 0
    """The market moves between a command and its effect."""
    other_gap: float = 0
    """Another client of the same portfolio trades."""
    market_gap: float = 20
    quote_gap: float = 0
    """Quotes silent, crossed, old, of the future, in bursts; subscriptions refused, a pair delisted."""
    feed_gap: float = 0
    """Frames that cannot be unpacked, or do not end."""
    tier_gap: float = 0
    """The preferred address of two goes down; 0: there is only one."""
    key_gap: float = 0
    """The key may only read for a while."""
    engine_gap: float = 0
    """A part of the engine raises."""
    liquidation_gap: float = 0
    """The account comes close to its end: margin call, cancels, forced closing."""
    watchdog: bool = False
    """A second process cancels what this installation placed when the client dies."""
    vary: float = 0
    """Share of the answers, replies and pushes that come in another spelling that the interface documents."""
    abroad: float = 0
    """Share of the attempts that place an order on a second venue."""
    kill: float = 0
    """Share of the attempts that are a kill of everything."""
    settings: float = 0
    """Share of the attempts that change a leverage or a position mode."""
    algos: float = 0
    """Share of the attempts that place, change or cancel an algo order."""
    transfers: float = 0
    """Share of the attempts that move money between the own venue sides."""
    loans: float = 0
    """Share of the attempts that borrow or repay."""
    withdrawals: float = 0
    """Share of the attempts that withdraw money."""
    custody: float = 0
    """Share of the attempts that lock or unlock money in custody."""
    portfolios: float = 0
    """Share of the attempts that create a portfolio or give one another name."""
    windows: int = 0
    """Windows of other processes that are attached: one over the bus; with two also one over the socket and a program."""
    link_gap: float = 0
    """What befalls the links of windows and programs."""
    links: tuple[str, ...] = ()
    """Faults that befall them; empty: all of them, one after the other."""
    cells: tuple[str, ...] = ()
    """Cells of the matrix at which connections go; empty: all of them, one after the other."""
    switches: tuple[tuple[str, str], ...] = ()


ACCOUNT_COMMANDS = ("transfers", "loans", "withdrawals", "custody", "portfolios")
"""Rates of the attempts that are account commands."""

CONFLICTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("reject_state", ("REJECTED",)),
    ("http_status", ("documented",)),
    ("unknown_key", ("100018",)),
    ("code_type", ("text",)),
    ("login_failure", ("old",)),
    ("cancel_finished", ("silent",)),
    ("client_ids", ("strict",)),
    ("spot_leverage", ("1",)),
    ("reply_race", ("random",)),
    ("push_order", ("shuffled",)),
    ("duplicate_client_id", ("accept", "reject_open")),
    ("empty_page_num", ("1",)),
    ("list_shape", ("array",)),
    ("action_in_open_orders", ("false",)),
    ("amend_below_filled", ("refuse",)),
    ("amend_priority", ("requeue",)),
    ("gtx_outcome", ("cancel",)),
    ("self_trade", ("maker", "both", "allow")),
    ("zero_positions", ("true",)),
    ("latency", ("normal",)),
    ("rate_profile", ("off",)),
    ("serve_removed", ("true",)),
    ("public_ts", ("int",)),
    ("client_skew", ("5",)),
    ("replace_as_new", ("all",)),
    ("replace_qty", ("remaining",)),
    ("reduce_only_excess", ("cut", "reject", "cancel_others")),
    ("gtx_amend_cross", ("refuse",)),
    ("dead_man", ("10",)),
    ("trade_statements", ("off",)),
    ("sub_limits", ("lower",)),
)
"""Switches whose other values are drawn, each in one seed of five."""


FAMILIES: dict[str, dict[str, float | bool]] = {
    "cut": {"cut_gap": 4},
    "flap": {"flap_gap": 20},
    "latency": {"latency": 0.2},
    "drop": {"drop_push": 0.3},
    "repeat": {"repeat_push": 0.3, "repeat_reply": 0.2},
    "reorder": {"reorder_push": 0.3},
    "reply": {"lose_reply": 0.2, "slow_reply": 0.2},
    "late": {"late": 0.1},
    "refuse": {"refuse": 0.1},
    "doubt": {"doubt": 0.3},
    "bad": {"bad_frame": 0.05},
    "rest": {"rest_error": 0.2, "rest_slow": 0.3},
    "pages": {"page_race": 0.3},
    "replica": {"stale_read": 0.2},
    "disk": {"slow_disk": 0.3, "full_disk": 0.1},
    "crash": {"crash_gap": 40, "watchdog": True},
    "clock": {"clock_gap": 30},
    "host": {"host_gap": 15},
    "server": {"server_gap": 15},
    "race": {"race_gap": 3},
    "other": {"other_gap": 5},
    "quotes": {"quote_gap": 15},
    "feed": {"feed_gap": 10},
    "tiers": {"tier_gap": 30},
    "keys": {"key_gap": 15},
    "engine": {"engine_gap": 10},
    "liquidation": {"liquidation_gap": 20},
    "links": {"windows": 2, "link_gap": 5},
}
"""Family -> its rates where it is forced."""

OF_FAMILY: dict[str, tuple[str, ...]] = {
    "cut": tuple(POINTS),
    "host": ("F40", "F60", "F91", "F92", "F103", "F104", "F105"),
    "server": ("F57", "F62", "F71", "F72", "F74", "F79"),
    "bad": ("F20", "F32", "F33", "F49", "F52", "F53", "F54", "F55", "F73"),
    "doubt": ("F38", "F39", "F64", "F65", "F69", "F70"),
    "rest": ("F35", "F37", "F58", "F61", "F63", "F67"),
    "reply": ("F18", "F19", "F24", "F48"),
    "repeat": ("F21", "F22"),
    "reorder": ("F23",),
    "drop": ("F25", "N9"),
    "late": ("F04",),
    "refuse": ("F61", "F66"),
    "pages": ("F34", "F36"),
    "replica": ("F76",),
    "disk": ("F93", "F94", "F95"),
    "crash": ("F85",),
    "clock": ("F101", "F102"),
    "race": ("F24", "F27", "F28", "F29", "F30"),
    "other": ("F26", "F31"),
    "quotes": ("F41", "F42", "F43", "F44", "F45", "F46"),
    "feed": ("F50", "F51", "F56"),
    "tiers": ("F75", "F77", "F78"),
    "keys": ("F68",),
    "engine": ("F87",),
    "flap": ("F16", "F47"),
    "links": tuple(f"B{number:02}" for number in range(1, 26)),
}
"""Family -> the faults that it throws."""

FIRST_WITH_WINDOWS = 39_500
"""Seeds before this one have no attached windows: those that are kept stay as they were lived."""
FEWER_WINDOWS_FROM = 53_000
"""Seeds from this one on have windows only where they are even: their days cost twice as much as others."""
KINDS: tuple[str, ...] = tuple(dict.fromkeys(name for names in OF_FAMILY.values() for name in names))
"""Every fault of the campaign."""


class NoSuchFault(ValueError):
    """A family, fault or cell that is not known; the text lists what is accepted."""


def only(rates: Rates, families: Iterable[str]) -> Rates:
    """The rates of a seed without those of all other families; what the venue's switches say stays.

    Raises:
        NoSuchFault: no such family.
    """
    wanted = list(families)
    for name in wanted:
        if name not in FAMILIES:
            raise NoSuchFault(f"family {name!r} is not known; accepted are {', '.join(FAMILIES)}")
    calm = Rates()
    off = [field for name, fields in FAMILIES.items() if name not in wanted for field in fields]
    return msgspec.structs.replace(rates, **{field: getattr(calm, field) for field in off})


def forced(what: str) -> Rates:
    """Rates that bring one fault (`F87`) or one cell of the matrix (`F13/reset/place`) as often as can be.

    Raises:
        NoSuchFault: neither of them.
    """
    if what in map("/".join, CELLS):
        return Rates(cut_gap=4, market_gap=10, cells=(what,))
    family = next((name for name, faults in OF_FAMILY.items() if what in faults), "")
    if not family:
        raise NoSuchFault(f"{what!r} is not known; accepted are {', '.join(KINDS)}, or a cell like F13/reset/place")
    cells = tuple("/".join(cell) for cell in CELLS if cell[0] == what)
    # A second order under an id of ours is taken only where the venue does not mind.
    switches = (("duplicate_client_id", "accept"),)
    links = (what,) if family == "links" else ()
    calm = Rates(cells=cells, links=links, market_gap=10, switches=switches)
    return msgspec.structs.replace(calm, **FAMILIES[family])


def drawn(seed: int) -> Rates:
    """The rates of a seed."""
    rates = draw(random.Random(f"{seed}/rates"))
    has_windows = seed >= FIRST_WITH_WINDOWS and (seed < FEWER_WINDOWS_FROM or seed % 2 == 0)
    return rates if has_windows else msgspec.structs.replace(rates, windows=0, link_gap=0)


def draw(source: random.Random) -> Rates:
    """The rates of one seed: one in twenty has no faults, one in twenty has all of them."""
    kind = source.random()
    if kind < 0.05:
        return Rates(control=True)
    everything = kind > 0.95

    def share(of_seeds: float, most: float) -> float:
        return source.uniform(most / 20, most) if source.random() < of_seeds or everything else 0

    def gap(of_seeds: float, least: float, most: float) -> float:
        return source.uniform(least, most) if source.random() < of_seeds or everything else 0

    switches = [
        (name, source.choice(values))
        for name, values in CONFLICTS
        if source.random() < (0.5 if name in ("reply_race", "duplicate_client_id") else 0.2)
    ]
    return Rates(
        cut_gap=gap(0.6, 8, 60),
        flap_gap=gap(0.12, 60, 200),
        latency=share(0.8, 0.2) if source.random() > 0.1 else 2.0,
        drop_push=share(0.3, 0.3),
        repeat_push=share(0.4, 0.5),
        reorder_push=share(0.4, 0.3),
        lose_reply=share(0.4, 0.3),
        slow_reply=share(0.3, 0.2),
        repeat_reply=share(0.3, 0.2),
        late=share(0.3, 0.1),
        refuse=share(0.3, 0.1),
        doubt=share(0.4, 0.2),
        bad_frame=share(0.3, 0.05),
        rest_error=share(0.4, 0.2),
        rest_slow=share(0.3, 0.3),
        page_race=share(0.3, 0.3),
        stale_read=share(0.2, 0.2),
        slow_disk=share(0.2, 0.3),
        full_disk=share(0.2, 0.1),
        crash_gap=gap(0.3, 60, 300),
        clock_gap=gap(0.2, 60, 300),
        host_gap=gap(0.25, 60, 300),
        server_gap=gap(0.3, 60, 300),
        race_gap=gap(0.6, 5, 60),
        other_gap=gap(0.3, 10, 100),
        market_gap=source.uniform(3, 40),
        quote_gap=gap(0.4, 40, 150),
        feed_gap=gap(0.3, 30, 120),
        tier_gap=gap(0.3, 60, 200),
        key_gap=gap(0.15, 60, 200),
        engine_gap=gap(0.15, 60, 200),
        watchdog=source.random() < 0.5,
        abroad=share(0.4, 0.15),
        kill=share(0.3, 0.02),
        vary=share(0.5, 0.8),
        settings=share(0.4, 0.1),
        algos=share(0.4, 0.1),
        transfers=share(0.4, 0.1),
        loans=share(0.4, 0.1),
        withdrawals=share(0.4, 0.1),
        custody=share(0.3, 0.1),
        portfolios=share(0.3, 0.05),
        liquidation_gap=gap(0.2, 40, 200),
        windows=(windows := source.choice((1, 2, 2)) if source.random() < 0.25 or everything else 0),
        link_gap=source.uniform(4, 20) if windows else 0,
        switches=tuple(switches),
    )
