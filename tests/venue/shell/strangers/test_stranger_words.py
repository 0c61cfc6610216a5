"""A deployment that spells some words in its own way, permissions of money, and endpoints that were removed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.venue.shell.conftest import STILL, Venue
from tui.interface.envelope import Spellings

ACCOUNTS, MOVE = "/api/v1/tradeAccount/list", "/api/v1/transfer/apply"
PORTFOLIO, KEYS = "/api/v1/trading/portfolio", "/api/v1/apiKey/portfolio"


def test_value_words_replace_values_and_not_field_names(
    start: Callable[..., Venue],
) -> None:
    venue = start(*STILL, "--set", "rate_profile=off", "--set", "value_words=FUNDING=Wallet 1,OKX=Okx", "--control")
    rows = venue.data("GET", ACCOUNTS)
    assert [row["venues"] for row in rows] == ["Wallet 1", "BINANCE", "Okx", "CUSTODY"]
    assert venue.data("GET", "/api/v1/transfer/rapidPoolAvailable", {"pool": "Okx"})["pool"] == "Okx"
    assert venue.call("GET", "/api/v1/transfer/rapidPoolAvailable", {"pool": "OKX"})[1]["code"] == 400000
    portfolio = venue.ready["keys"][0]["portfolioId"]
    funding = next(row["accountId"] for row in rows if row["venues"] == "Wallet 1")
    sent = {
        "fromTradeAccountId": portfolio, "fromAccountType": "Okx", "toTradeAccountId": str(funding), "currency": "USDT",
        "network": "TRC20", "amount": "100.50",
    }  # fmt: skip
    made = venue.data("POST", MOVE, sent)["transferId"]
    found = venue.data("GET", "/api/v1/transfer/get", {"transferId": str(made)})
    assert (found["fromAccountType"], found["amount"]) == ("Okx", 100.5)
    venue.set("value_words", "neutral")
    assert venue.data("GET", "/api/v1/transfer/get", {"transferId": str(made)})["fromAccountType"] == "OKX"


def test_path_words_rename_segments_of_the_venue_paths(start: Callable[..., Venue]) -> None:
    venue = start(*STILL, "--set", "rate_profile=off", "--set", "path_words=tradeAccount=vaults,asset=goods")
    assert len(venue.data("GET", "/api/v1/vaults/list")) == 4
    assert venue.data("GET", "/api/v1/goods/currencies")
    assert venue.call("GET", ACCOUNTS)[0] == 404, "the neutral word is none of this deployment"
    assert venue.call("GET", "/api/v1/trading/orders")[1]["code"] == 200000


@pytest.mark.parametrize("words", ["FUNDING", "A=B,A=C", "A=C,B=C", "A=", "=B", 'A="'])
def test_invalid_value_words_are_rejected(start: Callable[..., Venue], words: str) -> None:
    with pytest.raises(RuntimeError, match="value_words"):
        start(*STILL, "--set", f"value_words={words}")


def test_value_words_do_not_change_free_text_or_field_names() -> None:
    words = Spellings({"FUNDING": "Wallet", "name": "title"})
    body = b'{"FUNDING":"FUNDING","note":"the FUNDING side","quoted":"a \\"FUNDING\\" b","name":1.50}'
    spelled = words.translate_body(body)
    assert spelled == b'{"FUNDING":"Wallet","note":"the FUNDING side","quoted":"a \\"FUNDING\\" b","name":1.50}'
    assert words.neutral_body(spelled) == body
    assert words.translate_values({"type": "FUNDING,OTHER"}) == {"type": "Wallet,OTHER"}
    assert words.neutral_values({"type": "Wallet,OTHER"}) == {"type": "FUNDING,OTHER"}
    assert words.neutral_values({"type": "FUNDING"}) == {"type": "FUNDING?"}
    assert words.neutral_path(words.translate_path("/api/name/x")) == "/api/name/x"


@pytest.mark.parametrize(
    ("permission", "code"), [("READ", 2002), ("TRADE", 2002), ("WITHDRAW", 2002), ("TRANSFER", 400009)]
)
def test_transfers_need_only_the_transfer_permission(venue: Venue, permission: str, code: int) -> None:
    main = str(venue.data("GET", PORTFOLIO, {"belongingTo": "0"})["list"][0]["portfolioId"])
    made = venue.data("POST", KEYS, {"portfolioId": main, "apiName": "mover", "permission": permission})
    answer = venue.call("POST", MOVE, {}, key=(made["accessKey"], made["secretKey"]))[1]
    assert answer["code"] == code
    venue.data("DELETE", KEYS, {"portfolioId": main, "accessKey": made["accessKey"]})


REMOVED: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("GET", "/api/v1/trading/loan/info", {}),
    ("GET", "/api/v1/trading/coin/discount", {}),
    ("GET", "/api/v1/interest/user", {}),
    ("GET", "/api/v1/transfer/info", {"transferId": "2520000000000001"}),
    ("POST", "/api/v1/transfer/internalExchange/apply", {"currency": "USDT"}),
)


@pytest.mark.parametrize(("method", "path", "sent"), REMOVED)
def test_a_removed_endpoint_is_served_only_by_config(
    start: Callable[..., Venue], method: str, path: str, sent: dict[str, str]
) -> None:
    venue = start(*STILL, "--set", "rate_profile=off", "--set", "serve_removed=false")
    status, answer = venue.call(method, path, sent)
    assert (status, answer["code"], answer["message"].startswith("Removed, use ")) == (404, 404, True)
    again = start(*STILL, "--set", "rate_profile=off", "--set", "serve_removed=true")
    answer = again.call(method, path, sent)[1]
    assert _served(answer)


def _served(answer: Any) -> bool:
    """Whether it was answered by what stands behind the endpoint; one of them has no envelope."""
    return "code" not in answer or answer["code"] in (200, 200000, 400009, 404910)
