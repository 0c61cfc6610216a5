"""Another market, and another user, is another account: the orders of one are no riddles of the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.terminal.conftest import STILL
from tests.terminal.misbehaving import KEY_NAMES
from tests.terminal.safety.test_windows import arm, leave, rest_one
from tests.terminal.terminal import Terminal
from tests.terminal.trader import at_the_desk

SYM = "BINANCE_PERP_BTC_USDT"


def recording(path: Path) -> Path:
    """A market of two minutes that hardly moves."""
    rows = ["received_ns,sym,kind,a,b,c,d"]
    for step in range(1200):
        bid = 60000 + step % 5
        rows.append(f"{1_700_000_000_000_000_000 + step * 100_000_000},{SYM},BBO,{bid}.0,1.5,{bid}.1,1.5")
    path.write_text("\n".join(rows) + "\n")
    return path


def test_a_replayed_market_does_not_show_paper_venue_orders(start: Callable[..., Terminal], tmp_path: Path) -> None:
    first = start(*STILL)
    first.see("In sync with the venue")
    arm(first)
    rest_one(first, first.home)
    first.see("OPEN", "BINANCE BTC")
    leave(first)
    replay = start("--market", str(recording(tmp_path / "btc.csv")), home=first.home)
    replay.in_step()
    replay.press("4", ")", ")", ")")
    replay.see("time", "event")
    replay.see("a replay of btc.csv is an account")
    assert not any("UNK" in line or "no longer found" in line for line in replay.display)
    leave(replay)
    again = start(*STILL, home=first.home)
    again.in_step()
    again.see("OPEN", "BINANCE BTC")


def test_another_api_key_has_its_own_journal_unless_user_is_set(start: Callable[..., Terminal], tmp_path: Path) -> None:
    """Two keys name one portfolio id of one host; nothing says that one user has both."""
    with at_the_desk(start, tmp_path) as trader:
        trader.come_in()
        leave(trader.desk)
        home, keys = trader.desk.home, {key["name"]: key for key in trader.venue.ready["keys"]}
        assert keys["main"]["portfolioId"] == keys["readonly"]["portfolioId"]
        key = keys["readonly"]
        other = {KEY_NAMES["key_env"]: key["api_key"], KEY_NAMES["secret_env"]: key["api_secret"]}
        second = start("--profile", "desk", home=home, environment=other, columns=220, lines=48)
        watch(second)
        second.see("another key than before: treated as another user's, its journal is separate")
        leave(second)
        journals = sorted(home.glob("**/journal.db"))
        first, apart = sorted(journals, key=lambda path: path.parent.name.startswith("account-"))
        assert apart.parent.parent == first.parent
        owner = first.with_name("journal.account").read_text()
        config = home / "config" / "config.toml"
        config.write_text(config.read_text().replace("[profile.desk]", f'[profile.desk]\nuser = "{owner.split()[-1]}"'))
        again = start("--profile", "desk", home=home, environment=other, columns=220, lines=48)
        watch(again)
        again.gone("another key than before")
        leave(again)
        assert sorted(home.glob("**/journal.db")) == journals


def watch(desk: Terminal) -> None:
    """Come in and look at the events."""
    desk.see("Type the portfolio name 'main'")
    desk.press("main", "enter")
    desk.in_step()
    desk.press("4", ")", ")", ")")
    desk.see("time", "event")
