"""Secrets stay secret; limits, back-off and the clock estimate are arithmetic."""

from __future__ import annotations

import copy
import json
import pickle
from email.utils import formatdate

import pytest

from tests.client.fakes import FakeClock
from tui.client.backoff import Backoff, LoginGate
from tui.client.rate_limiter import RateLimiter
from tui.client.settings import Timings
from tui.client.signer import ClockOff, Secret, Signer, short_key
from tui.client.skew import Skew
from tui.host import SeededRandomSource
from tui.interface.endpoint import RateLimit


def test_s3_a_secret_is_hidden_in_every_text_form() -> None:
    secret = Secret("paper-secret-0001")
    shown = [
        str(secret),
        repr(secret),
        f"{secret}",
        f"{secret!r:>20}",
        "{0}".format(secret),  # noqa: UP030, UP032
        str([secret]),
        str({"a": secret}),
    ]
    assert all("paper" not in text for text in shown)
    assert secret == Secret("paper-secret-0001")
    assert secret != Secret("other")


@pytest.mark.parametrize("take", [pickle.dumps, copy.copy, copy.deepcopy, json.dumps])
def test_s3_a_secret_cannot_be_copied_or_serialized(take: object) -> None:
    with pytest.raises(TypeError):
        take(Secret("x"))  # type: ignore[operator]


def test_s6_an_api_key_is_shown_shortened() -> None:
    assert short_key("abcd1234efgh") == "abcd…efgh"
    assert short_key("short") == "****"


def test_s22_calls_and_logins_match_the_signature_examples() -> None:
    signer = Signer("k", Secret("paper-secret-0001"), FakeClock(wall=1712345678.9))
    headers = signer.headers({"pageSize": "1000", "page": "1"})
    assert headers["signature"] == "68c39616922c1fb0b169adfdb076b2d9ccce97208b1acdc55f0b7f0bbe4cfc20"
    assert headers["nonce"] == "1712345678"
    login = Signer("k", Secret("paper-secret-0001"), FakeClock(wall=1719388800.0)).login_args(private=True)
    assert login["sign"] == "6096086c97fd369f939d9457c8caa92841022a0ea13dc72735ce73e285119f09"
    assert "paper" not in repr(signer)


def test_i12_part_of_a_rate_limit_is_for_cancels_and_queries() -> None:
    clock = FakeClock()
    rate_limiter, limit = RateLimiter(Timings(), clock), RateLimit(10, 1)
    for sent in range(7):
        assert rate_limiter.delay("a", limit, reserved=False) == 0
        assert rate_limiter.used("a", limit) == sent
        rate_limiter.count("a")
    assert (
        rate_limiter.delay("a", limit, reserved=False) > 0
        and rate_limiter.used("a", limit) == rate_limiter.room(limit, reserved=False) == 7
    )
    for _ in range(3):
        assert rate_limiter.delay("a", limit, reserved=True) == 0
        rate_limiter.count("a")
    assert rate_limiter.delay("a", limit, reserved=True) > 0
    clock.advance(1.1)
    assert rate_limiter.delay("a", limit, reserved=False) == rate_limiter.used("a", limit) == 0


def test_i12_no_time_window_exceeds_the_rate_limit() -> None:
    clock = FakeClock()
    rate_limiter, limit = RateLimiter(Timings(), clock), RateLimit(5, 2)
    sent: list[float] = []
    while clock.mono() < 30:
        if rate_limiter.delay("a", limit, reserved=True) <= 0:
            rate_limiter.count("a")
            sent.append(clock.mono())
        clock.advance(0.07)
    assert len(sent) > 50
    assert all(sum(1 for at in sent if start <= at < start + 2) <= 5 for start in sent)


def test_i12_a_retry_after_header_delays_all_calls() -> None:
    clock = FakeClock()
    rate_limiter = RateLimiter(Timings(), clock)
    rate_limiter.block("a", 7.0)
    assert rate_limiter.delay("a", RateLimit(5, 1), reserved=True) == 7.0


def test_first_reconnect_is_prompt_and_later_waits_are_capped() -> None:
    backoff = Backoff(Timings(), SeededRandomSource(1))
    delays = [backoff.next_delay() for _ in range(200)]
    assert delays[0] <= 0.25
    assert max(delays) <= 10.0
    assert max(delays[20:]) > 8.0
    backoff.reset()
    assert backoff.next_delay() <= 0.25


def test_f66_logins_are_spaced_and_pause_after_three_rejections() -> None:
    clock = FakeClock()
    gate = LoginGate(Timings(), clock)
    assert gate.remaining_s() == 0
    for _ in range(3):
        gate.record_login()
        gate.record_refusal()
        assert gate.remaining_s() >= 1.0
        clock.advance(1.0)
    assert gate.remaining_s() == pytest.approx(57.0)
    clock.advance(57.0)
    assert gate.remaining_s() == 0


def test_f101_clock_skew_uses_the_quickest_round_trip() -> None:
    clock = FakeClock(wall=0.0)
    skew = Skew(clock)
    assert skew.ms is None
    skew.add(100.0, 2.0, 100_000)
    skew.add(200.0, 0.1, 199_000)
    assert skew.ms == pytest.approx(1050.0)
    for second in range(20):
        skew.add(300.0 + second, 0.2, 300_000 + second * 1000)
    assert skew.ms == pytest.approx(100.0)


def test_earliest_server_time_is_computed_from_reply_times() -> None:
    """What was signed for a second expires by that clock: half a round trip and a whole second may be missing."""
    clock = FakeClock(wall=1_000.0)
    skew = Skew(clock)
    assert skew.least_server_ms is None
    skew.add_date(clock.boot() - 0.2, http_date(960.0))
    assert skew.least_server_ms == pytest.approx(960_000.0)
    clock.advance(5.0)
    assert skew.least_server_ms == pytest.approx(965_000.0)
    clock._wall += 500
    assert skew.least_server_ms == pytest.approx(965_000.0), "our own clock does not matter"
    skew.add(clock.boot() - 0.4, 0.4, 965_200)
    assert skew.least_server_ms == pytest.approx(965_200.0)


def http_date(wall: float) -> str:
    return formatdate(int(wall), usegmt=True)


def test_f101_http_dates_tell_the_clock_skew_before_a_first_pong() -> None:
    clock = FakeClock(wall=1_000.0)
    skew = Skew(clock)
    skew.add_date(clock.boot(), http_date(1_000.0))
    assert skew.ms is None, "within the second the header names there need be no difference"
    clock.advance(0.4)
    skew.add_date(clock.boot() - 0.2, http_date(clock.wall() - 40))
    # 40 s, less the second the header names, and at most what the answer took.
    assert skew.ms == pytest.approx(39_200.0)
    clock.advance(0.5)
    skew.add_date(clock.boot(), http_date(clock.wall() - 40))
    assert skew.ms == pytest.approx(39_900.0), "a second look narrows it"
    skew.add(clock.boot(), 0.1, int((clock.wall() - 41.5) * 1000))
    measured = skew.ms
    assert measured == pytest.approx(41_550.0)
    skew.add_date(clock.boot(), http_date(clock.wall() + 500))
    assert skew.ms == measured, "never over a better one"


def test_f101_unreadable_http_dates_tell_no_clock_skew() -> None:
    clock = FakeClock(wall=1_000.0)
    skew = Skew(clock)
    for text in ("", "yesterday", "Mon, 99 Foo 2026 99:99:99 GMT", "Thu, 01 Jan 99999999 00:00:00 GMT"):
        skew.add_date(clock.boot(), text)
    assert skew.ms is None
    skew.add_date(clock.boot(), http_date(1_090.0))
    assert skew.ms == pytest.approx(-90_000.0)
    clock._wall += 90
    assert skew.ms is None, "a clock set right is right at once"


def test_f101_clock_skew_from_http_dates_expires_in_a_minute() -> None:
    clock = FakeClock(wall=1_000.0)
    signer = Signer("k", Secret("paper-secret-0001"), clock)
    signer.skew = Skew(clock)
    signer.skew.add_date(clock.boot(), http_date(100.0))
    with pytest.raises(ClockOff, match="clock differs by 899 s"):
        signer.headers({})
    clock.advance(60)
    assert signer.headers({}), "nothing could be asked that would say better"


def test_f102_clock_skew_follows_a_corrected_clock_at_once() -> None:
    clock = FakeClock(wall=1_000.0)
    skew = Skew(clock)
    skew.add(clock.boot(), 0.0, 960_000)
    assert skew.ms == pytest.approx(40_000.0)
    clock._wall -= 40
    assert skew.ms == pytest.approx(0.0)


def test_f101_nothing_is_signed_with_a_known_wrong_clock() -> None:
    clock = FakeClock(wall=1_000.0)
    signer = Signer("k", Secret("paper-secret-0001"), clock)
    signer.skew = Skew(clock)
    assert signer.login_args(private=True), "not measured yet"
    signer.skew.add(clock.boot(), 0.0, 970_000)
    with pytest.raises(ClockOff, match="clock differs by 30 s"):
        signer.login_args(private=True)
    assert signer.headers({})
    clock._wall += 26
    with pytest.raises(ClockOff, match="56 s"):
        signer.headers({})
