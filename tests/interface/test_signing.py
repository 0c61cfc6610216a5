"""Signatures against constants that were computed outside this project."""

from __future__ import annotations

import json

import pytest

from tui.interface import signing

SECRET = "paper-secret-0001"
NONCE = "1712345678"

VECTORS = [
    ({}, "4b423d05d66e82a722323eeadc6079c214287c1fb4ee19a2792d538055047dc5"),
    ({"sym": "BINANCE_PERP_BTC_USDT"}, "b0577d9522ae768ef08ae579f516ec555ae4fd2fc3ce0aec4dc88506ea270434"),
    ({"sym": "BINANCE_SPOT_BTC_USDT"}, "14c33e3a49cbdb28a5686357870c8c850ee7dd8f33a631608457b1422f1e30d0"),
    ({"orderId": "2171125266142788"}, "93ceed64cc1bc9b29b5aadc710d5a41437b2dbebfcf231d11ad1f50c96e3275f"),
    ({"pageSize": "1000", "page": "1"}, "68c39616922c1fb0b169adfdb076b2d9ccce97208b1acdc55f0b7f0bbe4cfc20"),
    (
        {"pageSize": "50", "exchangeType": "OKX", "pageNum": "2", "exchange": "BINANCE", "page": "1"},
        "41d70ac79d7315353b2ee0168509cee30a4e894b141f7da4fe63b46c929dabfd",
    ),
    ({"alpha": "2", "Zeta": "1"}, "6718bdee6a02db3fbca8a3adb0d1044e89d0f3ae6e418dce9ea62ea103c28ca1"),
    (
        {
            "clientOrderId": "demo001",
            "sym": "BINANCE_PERP_BTC_USDT",
            "side": "BUY",
            "orderType": "LIMIT",
            "timeInForce": "GTC",
            "orderQty": "0.010",
            "limitPrice": "60000",
            "reduceOnly": "false",
            "positionSide": "LONG",
        },
        "5cf219affbfd3ba706632461e71a12a3bbb34a93ecf4160ff5a17e81bd32aed7",
    ),
    (
        {"closeAllPos": "false", "symList": "BINANCE_PERP_BTC_USDT,BINANCE_PERP_ETH_USDT"},
        "0d94971b96e12bfcea4dae5161e3920acc9c97904aaf8c08671f610383336133",
    ),
    (
        {"exchangeType": "OKX", "closeAllPos": "true"},
        "1689e79c40a9450ea4781d0eb1e8d2afb1232ab31072174729c86555fbcd9e24",
    ),
    (
        {"sym": "BINANCE_PERP_BTC_USDT", "leverage": "5"},
        "1cd32bfb0210ba34c915a01a1b3f6349ea31d68ebd35107fa6b03a473589f619",
    ),
    (
        {"begin": "", "end": "", "pageSize": "1000", "sym": "BINANCE_PERP_BTC_USDT"},
        "5c472a7891f40e370f9578794c9beb33e5bac72a4bcc82f872d57ddbfa724992",
    ),
    ({"note": "a b+c/é"}, "48891a94f54ae4d10aa5c9520a1cdca2ac1387cddc688cb4db3889a5363dff70"),
]

BODIES = [
    ('{"amount":1.0}', "0005727a0866ee4d7d60e6414abc523b90b7db1d716fa956b2bda38d6233bf29"),
    ('{"amount":1}', "6e7c288800b2caa7c3605c73c5d99c9d6907d9a58eb17294ca3ddf88d42cf488"),
    ('{"closeAllPos":true,"exchangeType":"OKX"}', "1689e79c40a9450ea4781d0eb1e8d2afb1232ab31072174729c86555fbcd9e24"),
    (
        '{"sym":"BINANCE_PERP_BTC_USDT","leverage":5,"gone":null}',
        "1cd32bfb0210ba34c915a01a1b3f6349ea31d68ebd35107fa6b03a473589f619",
    ),
    ('{"reduceOnly":false}', "d4508aa4ec81ad2f4de53100a7270fabf256af859534c37a38821efea174bdb1"),
    ("", "4b423d05d66e82a722323eeadc6079c214287c1fb4ee19a2792d538055047dc5"),
    ("{}", "4b423d05d66e82a722323eeadc6079c214287c1fb4ee19a2792d538055047dc5"),
    (
        '{"closeAllPos":"false","symList":["BINANCE_PERP_BTC_USDT","BINANCE_PERP_ETH_USDT"]}',
        "0d94971b96e12bfcea4dae5161e3920acc9c97904aaf8c08671f610383336133",
    ),
]


@pytest.mark.parametrize(("params", "signature"), VECTORS)
def test_request_signatures_match_the_examples(params: dict[str, str], signature: str) -> None:
    assert signing.sign_request(SECRET, params, NONCE) == signature


@pytest.mark.parametrize(("body", "signature"), BODIES)
def test_body_values_are_signed_as_written(body: str, signature: str) -> None:
    assert signing.sign_request(SECRET, signing.to_signed_text(body.encode()), NONCE) == signature


@pytest.mark.parametrize(
    ("timestamp", "signature"),
    [
        ("1719388800", "6096086c97fd369f939d9457c8caa92841022a0ea13dc72735ce73e285119f09"),
        ("1774331552", "95e6d9b06c598633b0b41e85772b4691e9568b90f2a082c6fa4484021b73b9f1"),
    ],
)
def test_login_signatures_match_the_examples(timestamp: str, signature: str) -> None:
    assert signing.sign_login(SECRET, timestamp) == signature


def test_a_wrongly_built_text_to_sign_has_another_signature() -> None:
    assert signing.sign(SECRET, NONCE) == "4c1f8973e96888cab71157019a606a8cf436036b6b8ee719539092579af5e15b"
    assert signing.sign_request(SECRET, {}, NONCE) != signing.sign(SECRET, NONCE)
    python_style = "ba1d9ebf616140319a749408fbc98cac6dfaecb97229354b2878143fa2a5b41b"
    assert signing.sign(SECRET, "reduceOnly=False&" + NONCE) == python_style


@pytest.mark.parametrize(
    "body",
    [b"[]", b"1", b"{", b'{"a":1,"a":2}', b'{"a":NaN}', b'{"a":{"b":1}}', b"\xff", b"[" * 100_000, b'{"a":Infinity}'],
)
def test_the_venue_rejects_a_body_it_cannot_verify(body: bytes) -> None:
    with pytest.raises(signing.BadBody):
        signing.to_signed_text(body)


def test_huge_numbers_in_a_body_are_signed_as_text() -> None:
    digits = "9" * 5000
    assert signing.to_signed_text(f'{{"a":{digits}}}'.encode()) == {"a": digits}
    assert json.dumps(signing.to_signed_text(b'{"a":1e400}')) == '{"a": "1e400"}'
