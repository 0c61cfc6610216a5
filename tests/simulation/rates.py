"""Which faults a seed has, and how often: every seed draws its own rates, so that some only cut and some do everything."""

from __future__ import annotations

import random

import msgspec


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
    """Sleep, descriptors used up, network change."""
    server_gap: float = 0
    """Restart, maintenance, forced disconnect, REST down."""
    race_gap: float = 0
    """The market moves between a command and its effect."""
    other_gap: float = 0
    """Another client of the same portfolio trades."""
    market_gap: float = 20
    switches: tuple[tuple[str, str], ...] = ()


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
        switches=tuple(switches),
    )
