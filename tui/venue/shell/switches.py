"""Behaviour switches of the server side: formats, envelopes, delays, network; fault switches are in `faults`."""

from __future__ import annotations

import re
from functools import cache

from tui.interface.envelope import Spellings
from tui.venue.core.switches import EDITION, BadSwitch, Switches, SwitchSpec
from tui.venue.core.switches import SPECS as CORE_SPECS
from tui.venue.shell.downtime import NONE, are_windows
from tui.venue.shell.faults import SPECS as FAULT_SPECS

__all__ = ["ALL_SPECS", "SPECS", "BadSwitch", "split_settings"]

NO_HOSTS = "none"
NO_WORDS = "neutral"
_WORD_PAIR = re.compile(r"([A-Za-z0-9_]{1,40})=([A-Za-z0-9_ -]{1,40})")
_HOST = re.compile(r"[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?")


def parse_fronts(text: str) -> list[str]:
    """List the Host headers of the proxies in the value of the switch `hosts`."""
    return [] if text == NO_HOSTS else text.split(",")


def _are_hosts(text: str) -> bool:
    return all(_HOST.fullmatch(part) for part in text.split(","))


@cache
def spellings_of(text: str) -> Spellings:
    """Return the deployment's spellings of paths or values, from the switch `path_words` or `value_words`."""
    return Spellings({} if text == NO_WORDS else dict(part.split("=", 1) for part in text.split(",")))


def _is_word_map(text: str) -> bool:
    pairs = [_WORD_PAIR.fullmatch(part) for part in text.split(",")]
    matches = [(pair[1], pair[2]) for pair in pairs if pair is not None]
    return len({neutral for neutral, _ in matches}) == len({own for _, own in matches}) == len(pairs)


SPECS: tuple[SwitchSpec, ...] = (
    SwitchSpec("latency", ("normal", "bad", "test"), "delays: 8 ms in and 12 ms out, 150 ms each way, or none"),
    SwitchSpec(
        "hosts",
        (NO_HOSTS, "venue.example:8443,venue.example"),
        "additional accepted Host headers, of a TLS proxy",
        _are_hosts,
    ),
    SwitchSpec(
        "http_status",
        ("envelope", "documented"),
        "HTTP status: always 200, or 400 and 500 for errors and 202 for accepted actions",
    ),
    SwitchSpec("keep_ended", ("600", "1"), "seconds that ended orders stay in memory", str.isdecimal),
    SwitchSpec("delete_params", ("body_or_query", "body_only", "query_only"), "where DELETE parameters are read"),
    SwitchSpec("v1", ("off", "on"), "whether V1 authentication is accepted on the account endpoints"),
    SwitchSpec(
        "path_words",
        (NO_WORDS, "portfolioLoan=pmLoan,custodytradingaccount=vault"),
        "path segments that this deployment spells differently",
        _is_word_map,
    ),
    SwitchSpec(
        "value_words",
        (NO_WORDS, "FUNDING=Wallet,CUSTODY=Vault"),
        "values that this deployment spells differently",
        _is_word_map,
    ),
    SwitchSpec("unknown_key", ("405001", "100018"), "error code for an unknown API key"),
    SwitchSpec(
        "login_unknown_key",
        ("405001", "60009"),
        "error code of a stream login with an unknown API key",
        lenient="60009",
    ),
    SwitchSpec(
        "success_code",
        ("documents", "family"),
        "success code: 200000 except in Account Assets V2, or 200 in some endpoint families",
        lenient="family",
    ),
    SwitchSpec(
        "pool_params",
        ("required", "optional"),
        "whether the loan pool query requires venue and coin",
        lenient="optional",
    ),
    SwitchSpec(
        "unnamed_portfolio",
        ("main", "own_and_main"),
        "portfolios in the fee query of a sub key that gives none",
        lenient="own_and_main",
    ),
    SwitchSpec(
        "default_page_size",
        ("1000", "short"),
        "default page size: 1000, or 20 for custody and 100 for portfolios",
        lenient="short",
    ),
    SwitchSpec(
        "page_names",
        ("both", "documents"),
        "paging parameters of statement and executions: both names, or only the documented one",
    ),
    SwitchSpec("rate_profile", ("official", "short", "off"), "documented rate limits, one fifth of them, or none"),
    SwitchSpec("empty_page_num", ("0", "1"), "pageNum of an empty page"),
    SwitchSpec(
        "list_shape",
        ("page", "array"),
        "lists of portfolio assets, transfers, deposits and withdrawals: page object or plain array",
    ),
    SwitchSpec(
        "empty_portfolios", ("listed", "absent"), "whether the list of assets by portfolio includes empty portfolios"
    ),
    SwitchSpec("bills_scope", ("any", "sub"), "whether keys of the main portfolio may read bills"),
    SwitchSpec("close_answer", ("object", "array"), "response to closing one position: object or array"),
    SwitchSpec(
        "maintenance",
        (NONE, "TRADE 1780000000000 1780000600000 planned upgrade"),
        "maintenance windows, separated by commas; service TRADE rejects orders",
        are_windows,
    ),
    SwitchSpec(
        "action_in_open_orders", ("false", "true"), "whether rows of open orders have the field action", lenient="true"
    ),
    SwitchSpec(
        "algo_answer", ("envelope", "bare"), "response to replace and cancel of an algo order: with envelope or bare"
    ),
    SwitchSpec("algo_open_shape", ("page", "array"), "list of open algo orders: page object or plain array"),
    SwitchSpec(
        "public_text", ("query", "always", "never"), "plain text on the public stream: on request, always, never"
    ),
    SwitchSpec("bbo_unit", ("contracts", "base"), "unit of book quantities of OKX perpetuals on the public stream"),
    SwitchSpec("public_ts", ("string", "int"), "type of ts on the public stream"),
    SwitchSpec("ticker_shape", ("array", "object"), "ticker format: longer or shorter edition of the documents"),
    SwitchSpec(
        "kline_rows",
        ("strings", "typed"),
        "kline rows: six texts, or seven typed values as in the shorter edition of the documents",
    ),
    SwitchSpec("subscribe_reply", ("union", "short"), "fields of the subscribe reply"),
    SwitchSpec("login_failure", ("new", "old"), "format of a failed login's reply on the private stream"),
    SwitchSpec("code_type", ("int", "text"), "type of code on the private stream"),
    SwitchSpec(
        "push_names",
        ("documents", "Orders", "orders"),
        "channel names of the private stream: orders with Assets, Positions, Trades, Accounts; all capitalised; all lower",
        lenient="Orders",
    ),
    SwitchSpec("push_order", ("fixed", "shuffled"), "order of pushes on different channels for one event"),
    SwitchSpec("client_skew", ("30", "5"), "largest accepted clock difference of a stream login, s", str.isdecimal),
    SwitchSpec(
        "dead_man",
        ("off", "10"),
        "cancel on disconnect: seconds from the end of the last private connection until all orders are cancelled",
        str.isdecimal,
    ),
    SwitchSpec("serve_removed", ("false", "true"), "whether removed fields and endpoints are served", lenient="true"),
    SwitchSpec("sub_limits", ("same", "lower"), "whether keys of sub portfolios have the same or lower rate limits"),
    SwitchSpec(
        "reply_race",
        ("off", "random", "push_first"),
        "whether pushes can arrive before the reply to the action that caused them",
    ),
    SwitchSpec("login_snapshot", ("none", "full"), "whether a login is followed by a push of all current records"),
    *FAULT_SPECS,
    SwitchSpec("ha", ("off", "on"), "whether there is a second address as failover tier; read at the start"),
    SwitchSpec(
        "tier_down", ("none", "AZ4", "HA"), "fault: the address of a tier drops its connections and refuses new ones"
    ),
    SwitchSpec(
        "network",
        ("up", "cut", "black_hole"),
        "fault: connections are dropped and refused, or no data gets through, until set to up",
    ),
)
"""Switches of the shell; the first value of each is the default."""

ALL_SPECS: tuple[SwitchSpec, ...] = tuple(sorted((*SPECS, *CORE_SPECS), key=lambda spec: spec.name))


def split_settings(wanted: list[tuple[str, str]]) -> tuple[Switches, Switches]:
    """Set each switch where it belongs: on the server side or in the exchange.

    Raises:
        BadSwitch: No such name or value; the text lists what is accepted.
    """
    shell, core = Switches(specs=SPECS), Switches(specs=CORE_SPECS)
    for name, value in wanted:
        if name not in shell and name not in core:
            known = ", ".join(spec.name for spec in ALL_SPECS)
            raise BadSwitch(f"--set {name[:40]}={value[:40]}: no such switch; known are {known}")
        (shell if name in shell else core).set(name, value)
        if name == EDITION:
            shell.set_edition(value)
    return shell, core
