"""Known error codes of the service, each with a text for the trader and a class that decides the reaction."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class ErrorClass(StrEnum):
    """Class of an error code: whether the request was carried out, and what to do next."""

    FIELD = "FIELD"
    """An input value is wrong; the command was not carried out."""
    STATE = "STATE"
    """Account, mode, position or limit forbids it; not carried out."""
    LOOK = "LOOK"
    """The object exists or is finished; query it by id."""
    GONE = "GONE"
    """Object not found; after a lost request this is no proof that it will never exist."""
    CRED = "CRED"
    """Key, permission, address or user is wrong; not carried out."""
    CLOCK = "CLOCK"
    """Clock or nonce is wrong; not carried out."""
    RATE = "RATE"
    """Too many requests; not carried out, never repeated."""
    WAIT = "WAIT"
    """Service not ready; the outcome of a write is unknown."""
    UNSURE = "UNSURE"
    """Time-out or internal failure; the outcome of a write is unknown."""
    BUG = "BUG"
    """The client should not have sent this; not carried out."""


TRANSIENT = frozenset([ErrorClass.UNSURE, ErrorClass.WAIT, ErrorClass.RATE])
"""Classes of a failed read that may succeed later; the others are permanent for this service or key."""


class ErrorCode(msgspec.Struct, frozen=True):
    """Error code of the service with its class and texts."""

    code: int
    read: ErrorClass
    """Class for a query, and for a write unless `write` is set."""
    shows: str
    """Short text for the trader."""
    meaning: str
    write: ErrorClass | None = None
    invented: bool = False
    """Whether only the paper venue uses this number; then only its class may be relied on."""
    then: str = ""
    """Next step for the trader, on the row of a family, because the meaning of the single code is unknown."""

    @property
    def for_write(self) -> ErrorClass:
        """Error class when the request was a command: the code's own class for commands, if any, else that of queries."""
        return self.write or self.read


SUCCESS = 200000
SUCCESS_SHORT = 200
LOGIN_SUCCESS = 0
OTHER_LEVEL = 100003
"""Code for a key of another level than the endpoint is for."""

KNOWN: tuple[ErrorCode, ...] = (
    ErrorCode(
        404,
        ErrorClass.BUG,
        "Endpoint not offered here",
        "no such endpoint, method not supported",
        write=ErrorClass.UNSURE,
    ),
    ErrorCode(
        405,
        ErrorClass.BUG,
        "Endpoint not offered here",
        "no such endpoint, method not supported",
        write=ErrorClass.UNSURE,
    ),
    ErrorCode(500, ErrorClass.UNSURE, "Server error", "server error"),
    ErrorCode(501, ErrorClass.BUG, "Request refused", "client error", write=ErrorClass.UNSURE),
    ErrorCode(40000, ErrorClass.UNSURE, "System error", "system error"),
    ErrorCode(50001, ErrorClass.WAIT, "Service unavailable", "service temporarily unavailable"),
    ErrorCode(400000, ErrorClass.FIELD, "Invalid value", "invalid parameter"),
    ErrorCode(400001, ErrorClass.FIELD, "Time range too long", "time range too long"),
    ErrorCode(400002, ErrorClass.BUG, "Page size too large", "pageSize over the limit"),
    ErrorCode(400003, ErrorClass.BUG, "No such page", "page number over the limit"),
    ErrorCode(400004, ErrorClass.FIELD, "Start must be before end", "start not before end"),
    ErrorCode(400005, ErrorClass.FIELD, "Start lies in the future", "start in the future"),
    ErrorCode(400006, ErrorClass.FIELD, "End time not accepted", "end-time rule"),
    ErrorCode(400007, ErrorClass.BUG, "Bad limit", "bad limit"),
    ErrorCode(400008, ErrorClass.BUG, "Request refused", "general request error", write=ErrorClass.UNSURE),
    ErrorCode(400009, ErrorClass.FIELD, "Value missing", "required parameter missing"),
    ErrorCode(400010, ErrorClass.UNSURE, "Venue error", "venue error"),
    ErrorCode(400011, ErrorClass.WAIT, "Orders paused, wait", "order processing temporarily unavailable"),
    ErrorCode(400012, ErrorClass.WAIT, "Service is starting", "service still loading data"),
    ErrorCode(400013, ErrorClass.UNSURE, "Timed out", "request timeout"),
    ErrorCode(2000, ErrorClass.CRED, "Signature refused", "signature wrong, unsorted, encoded values, headers missing"),
    ErrorCode(2001, ErrorClass.CRED, "This address is not allowed", "source IP not on the key's list"),
    ErrorCode(2002, ErrorClass.CRED, "Key lacks permission", "authorization invalid: key without the right"),
    ErrorCode(2003, ErrorClass.CRED, "No access", "no access permission"),
    ErrorCode(4000, ErrorClass.CRED, "Session ended, log in again", "login session invalid"),
    ErrorCode(7000, ErrorClass.CLOCK, "Clock differs from the server", "nonce invalid: format or more than 60 s off"),
    ErrorCode(100001, ErrorClass.FIELD, "Unknown portfolio", "portfolio does not exist"),
    ErrorCode(100002, ErrorClass.CRED, "User not active", "user status invalid"),
    ErrorCode(
        100003, ErrorClass.CRED, "Needs the main key", "invalid user type, e.g. a sub-user key on all-portfolio assets"
    ),
    ErrorCode(100018, ErrorClass.CRED, "Unknown key", "API key not existing"),
    ErrorCode(405001, ErrorClass.CRED, "Unknown key", "the apiKey is not found"),
    ErrorCode(100041, ErrorClass.CRED, "Key is frozen", "key frozen"),
    ErrorCode(100429, ErrorClass.RATE, "Rate limit", "too many requests"),
    ErrorCode(429, ErrorClass.RATE, "Rate limit", "too many requests"),
    ErrorCode(1003, ErrorClass.CRED, "V1 login refused", "V1: key not found / signature / IP / KYC level"),
    ErrorCode(1004, ErrorClass.CRED, "V1 login refused", "V1: key not found / signature / IP / KYC level"),
    ErrorCode(1007, ErrorClass.CRED, "V1 login refused", "V1: key not found / signature / IP / KYC level"),
    ErrorCode(1010, ErrorClass.CRED, "V1 login refused", "V1: key not found / signature / IP / KYC level"),
    ErrorCode(401000, ErrorClass.BUG, "Bad portfolio id", "portfolioId invalid"),
    ErrorCode(401001, ErrorClass.BUG, "Order id too long", "clientOrderId must be shorter than 64"),
    ErrorCode(401002, ErrorClass.BUG, "Bad side", "invalid side"),
    ErrorCode(401003, ErrorClass.FIELD, "Bad order type", "invalid orderType"),
    ErrorCode(401004, ErrorClass.FIELD, "Bad time in force", "invalid timeInForce"),
    ErrorCode(401005, ErrorClass.FIELD, "Bad quantity", "invalid orderQty"),
    ErrorCode(401006, ErrorClass.FIELD, "Bad price", "invalid limitPrice"),
    ErrorCode(401007, ErrorClass.BUG, "Bad order id", "orderId must be 16 digits"),
    ErrorCode(401008, ErrorClass.BUG, "Order id missing", "orderId or clientOrderId needed"),
    ErrorCode(401009, ErrorClass.LOOK, "An order with this id exists", "clientOrderId duplicate"),
    ErrorCode(401010, ErrorClass.CRED, "No portfolio", "no portfolio for this user"),
    ErrorCode(
        401011,
        ErrorClass.FIELD,
        "Symbol not supported",
        "sym not supported (ADL: invalid, unrecognised or not enabled for monitoring)",
    ),
    ErrorCode(401012, ErrorClass.FIELD, "Price not valid", "price not valid"),
    ErrorCode(401013, ErrorClass.FIELD, "Quantity off the lot size", "quantity has too many decimals"),
    ErrorCode(401014, ErrorClass.FIELD, "Quantity too small", "quantity below the minimum"),
    ErrorCode(401015, ErrorClass.FIELD, "Price off the tick size", "price has too many decimals, off tick"),
    ErrorCode(401016, ErrorClass.FIELD, "Price out of range", "price below the minimum"),
    ErrorCode(401017, ErrorClass.FIELD, "Order value too small", "amount below minNotional"),
    ErrorCode(401018, ErrorClass.GONE, "Order not found", "order not found"),
    ErrorCode(401019, ErrorClass.LOOK, "Cancel not allowed", "cancel not allowed"),
    ErrorCode(401020, ErrorClass.BUG, "Bad order id", "orderId value invalid"),
    ErrorCode(401021, ErrorClass.FIELD, "Bad quote amount", "quoteOrderQty invalid"),
    ErrorCode(401024, ErrorClass.FIELD, "Bad quote amount", "quoteOrderQty invalid"),
    ErrorCode(401022, ErrorClass.CRED, "User refused", "userId from the gateway invalid"),
    ErrorCode(401023, ErrorClass.FIELD, "Venue not accepted, see message", "exchangeType invalid"),
    ErrorCode(401025, ErrorClass.FIELD, "Quantity too large", "quantity above the maximum"),
    ErrorCode(401026, ErrorClass.FIELD, "Market order too large", "above the market-order maximum in quote / in base"),
    ErrorCode(401027, ErrorClass.FIELD, "Market order too large", "above the market-order maximum in quote / in base"),
    ErrorCode(401028, ErrorClass.FIELD, "Market order too small", "below the market-order minimum in quote"),
    ErrorCode(401029, ErrorClass.FIELD, "Market order too small", "below the market-order minimum in base"),
    ErrorCode(401058, ErrorClass.LOOK, "Order is finished", "order already in a final state"),
    ErrorCode(401097, ErrorClass.STATE, "Nothing to close", "position quantity is 0, nothing to close"),
    ErrorCode(401117, ErrorClass.LOOK, "Order is finished", "order already completed, cannot be cancelled or replaced"),
    ErrorCode(
        401129,
        ErrorClass.STATE,
        "Too many pairs, or cancel reduce-only orders of the pair first",
        "close position(s) refused: symList over 20 pairs, or too many open reduceOnly orders over the requested pairs",
    ),
    ErrorCode(404004, ErrorClass.FIELD, "Unknown account", "V2 account id missing, malformed, inaccessible or unknown"),
    ErrorCode(406005, ErrorClass.FIELD, "Bad fee markup", "chgTaker invalid, ABSOLUTE"),
    ErrorCode(406006, ErrorClass.FIELD, "Bad fee markup", "chgMaker invalid, ABSOLUTE"),
    ErrorCode(406007, ErrorClass.FIELD, "Bad fee percent", "chgTaker invalid, PERCENTAGE"),
    ErrorCode(406008, ErrorClass.FIELD, "Bad fee percent", "chgMaker invalid, PERCENTAGE"),
    ErrorCode(406010, ErrorClass.LOOK, "An order with this id exists", "short edition: duplicate clientOrderId"),
    ErrorCode(
        406012,
        ErrorClass.STATE,
        "Close positions and orders first",
        "short edition: position-mode switch blocked by open positions or orders",
    ),
    ErrorCode(406014, ErrorClass.FIELD, "Coin cannot be borrowed", "coin not borrowable"),
    ErrorCode(406015, ErrorClass.STATE, "Not enough margin", "margin insufficient"),
    ErrorCode(406016, ErrorClass.STATE, "Borrow quota used up", "user quota exceeded"),
    ErrorCode(406017, ErrorClass.STATE, "Not enough coins in the pool", "pool empty"),
    ErrorCode(406018, ErrorClass.STATE, "Above the maximum loan", "over the maximum of this portfolio and venue"),
    ErrorCode(406019, ErrorClass.STATE, "LTV too high", "LTV too high to borrow"),
    ErrorCode(406020, ErrorClass.STATE, "Account is being liquidated", "account in liquidation"),
    ErrorCode(406021, ErrorClass.STATE, "Nothing to repay", "no loan of this coin"),
    ErrorCode(406022, ErrorClass.FIELD, "Repay amount too large", "repay more than the loan or than the balance"),
    ErrorCode(406023, ErrorClass.FIELD, "Bad amount", "amount not positive or more than 2 decimals"),
    ErrorCode(
        60009, ErrorClass.CRED, "Stream login refused", "login failed (one older client model: also an order failure)"
    ),
    ErrorCode(601004, ErrorClass.BUG, "Request not understood", "mismatched input", write=ErrorClass.UNSURE),
    ErrorCode(10001, ErrorClass.CRED, "Market data login refused", "authentication failed"),
    ErrorCode(11100, ErrorClass.FIELD, "No such symbol", "invalid symbol, or SPOT on a perpetual-only channel"),
    ErrorCode(11210, ErrorClass.STATE, "Too many pairs", "unauthenticated pair limit (5)"),
    ErrorCode(11220, ErrorClass.STATE, "Too many pairs", "authenticated pair limit (50)"),
    ErrorCode(11250, ErrorClass.FIELD, "Symbol not supported", "symbol not currently supported"),
    ErrorCode(11260, ErrorClass.RATE, "Subscribing too fast", "request rate exceeded"),
    ErrorCode(401901, ErrorClass.STATE, "Not enough balance", "insufficient available balance (spot)", invented=True),
    ErrorCode(401902, ErrorClass.STATE, "Not enough margin", "insufficient available margin", invented=True),
    ErrorCode(
        401903, ErrorClass.STATE, "Reduce-only has nothing to reduce", "reduceOnly would not reduce", invented=True
    ),
    ErrorCode(
        401905,
        ErrorClass.STATE,
        "Position side does not fit the mode",
        "positionSide missing or not fitting the mode",
        invented=True,
    ),
    ErrorCode(401906, ErrorClass.FIELD, "Price too far from mark", "price outside the band", invented=True),
    ErrorCode(401907, ErrorClass.STATE, "Too many open orders", "too many open orders on the pair", invented=True),
    ErrorCode(401908, ErrorClass.FIELD, "Leverage not allowed", "leverage out of range for the tier", invented=True),
    ErrorCode(401910, ErrorClass.STATE, "Account is being liquidated", "account in a liquidation state", invented=True),
    ErrorCode(
        401911, ErrorClass.STATE, "No account on this venue", "portfolio has no account on this venue", invented=True
    ),
    ErrorCode(401912, ErrorClass.STATE, "Symbol is not trading", "pair suspended or delisted", invented=True),
    ErrorCode(
        401914,
        ErrorClass.FIELD,
        "Nothing to change",
        "replace changes nothing, or quantity not above the executed one",
        invented=True,
    ),
    ErrorCode(401915, ErrorClass.LOOK, "Another change is pending", "another action is pending", invented=True),
    ErrorCode(
        401916,
        ErrorClass.FIELD,
        "Trigger on the wrong side",
        "TP or SL on the wrong side, would trigger at once",
        invented=True,
    ),
    ErrorCode(401917, ErrorClass.FIELD, "Trigger too far", "trigger too far from mark", invented=True),
    ErrorCode(
        401920,
        ErrorClass.STATE,
        "Not enough margin for this leverage",
        "leverage change needs more margin",
        invented=True,
    ),
    ErrorCode(
        401921, ErrorClass.STATE, "The venue cannot store orders now", "nothing was done: disk full", invented=True
    ),
    ErrorCode(401930, ErrorClass.GONE, "Event not found", "liquidation event not found", invented=True),
    ErrorCode(401290, ErrorClass.FIELD, "Algo type not supported", "algo type not supported", invented=True),
    ErrorCode(401291, ErrorClass.FIELD, "Bad condition type", "conditionType missing or unknown", invented=True),
    ErrorCode(401292, ErrorClass.FIELD, "Trigger missing", "needed trigger missing", invented=True),
    ErrorCode(401293, ErrorClass.STATE, "No position", "no position to protect", invented=True),
    ErrorCode(404901, ErrorClass.STATE, "Too many portfolios", "portfolio limit (50) reached", invented=True),
    ErrorCode(
        404902, ErrorClass.CRED, "Account not allowed for this key", "account not within the key's reach", invented=True
    ),
    ErrorCode(404903, ErrorClass.FIELD, "Unknown account", "unknown account", invented=True),
    ErrorCode(
        404904, ErrorClass.FIELD, "Amount too large", "amount above maxTransferable or withdrawable", invented=True
    ),
    ErrorCode(404905, ErrorClass.FIELD, "Network missing", "network missing or unknown", invented=True),
    ErrorCode(404906, ErrorClass.FIELD, "Amount too small", "amount below the minimum or too precise", invented=True),
    ErrorCode(
        404907,
        ErrorClass.LOOK,
        "A transfer with this id exists",
        "duplicate clientOrderId of a transfer or withdrawal",
        invented=True,
    ),
    ErrorCode(
        404908,
        ErrorClass.FIELD,
        "Address not allowed",
        "address not in the address book, or memo missing",
        invented=True,
    ),
    ErrorCode(404909, ErrorClass.FIELD, "Account type missing", "account type missing or unknown", invented=True),
    ErrorCode(404910, ErrorClass.GONE, "Not found", "transfer, withdrawal or custody action not found", invented=True),
    ErrorCode(404911, ErrorClass.FIELD, "Name exists", "portfolio name taken", invented=True),
    ErrorCode(405901, ErrorClass.STATE, "Too many keys", "key limit (10) of the portfolio reached", invented=True),
    ErrorCode(601901, ErrorClass.BUG, "Not logged in", "action before login", write=ErrorClass.UNSURE, invented=True),
    ErrorCode(
        601902, ErrorClass.BUG, "Request not understood", "unknown action", write=ErrorClass.UNSURE, invented=True
    ),
    ErrorCode(601903, ErrorClass.WAIT, "Trading paused", "trading paused by system status", invented=True),
    ErrorCode(
        601904,
        ErrorClass.BUG,
        "Connection closed by the server",
        "too many bad frames, connection closes",
        write=ErrorClass.UNSURE,
        invented=True,
    ),
)

BY_CODE: dict[int, ErrorCode] = {row.code: row for row in KNOWN}

_FAMILIES: tuple[tuple[range, ErrorCode], ...] = (
    (
        range(100000, 101000),
        ErrorCode(
            0, ErrorClass.CRED, "Key or portfolio rule broken, see message", "users, keys, portfolios",
            then="nothing was done; check key and portfolio of this profile",
        ),
    ),
    (
        range(400000, 401000),
        ErrorCode(
            0, ErrorClass.BUG, "Request rejected, see message", "common", ErrorClass.UNSURE,
            then="check the values; the outcome of a command is queried",
        ),
    ),
    (
        range(401200, 401300),
        ErrorCode(
            0, ErrorClass.STATE, "Algo order rule broken, see message", "algo orders",
            then="nothing was done; change trigger, condition or size and send it again",
        ),
    ),
    (
        range(401000, 402000),
        ErrorCode(
            0, ErrorClass.STATE, "Trading rule broken, see message", "trading",
            then="nothing was done; change the order, or look at position, margin and mode first",
        ),
    ),
    (
        range(404000, 405000),
        ErrorCode(
            0, ErrorClass.STATE, "Account rule broken, see message", "accounts",
            then="nothing was done; check account, amount and network",
        ),
    ),
    (
        range(405000, 406000),
        ErrorCode(
            0, ErrorClass.CRED, "API key rule broken, see message", "authentication and API keys",
            then="nothing was done; check the API key of this profile",
        ),
    ),
    (
        range(406000, 407000),
        ErrorCode(
            0, ErrorClass.STATE, "Fee or loan rule broken, see message", "fees and loans",
            then="nothing was done; check amount, rate, quota and LTV",
        ),
    ),
    (
        range(601000, 602000),
        ErrorCode(
            0, ErrorClass.BUG, "Stream rule broken, see message", "private stream", ErrorClass.UNSURE,
            then="the outcome of an order is queried; read the log when it repeats",
        ),
    ),
)  # fmt: skip
_UNKNOWN = ErrorCode(0, ErrorClass.UNSURE, "Unknown code, see message", "no family")


def is_success(code: int) -> bool:
    """Report whether a code in a REST response means success, in any endpoint family."""
    return code in (SUCCESS, SUCCESS_SHORT)


def lookup(code: int) -> ErrorCode:
    """Return the entry of an error code; for an unknown code, the entry of its number range."""
    known = BY_CODE.get(code)
    if known is not None:
        return known
    for family, row in _FAMILIES:
        if code in family:
            return msgspec.structs.replace(row, code=code)
    return msgspec.structs.replace(_UNKNOWN, code=code)


def describe_code(code: int, server_text: str = "") -> str:
    """Describe an error code: number, short text, next step if it has one, then the server's text (already cleaned)."""
    row = lookup(code)
    shown = f"{code} {row.shows}; {row.then}" if row.then else f"{code} {row.shows}"
    text = server_text[:200]
    return f"{shown}: {text}" if text else shown
