"""Programs that attack their mandates send nothing beyond them; the long run is `python -m tests.programs.attack`."""

from __future__ import annotations

from pathlib import Path

from tests.desk_protocol.desks import BTC
from tests.programs.attack import attack
from tests.programs.losses import SLACK_S, Losses, QuotesSeen


async def test_s63_attacks_on_mandates_send_nothing_beyond_them(tmp_path: Path) -> None:
    report = await attack(4, 20_261_128, tmp_path)
    assert report.wrong == dict.fromkeys(report.wrong, 0), report
    assert report.mandates == 4 and report.sent > 3 and report.denied > 20, report


def test_the_mandate_attack_judge_counts_only_a_loss_that_lasted() -> None:
    quotes = QuotesSeen()
    quotes.note(BTC, 0.0, "99", "100")
    losses = Losses(quotes)
    bought = {"sym": BTC, "side": "BUY", "quantity": "2", "price": "100", "fee": "1"}
    losses.add("bot", 1.0, bought)
    assert losses.least("bot", 1.0 + SLACK_S / 2) == 0, "the desk has had no time to see it"
    assert losses.least("bot", 1.0 + SLACK_S) == 3 and losses.least("another", 9.0) == 0
    quotes.note(BTC, 2.0, "102", "103")
    assert losses.least("bot", 2.1) == -3, "at the best price of that while"
    quotes.note(BTC, 3.0, "90", "91")
    assert losses.least("bot", 3.0 + SLACK_S / 2) == -3 and losses.least("bot", 3.1 + SLACK_S) == 21
