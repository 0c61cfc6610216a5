"""Who reads the page: only who came with the token, under its own name, from itself."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from click.testing import CliRunner

from tests.page.serving import HOSTILE, Page, serve_page
from tui.cli.main import main
from tui.page import server
from tui.page.access import BadListen, parse_listen

PATHS = ("/", "/page.js", "/page.css", "/stream")


def cookie(page: Page, value: str = "") -> dict[str, str]:
    return {"Cookie": f"{page.access.cookie_name}={value or page.access.session}"}


def origin(page: Page) -> dict[str, str]:
    return {"Origin": page.base}


async def get(page: Page, path: str, method: str = "GET", **headers: str) -> tuple[int, str, Any]:
    async with (
        aiohttp.ClientSession() as client,
        client.request(method, f"{page.base}{path}", headers=headers, allow_redirects=False) as answer,
    ):
        return answer.status, await answer.text(), answer.headers


async def test_the_token_opens_the_page_and_leaves_a_strict_cookie() -> None:
    async with serve_page() as page:
        status, text, headers = await get(page, f"/open/{page.access.token}")
        assert status == 200 and "<title>crossdesk</title>" in text
        kept = headers["Set-Cookie"]
        assert "HttpOnly" in kept and "SameSite=Strict" in kept and page.access.token not in kept
        assert (await get(page, "/", **cookie(page)))[0] == 200


@pytest.mark.parametrize("path", PATHS)
async def test_s28_without_token_or_cookie_the_page_shows_nothing(path: str) -> None:
    async with serve_page() as page:
        odd = cookie(page, b"\xff\xfe".decode("utf-8", "surrogateescape"))
        for headers in ({}, cookie(page, "x"), cookie(page, page.access.token), {"Cookie": "a=b"}, odd):
            status, text, _ = await get(page, path, **headers, **origin(page))
            assert status == 403 and "BINANCE" not in text, headers
    async with serve_page() as page:
        for token in ("", "x", page.access.token[:-1], page.access.token + "x", "é", page.access.session):
            assert (await get(page, f"/open/{token}"))[0] == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:80", ""])
async def test_s26_the_page_answers_no_request_for_another_host_name(host: str) -> None:
    async with serve_page() as page:
        for path in (f"/open/{page.access.token}", *PATHS):
            status, text, headers = await get(page, path, Host=host, **cookie(page))
            assert status in (400, 403) and "Set-Cookie" not in headers and "BINANCE" not in text


@pytest.mark.parametrize("foreign", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
async def test_s27_web_pages_of_other_origins_cannot_read_the_page(foreign: str) -> None:
    async with serve_page() as page:
        for path in (f"/open/{page.access.token}", *PATHS):
            assert (await get(page, path, Origin=foreign, **cookie(page)))[0] == 403
        async with aiohttp.ClientSession() as client:
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await client.ws_connect(f"{page.base}/stream", headers={"Origin": foreign, **cookie(page)})
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await client.ws_connect(f"{page.base}/stream", headers=cookie(page))


async def test_s27_a_site_that_embeds_the_page_gets_nothing() -> None:
    async with serve_page() as page:
        for site in ("cross-site", "same-site"):
            assert (await get(page, "/", **cookie(page), **{"Sec-Fetch-Site": site}))[0] == 403


async def test_the_web_page_server_accepts_only_get_of_known_paths() -> None:
    async with serve_page() as page:
        before = page.shown.snapshot
        for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "ORDER"):
            for path in (f"/open/{page.access.token}", *PATHS):
                status, text, headers = await get(page, path, method, **cookie(page), **origin(page))
                assert status in (400, 405, 501) and "<html" not in text and "Set-Cookie" not in headers
        for path in ("/orders", "/static/page.html", "/page.js/", "/stream/x", "/open/", "/open/a/b"):
            assert (await get(page, path, **cookie(page)))[0] in (403, 404)
        assert page.shown.snapshot is before


async def test_every_page_answer_forbids_foreign_scripts_and_caching() -> None:
    async with serve_page() as page:
        for path, more in (
            (f"/open/{page.access.token}", {}),
            ("/", cookie(page)),
            ("/", {}),
            ("/nothing", cookie(page)),
        ):
            headers = (await get(page, path, **more))[2]
            policy = headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
            assert headers["Cache-Control"] == "no-store" and headers["Referrer-Policy"] == "no-referrer"
            assert headers["X-Content-Type-Options"] == "nosniff" and "Python" not in headers["Server"]


async def test_snapshots_come_at_most_four_times_a_second() -> None:
    async with serve_page() as page, aiohttp.ClientSession() as client:
        loop, times = asyncio.get_running_loop(), list[float]()
        async with client.ws_connect(f"{page.base}/stream", headers={**origin(page), **cookie(page)}) as stream:
            while len(times) < 6:
                message = json.loads((await stream.receive(timeout=10)).data)
                times.append(loop.time())
                assert message["status"]["word"] == "in sync" and HOSTILE in message["status"]["account"]
        assert times[-1] - times[0] >= 5 * 0.25 * 0.9


async def test_a_page_viewer_that_sends_a_message_is_disconnected() -> None:
    async with serve_page() as page, aiohttp.ClientSession() as client:
        for said in ("{}", "x" * 5000):
            stream = await client.ws_connect(f"{page.base}/stream", headers={**origin(page), **cookie(page)})
            await stream.send_str(said)
            async with asyncio.timeout(10):
                while (await stream.receive()).type not in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED):
                    pass
            await stream.close()


async def test_s30_page_viewers_are_limited_and_free_their_place() -> None:
    async with serve_page() as page, aiohttp.ClientSession() as client:
        headers = {**origin(page), **cookie(page)}
        streams = [await client.ws_connect(f"{page.base}/stream", headers=headers) for _ in range(server.MOST_VIEWERS)]
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(f"{page.base}/stream", headers=headers)
        assert refused.value.status == 503
        await streams.pop().close()
        async with asyncio.timeout(10):
            while True:
                try:
                    streams.append(await client.ws_connect(f"{page.base}/stream", headers=headers))
                    break
                except aiohttp.WSServerHandshakeError:
                    await asyncio.sleep(0.01)
        for stream in streams:
            await stream.close()


@pytest.mark.parametrize(
    "text", ["0.0.0.0:80", "[::]:80", "example.com:80", "127.0.0.1", "127.0.0.1:99999", ":80", "127.0.0.1:x"]
)
def test_a_page_address_invalid_or_for_all_hosts_is_refused(text: str) -> None:
    with pytest.raises(BadListen):
        parse_listen(text)


def test_page_listen_addresses_are_parsed() -> None:
    assert parse_listen("127.0.0.1:8765") == ("127.0.0.1", 8765)
    assert parse_listen("localhost:0") == ("127.0.0.1", 0)
    assert parse_listen("[::1]:80") == ("::1", 80)


def test_page_and_call_refuse_a_profile_not_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSDESK_HOME", str(tmp_path))
    said = [
        CliRunner().invoke(main, [*words, "--profile", "nosuch"]) for words in (["page"], ["call", "portfolio_assets"])
    ]
    assert all(ended.exit_code for ended in said)
    assert "--profile nosuch: not in" in said[0].output and said[0].output == said[1].output
