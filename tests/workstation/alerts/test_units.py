"""Units of alerts: the figure of a condition and its present value stand with the unit in which they are compared."""

from __future__ import annotations

import pytest

from tests.workstation.alerts.test_book import BTC, Watch
from tui.workstation.features.alerts.figures import describe_now


@pytest.mark.parametrize(
    ("line", "condition", "now"),
    [
        ("spread > 3bp", "spread > 3bp", "bp"),
        ("spread > 3t", "spread > 3t", "2t"),
        ("spread > 3", "spread > 3", "0.2 USDT"),
        ("upnl < -500", "upnl < -500", "327.5 USDT"),
        ("liqdist < 5", "liqdist < 5%", "%"),
        ("liqdist < 500bp", "liqdist < 500bp", "bp"),
        ("age > 5", "age > 5s", "s"),
        ("age > 5000ms", "age > 5,000ms", "ms"),
        ("rate > 80", "rate > 80%", "0%"),
        ("adl > 3", "adl > 3", "2"),
        ("mark < 60000", "mark < 60,000", "64,001.0"),
    ],
)
def test_an_alert_says_its_figure_with_the_unit(line: str, condition: str, now: str) -> None:
    """The list of alerts wrote `0.0312` beside `3bp`."""
    watch = Watch(f"alert when {BTC} {line}" if not line.startswith("rate") else f"alert when {line}")
    alert = watch.book.active[max(watch.book.active, key=int)]
    assert watch.book.describe(alert).endswith(condition)
    value = describe_now(alert.alert.tests, watch.view).partition(" (")[0]
    assert value.endswith(now) and value[:1].isdigit(), value
