"""Which tier is used: left after two failed attempts or five seconds, kept for a while, left back only in peace."""

from __future__ import annotations

import pytest

from tests.workstation.scripted import ScriptedClock
from tui.client.failover import FailoverSelector
from tui.client.settings import Service, Timings

ONE = Service(rest_url="http://a", private_ws_url="ws://a", public_ws_url="ws://p")
BOTH = Service(
    rest_url="http://a",
    private_ws_url="ws://a",
    public_ws_url="ws://p",
    ha_rest_url="http://h",
    ha_private_ws_url="ws://h",
)


@pytest.fixture
def clock() -> ScriptedClock:
    return ScriptedClock()


def test_a_service_with_one_server_address_never_fails_over(clock: ScriptedClock) -> None:
    failover = FailoverSelector(ONE, Timings(), clock)
    for _ in range(10):
        clock.pass_by(1)
        assert not failover.record_failure()
    assert failover.current.name == "AZ4"
    assert not failover.may_return(0)


def test_two_failed_reconnects_lead_to_the_other_server(clock: ScriptedClock) -> None:
    failover = FailoverSelector(BOTH, Timings(), clock)
    failover.record_login()
    assert [failover.record_failure() for _ in range(3)] == [False, False, True]
    assert (failover.current.name, failover.current.rest_url) == ("HA", "http://h")


def test_five_seconds_without_a_link_lead_to_the_other_server(clock: ScriptedClock) -> None:
    failover = FailoverSelector(BOTH, Timings(), clock)
    failover.record_login()
    assert not failover.record_failure()
    clock.pass_by(5)
    assert failover.record_failure()


def test_a_successful_login_resets_the_failover_count(clock: ScriptedClock) -> None:
    failover = FailoverSelector(BOTH, Timings(), clock)
    for _ in range(5):
        assert not failover.record_failure()
        failover.record_login()
        assert not failover.record_failure()
        failover.record_login()
    assert failover.is_preferred


def test_return_to_main_server_waits_a_minute_and_for_replies(clock: ScriptedClock) -> None:
    failover = FailoverSelector(BOTH, Timings(), clock)
    failover.record_failure(), failover.record_failure()
    assert failover.current.name == "HA"
    failover.record_login()
    clock.pass_by(59)
    assert not failover.may_return(0)
    clock.pass_by(1)
    assert not failover.may_return(1)
    assert failover.may_return(0)
    failover.postpone_return()
    assert not failover.may_return(0)
    clock.pass_by(60)
    failover.return_to_preferred()
    assert (failover.current.name, failover.switches) == ("AZ4", 2)


def test_the_server_tried_first_is_configurable(clock: ScriptedClock) -> None:
    turned = Service(
        rest_url="http://a",
        private_ws_url="ws://a",
        public_ws_url="ws://p",
        ha_rest_url="http://h",
        ha_private_ws_url="ws://h",
        tier_order="HA,AZ4",
    )
    failover = FailoverSelector(turned, Timings(), clock)
    assert (failover.current.name, failover.is_preferred) == ("HA", True)
