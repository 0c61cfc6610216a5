"""Two workstations with homes of their own, on two machines as it were, trade one live portfolio with one key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.terminal.misbehaving import KEY_NAMES
from tests.terminal.terminal import Terminal
from tests.terminal.trader import Trader, at_the_desk


def second(start: Callable[..., Terminal], first: Trader, home: Path) -> Trader:
    """Another home with the same profile, come in and armed."""
    (home / "config").mkdir(mode=0o700, parents=True)
    home.chmod(0o700)
    config = home / "config" / "config.toml"
    config.write_text((first.desk.home / "config" / "config.toml").read_text())
    config.chmod(0o600)
    key = first.venue.ready["keys"][0]
    secrets = {KEY_NAMES["key_env"]: key["api_key"], KEY_NAMES["secret_env"]: key["api_secret"]}
    desk = start("--profile", "desk", home=home, environment=secrets, columns=160, lines=48)
    found = Trader(first.venue, desk)
    found.come_in()
    return found


def test_two_installations_see_and_can_cancel_each_others_orders(
    start: Callable[..., Terminal], tmp_path: Path
) -> None:
    """Ids never meet, what one sends the other says is not its own, and a cancel of one is the end for both."""
    with at_the_desk(start, tmp_path) as one:
        one.come_in()
        other = second(start, one, tmp_path / "another home")
        one.rest_one()
        other.desk.see("EXTERNAL order", "BINANCE BTC perp", "NEW")
        other.rest_one()
        one.desk.see("EXTERNAL order", "BINANCE BTC perp", "NEW")
        one.desk.see("2 working")
        other.desk.see("2 working")
        ids = [row["clientOrderId"] for row in one.orders()]
        assert len(set(ids)) == 2 and len({name[:8] for name in ids}) == 2, "each home has its own prefix of ids"
        other.desk.press("2", "C")
        other.desk.see("cancel 2 orders")
        other.desk.press("y")
        one.desk.see("0 working")
        other.desk.see("0 working")
        assert one.orders() == []
        assert not any("UNKNOWN" in line for desk in (one.desk, other.desk) for line in desk.display)


def test_kill_in_one_installation_cancels_orders_of_the_other(start: Callable[..., Terminal], tmp_path: Path) -> None:
    """The kill switch is that of the portfolio; the other desk keeps its own state and says what became of its order."""
    with at_the_desk(start, tmp_path) as one:
        one.come_in()
        other = second(start, one, tmp_path / "another home")
        one.rest_one()
        other.desk.see("1 working")
        other.desk.press("X")
        other.desk.see("Enter: cancel entries of")
        other.desk.press("enter")
        other.desk.see("VIEW", "HALT")
        one.desk.see("0 working")
        assert one.orders() == []
        assert "ARMED" in one.desk.display[0], "what one decides about itself says nothing about the other"
