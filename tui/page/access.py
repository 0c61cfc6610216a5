"""Access to the page: a token, a cookie after the first visit, and only under the addresses at which it is served."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from ipaddress import ip_address

from tui.crossdesk_error import CrossdeskError

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
ALLOWED_SITES = frozenset(["same-origin", "none"])
"""Values of Sec-Fetch-Site with which the page may be asked for: by itself, or typed."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
"""Headers of every answer."""


class BadListen(CrossdeskError):
    """Error for an address on which the page cannot be served; the text says what is accepted."""

    title = "Not started"


def parse_listen(text: str) -> tuple[str, int]:
    """Parse `ADDRESS:PORT`; the address must be a single one (not 0.0.0.0 or ::), `localhost` means 127.0.0.1.

    Raises:
        BadListen: It is none, or stands for every address.
    """
    host, _, port = text.rpartition(":")
    host = host.strip("[]")
    try:
        address = ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        raise BadListen(f"--listen {text}: accepted is ADDRESS:PORT, such as 127.0.0.1:8765") from None
    if address.is_unspecified or not port.isascii() or not port.isdigit() or not int(port) <= 65535:
        raise BadListen(f"--listen {text}: name one address of this machine and a port, such as 127.0.0.1:8765")
    return str(address), int(port)


def is_loopback(host: str) -> bool:
    """Return whether an IP address can be reached from this machine only."""
    return ip_address(host).is_loopback


class Access:
    """Access control of the page: random token and cookie of this run, and the checks of a request's headers."""

    def __init__(self, host: str, port: int, new_secret: Callable[[], str]) -> None:
        """Draw the secret token and cookie, known only to this process, the printed address and browsers that opened it.

        Args:
            host: Address at which it is served.
            port: Its port.
            new_secret: Draws a secret that cannot be guessed.
        """
        self.token = new_secret()
        self._session = new_secret()
        own = f"[{host}]" if ":" in host else host
        names = LOOPBACK_NAMES if is_loopback(host) else (own,)
        self._hosts = frozenset(f"{name}:{port}" for name in names)
        self.url = f"http://{own}:{port}/open/{self.token}"
        self.cookie_name = f"crossdesk-page-{port}"

    @property
    def session(self) -> str:
        """Cookie value given to a browser that opened the page with the right token."""
        return self._session

    def why_foreign(self, hosts: list[str], origin: str | None, site: str | None, *, entering: bool) -> str:
        """Return why a request does not come from the page itself, or an empty text.

        Args:
            hosts: Host headers; a page of another name that resolves to this machine sends that name.
            origin: Origin header, if any.
            site: Sec-Fetch-Site header, if any.
            entering: Whether it comes with the token, perhaps from a link elsewhere.
        """
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return "this page is not served under that name"
        if origin is not None and origin.lower() != f"http://{hosts[0].lower()}":
            return "pages of other origins read nothing here"
        if site is not None and site not in ALLOWED_SITES and not entering:
            return "pages of other sites read nothing here"
        return ""

    def is_token(self, text: str) -> bool:
        """Return whether a text is the secret token, compared in constant time."""
        return hmac.compare_digest(_to_bytes(text), self.token.encode())

    def is_session(self, text: str | None) -> bool:
        """Return whether a text is this run's cookie value, compared in constant time."""
        return hmac.compare_digest(_to_bytes(text or ""), self._session.encode())


def _to_bytes(text: str) -> bytes:
    """Encode a text from the browser as UTF-8; characters that cannot be encoded become `?`."""
    return text.encode("utf-8", "replace")
