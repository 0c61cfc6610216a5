"""A quote that was received and waits to be decoded counts for every check."""

from __future__ import annotations

from tests.engine.conftest import SYM, buy
from tests.engine.orders.gated import Gated, asks


def test_a_waiting_quote_is_decoded_before_an_order_is_checked(gated: Gated) -> None:
    gated.clock.advance(12)
    gated.status.last_frame = gated.state.quotes.newest = gated.clock.mono()
    asks(gated.gate.check_place(buy(price="60000.1")), "STALE", "the quote was 12.0 s old when asked")
    waits = [SYM]

    def bring_up(sym: str) -> None:
        if waits.pop() == sym:
            gated.quote()

    gated.state.quotes.bring_up = bring_up
    assert gated.gate.check_place(buy(price="60000.1")) is None
    assert not waits
