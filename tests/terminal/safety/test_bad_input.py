"""What a trader can get wrong: figures, pastes, addresses, keys and clocks. Nothing is sent, nothing is lost."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.terminal.conftest import STILL, Venue
from tests.terminal.misbehaving import HOSTILE, KEY_NAMES, Login, MisbehavingService, write_profile
from tests.terminal.terminal import LIMIT, Terminal
from tests.venue.shell.conftest import Venue as VenueProcess

Start = Callable[..., Terminal]

WIDE = {"columns": 220, "lines": 60}
"""Room for whole sentences."""

QUIET = """
[workstation]
bell = false
[engine.limits]
soft_notional = "900000000"
hard_notional = "900000000"
first_of_day = false
"""
"""No bell, so that any control byte is one too many; limits that leave the last word to the venue."""


CLEAR = "\x15"
"""Ctrl+U: takes everything left of the cursor out of a text field."""
PACE = 0.06
"""Seconds between two keys of a hand; keys closer together count as a burst and send nothing."""


def enter(desk: Terminal, times: int = 1) -> None:
    """Press Enter as a hand does."""
    for _ in range(times):
        time.sleep(PACE)
        desk.press("enter")


def digit(desk: Terminal) -> None:
    """Begin the size of a staged line with a digit."""
    time.sleep(PACE)
    desk.press("5")
    holds(desk, "size", "5")


def no_control_byte(desk: Terminal) -> None:
    """Nothing but what a renderer sends reached the terminal; the last sequence may still be on its way."""
    desk.until(lambda _: desk.raw_control_bytes() == [] or None, "a terminal without control bytes")


def back_to_the_lists(desk: Terminal) -> None:
    """Press Escape until no prompt and no ticket is open."""
    deadline = time.monotonic() + LIMIT
    while not _shows_lists(display := desk.display):
        assert time.monotonic() < deadline, "\n".join(display)
        desk.press("escape")
        desk.await_answer()


def _shows_lists(display: list[str]) -> bool:
    """Return whether no prompt and no ticket is open."""
    return any(line[1:9] == " ticket " for line in display) and not any("Esc goes back" in line for line in display)


def quit_by_key(desk: Terminal) -> None:
    """Ctrl+Q and y end it, and the terminal is as it was before."""
    back_to_the_lists(desk)
    desk.press("ctrl+q")
    desk.until(
        lambda display: desk.process.poll() is not None or any(" Quit " in line for line in display) or None,
        "the end, or the question what stays live",
    )
    if desk.process.poll() is None:
        desk.press("y")
    assert desk.process.wait(5) == 0
    desk.until(lambda _: desk.is_restored() or None, "the terminal as it was")


def field(display: list[str], name: str) -> str | None:
    """What stands in a text field of the ticket; None where it is not shown."""
    line = next((line for line in display if line.startswith(f"│ {name} ") and "‹" not in line), None)
    return None if line is None else line[9:26].strip(" ▸")


def retype(desk: Terminal, name: str, text: str) -> None:
    """Put another text in place of what is in the text field that has the focus."""
    if field(desk.display, name):
        desk.press(CLEAR)
        desk.until(lambda display: field(display, name) == "" or None, f"an empty field {name}")
    plain = set(text) <= set("0123456789.,") or not text.isprintable()
    desk.burst(
        text if plain else f"\x1b[200~{text}\x1b[201~"
    )  # a key that fits no number is refused, a paste is judged


def holds(desk: Terminal, name: str, text: str, within: float = LIMIT) -> None:
    """Wait until a text field holds exactly this."""
    desk.until(lambda display: field(display, name) == text or None, f"{text!r} in the field {name}", within=within)


def select(desk: Terminal, group: str, venue: str) -> None:
    """Move the cursor of the quotes to one venue of a group, and wait until it stands there; the list may scroll."""
    desk.walk_to("1")
    desk.press("g")
    steps = desk.until(lambda shown: _steps(shown, group, venue), f"{group} {venue} below the cursor")
    desk.press(*["j"] * steps)
    desk.until(lambda shown: _row(shown, group, venue).startswith("▸") or None, f"the cursor on {group} {venue}")


def _row(display: list[str], group: str, venue: str) -> str:
    """Line of one venue of a group; empty where it is not shown."""
    below = iter(display)
    head = next((line for line in below if group in line), "")
    return next((line for line in below if head and f"  {venue} " in line), "")


def _steps(display: list[str], group: str, venue: str) -> int | None:
    """Return how many rows below the first one, where the cursor stands, a venue stands; None where that is not so."""
    row = _row(display, group, venue)
    first = next((at for at, line in enumerate(display) if "│   symbol" in line), 0) + 1
    return display.index(row) - first if row and display[first].startswith("▸") else None


def bring_up(desk: Terminal) -> None:
    """Wait until the paper desk is in step, and arm it."""
    desk.see("In sync with the venue")
    desk.see("BINANCE", "1t")
    desk.see("min 0.001", "min notional 5")
    desk.press("a")
    desk.see("ARMED")


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """An armed paper desk on a market that holds still, shared by the tests of tickets."""
    home = tmp_path_factory.mktemp("home")
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text(QUIET)
    for path in (home, home / "config"):
        path.chmod(0o700)
    desk = Terminal(*STILL, home=home, columns=220, lines=60)
    try:
        bring_up(desk)
        yield desk
        quit_by_key(desk)
    finally:
        desk.close()


@pytest.fixture
def ticket(paper: Terminal) -> Iterator[Terminal]:
    """The paper desk; afterwards no ticket is open, the venue holds nothing, and no control byte was written."""
    yield paper
    back_to_the_lists(paper)
    assert Venue(paper.home).open_orders() == []
    assert paper.process.poll() is None
    no_control_byte(paper)


def _open_form(ticket: Terminal) -> None:
    """The form of the row, as a buy, with the keyboard in its size."""
    ticket.press("enter")
    ticket.see("New order")
    ticket.press("b", "tab", "tab", "tab")
    ticket.see("Enter next", within=5)


SIZES = {
    "3,5": "write digits with at most one dot, for example 3.5",
    "1e5": "write digits with at most one dot",
    "1_00": "write digits with at most one dot",
    "nan": "write digits with at most one dot",
    "-1": "write digits with at most one dot",
    "1.2.3": "write digits with at most one dot",
    "٣": "write digits with at most one dot",
    "0": "Size must be more than 0",
    "05": "for example 0.5 or 5",
    "5.": "ends with a dot; write digits behind it, or 5",
    "0.0015": "must be a multiple of 0.001 (nearest 0.001 or 0.002)",
    "9" * 20: "Size must be at most",
    "7" * 39: "Size must be at most",
}
"""Typed size -> what is said about it."""

PRICES = {
    "3,5": "write digits with at most one dot, for example 3.5",
    "1e5": "write digits with at most one dot",
    "inf": "write digits with at most one dot",
    "0": "Price must be more than 0",
    "": "empty; type digits with at most one dot",
    "61777.15": "must be a multiple of 0.1 (nearest 61777.1 or 61777.2)",
}


def test_an_invalid_ticket_size_is_rejected_with_valid_values(ticket: Terminal) -> None:
    select(ticket, "BTC perp", "BINANCE")
    ticket.press("b")
    ticket.see("Staged")
    digit(ticket)
    for typed, words in SIZES.items():
        retype(ticket, "size", typed)
        holds(ticket, "size", typed[:15])
        enter(ticket)
        ticket.see(" ! ", words)
        holds(ticket, "size", typed[:15])
        ticket.see("Staged")


def test_an_invalid_form_price_is_rejected_with_valid_values(ticket: Terminal) -> None:
    select(ticket, "BTC perp", "BINANCE")
    _open_form(ticket)
    ticket.press("tab")
    for typed, words in PRICES.items():
        retype(ticket, "price", typed)
        holds(ticket, "price", typed)
        enter(ticket)
        ticket.see(" ! ", words)
        holds(ticket, "price", typed)
        ticket.see("New order")


def test_arrow_keys_move_an_off_tick_price_to_the_next_tick(ticket: Terminal) -> None:
    select(ticket, "BTC perp", "BINANCE")
    _open_form(ticket)
    for key, neighbour in (("up", "61777.2"), ("down", "61777.1")):
        ticket.press("tab")
        retype(ticket, "price", "61777.15")
        holds(ticket, "price", "61777.15")  # the sentence may still be the one of the first time
        ticket.see("61777.1 or 61777.2")
        ticket.press(key)
        holds(ticket, "price", neighbour)
        ticket.press("\x1b[Z")


def test_a_size_over_the_balance_is_denied_and_the_ticket_stays(ticket: Terminal) -> None:
    venue = Venue(ticket.home)
    before = venue.balance("BINANCE", "USDT")
    for group, size, asked, refusal in (
        ("BTC spot", "2", "", "available on BINANCE"),
        ("BTC perp", "100", "needs about", "Not enough margin"),
    ):
        select(ticket, group, "BINANCE")
        _open_form(ticket)
        ticket.see("New order", f"BINANCE {group}")
        retype(ticket, "size", size)
        holds(ticket, "size", size)
        enter(ticket, 2)
        if asked:
            ticket.see("y sends")
            ticket.press("y")
            ticket.see("│ ? ", asked)
        # The coin of a spot order is looked for before it is sent, the margin by the gate and the venue.
        ticket.press("y")
        ticket.see("│ ! ", "needs", refusal)
        ticket.see("New order", f"BINANCE {group}")
        holds(ticket, "size", size)
        assert venue.open_orders() == []
        back_to_the_lists(ticket)
    assert venue.balance("BINANCE", "USDT") == before


def test_a_price_far_from_the_market_is_denied_with_its_bounds(ticket: Terminal) -> None:
    select(ticket, "BTC perp", "BINANCE")
    _open_form(ticket)
    ticket.press("tab")
    retype(ticket, "price", "99999.9")
    enter(ticket)
    ticket.see("price 99,999.9", "accepted up to 61,931.6", "would be refused")
    ticket.press("y")
    ticket.see("would be refused")
    holds(ticket, "price", "99999.9")


def test_keys_of_one_burst_edit_the_size_field_in_order(ticket: Terminal) -> None:
    select(ticket, "BTC perp", "BINANCE")
    ticket.press("b")
    ticket.see("Staged")
    digit(ticket)
    for keys, meant in (("7\x7f8", "8"), ("0.5\x7f7", "0.7"), ("12\x1b[D\x7f", "2")):
        retype(ticket, "size", keys)
        holds(ticket, "size", meant, within=3)


@pytest.mark.parametrize("brackets", [True, False], ids=["a paste", "raw keys"])
def test_hostile_text_in_a_size_is_refused_and_the_desk_runs_on(ticket: Terminal, brackets: bool) -> None:
    select(ticket, "BTC perp", "BINANCE")
    ticket.press("b")
    ticket.see("Staged")
    digit(ticket)
    for text in HOSTILE:
        if brackets:
            ticket.burst("\x1b[200~" + text + "\x1b[201~")
        elif text.isprintable() or min(text) > " ":
            ticket.burst(text)
    ticket.see("│ ! ")
    back_to_the_lists(ticket)
    ticket.see("ARMED")


def test_key_codes_sent_by_number_do_not_end_the_desk(ticket: Terminal) -> None:
    """`ESC[98;1:3u` is the end of a press on some terminals; it ended the desk."""
    for sequence in ("\x1b[98;1:3u", "\x1b[:u", "\x1b[1114112u", "\x1b[55296;1u", "\x1b[:R"):
        ticket.burst(sequence)
    back_to_the_lists(ticket)
    select(ticket, "BTC perp", "BINANCE")
    ticket.press("b")
    ticket.see("Staged")
    back_to_the_lists(ticket)


def test_s46_text_pasted_on_a_staged_order_sends_nothing(ticket: Terminal) -> None:
    select(ticket, "BTC perp", "BINANCE")
    ticket.press("b")
    ticket.see("Staged")
    ticket.burst("\x1b[200~1\r\ry\r\x1b[201~")
    ticket.press("J")
    ticket.see("Staged")
    assert Venue(ticket.home).open_orders() == []


# -- the way to the service ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def service() -> Iterator[tuple[VenueProcess, MisbehavingService]]:
    """A real venue process, and in front of it the proxy that counts logins."""
    venue = VenueProcess(*STILL, "--set", "rate_profile=off")
    proxy = MisbehavingService(venue.ready)
    yield venue, proxy
    proxy.close()
    assert venue.stop() == 0


def live(start: Start, home: Path, proxy: MisbehavingService, key: dict[str, Any], **urls: str) -> Terminal:
    """The workstation on a profile that points at the proxy, with the typed name given, on its events."""
    addresses = {"rest": proxy.rest_url, "private": proxy.private_ws_url, "public": proxy.public_ws_url, **urls}
    home.mkdir(exist_ok=True)
    rest, private, public = (addresses[name] for name in ("rest", "private", "public"))
    write_profile(home, rest=rest, private=private, public=public, portfolio=key["portfolioId"])
    secrets = {KEY_NAMES["key_env"]: key["api_key"], KEY_NAMES["secret_env"]: key["api_secret"]}
    desk = start("--profile", "desk", home=home, environment=secrets, **WIDE)
    desk.see("Type the portfolio name 'main'")
    desk.press("main", "enter")
    desk.see("LIVE", "main", "VIEW")
    desk.press("4", ")", ")")
    desk.see("time", "event")
    return desk


def see_either(desk: Terminal, *choices: tuple[str, ...]) -> None:
    """Wait for a line that holds all words of one of the choices."""

    def found(display: list[str]) -> str | None:
        return next((line for line in display for words in choices if all(word in line for word in words)), None)

    desk.until(found, " or ".join(" and ".join(words) for words in choices))


def leave(desk: Terminal, secret: str) -> None:
    """It still lives and ends by its key; it showed neither the secret nor a control byte."""
    assert desk.process.poll() is None
    quit_by_key(desk)
    no_control_byte(desk)
    assert secret.encode() not in desk.bytes


def at_most(logins: list[Login], since: int) -> None:
    """Never two logins within a second, however late a busy machine delivers one; never more than three within a minute."""
    made = logins[since:]
    assert len(made) <= 3
    assert all(later.at - earlier.after > 0.95 for earlier, later in itertools.pairwise(made))


def down_for(desk: Terminal, seconds: int) -> None:
    """Wait until the order link has been down for so long without another attempt."""
    desk.until(
        lambda display: (
            ((found := re.search(r"priv○ down (\d+)", display[0])) and int(found.group(1)) >= seconds) or None
        ),
        f"the order link down for {seconds} s",
    )


def test_an_unreachable_service_is_reported_and_retried(start: Start, tmp_path: Path, service: Any) -> None:
    venue, proxy = service
    key = venue.ready["keys"][0]
    closed = {"rest": "http://127.0.0.1:9", "private": "ws://127.0.0.1:9/v1", "public": "ws://127.0.0.1:9/p"}
    desk = live(start, tmp_path / "home", proxy, key, **closed)
    desk.see("order link is down", "connection refused", "no server listens there")
    desk.see("md○ down", "priv○ ")
    desk.press("a")
    desk.see("Arm portfolio main")
    desk.press("escape")
    desk.gone("Arm portfolio main")
    leave(desk, key["api_secret"])


@pytest.mark.parametrize(
    ("field", "words"),
    [("api_key", ("405001", "login refused")), ("api_secret", ("60009", "login refused"))],
    ids=["wrong key", "wrong secret"],
)
def test_a_wrong_api_key_is_reported_and_not_retried_for_ever(
    start: Start, tmp_path: Path, service: Any, field: str, words: tuple[str, ...]
) -> None:
    venue, proxy = service
    key = dict(venue.ready["keys"][0])
    key[field] = key[field][::-1]
    logins, public = len(proxy.private_logins), len(proxy.public_logins)
    desk = live(start, tmp_path / "home", proxy, key)
    desk.see("order link is down", *words)
    desk.see("apiKey Not Found" if field == "api_key" else "signature")
    if field == "api_key":
        desk.until(lambda _: len(proxy.private_logins) - logins == 3 or None, "three logins")
        down_for(desk, 2)
    at_most(proxy.private_logins, logins)
    assert len(proxy.public_logins) - public <= 2
    assert len([path for path in proxy.rest_calls if path.endswith("/sym/info")]) < 20
    leave(desk, key["api_secret"])


def test_a_clock_that_differs_from_the_service_is_reported(start: Start, tmp_path: Path, service: Any) -> None:
    venue, proxy = service
    key = venue.ready["keys"][0]
    proxy.clock_ahead = 120
    logins = len(proxy.private_logins)
    try:
        desk = live(start, tmp_path / "home", proxy, key)
        # Who says it first is open: the service refuses what was signed, or we measure our clock before we sign.
        see_either(desk, ("order link is down", "60009", "timestamp"), ("order link is down", "clock differs by"))
        see_either(desk, ("7000 Clock differs from the server", "nonce"), ("clock differs by 1", "service"))
        at_most(proxy.private_logins, logins)
        leave(desk, key["api_secret"])
    finally:
        proxy.behave()


def test_s42_a_live_start_needs_the_typed_portfolio_name(start: Start, tmp_path: Path, service: Any) -> None:
    _, proxy = service
    home = tmp_path / "home"
    home.mkdir()
    write_profile(
        home, rest=proxy.rest_url, private=proxy.private_ws_url, public=proxy.public_ws_url, portfolio="1" * 16
    )
    before = proxy.private_connections
    desk = start("--profile", "desk", home=home, environment=dict.fromkeys(KEY_NAMES.values(), "x"))
    desk.see("Type the portfolio name 'main'")
    desk.press("mian", "enter")
    desk.see("the name does not match; nothing was started")
    assert desk.wait(5) == 2
    assert proxy.private_connections == before
