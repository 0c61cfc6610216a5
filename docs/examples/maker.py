"""Quotes both sides of one pair on the paper venue, at most LIMIT long or short. Needs Python 3.11 and `websockets`.

crossdesk venue --port 8080 > ready.json &    # until ready.json has its line
python docs/examples/maker.py ready.json      # Ctrl+C cancels its orders and ends it
"""

import asyncio
import hashlib
import hmac
import json
import signal
import sys
import time
import urllib.request
from decimal import Decimal
from pathlib import Path

import websockets

SYM, SIZE, LIMIT = "BINANCE_PERP_BTC_USDT", Decimal("0.010"), Decimal("0.05")
READY = json.loads(Path(sys.argv[1]).read_text())
KEY = next(key for key in READY["keys"] if key["name"] == "main")


def sign(message: str) -> str:
    return hmac.new(KEY["api_secret"].encode(), message.encode(), hashlib.sha256).hexdigest()


def position() -> Decimal:
    """What the account holds at the start; from then on the fills of its own orders are counted."""
    now = str(int(time.time()))
    headers = {"X-MBX-APIKEY": KEY["api_key"], "nonce": now, "signature": sign(f"sym={SYM}&{now}")}
    request = urllib.request.Request(f"{READY['rest_url']}/api/v1/trading/position?sym={SYM}", headers=headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return sum((Decimal(row["positionQty"]) for row in json.load(answer)["data"]), Decimal(0))


class Maker:
    def __init__(self, private: websockets.ClientConnection) -> None:
        self.private, self.held, self.stopping = private, position(), False
        self.touch: dict[str, str] = {}  # price by side
        self.orders: dict[str, dict] = {}  # the one order of each side

    async def act(self, action: str, **args: str) -> None:
        await self.private.send(json.dumps({"id": args.get("clientOrderId"), "action": action, "args": args}))

    async def quote(self) -> None:
        """Bring the one order of each side to the touch; none is placed that could lead beyond LIMIT."""
        for side, price in () if self.stopping else self.touch.items():
            order, held = self.orders.get(side), self.held if side == "BUY" else -self.held
            if order is None and held + SIZE <= LIMIT:
                order = self.orders[side] = {"id": f"maker{time.time_ns()}", "price": price, "filled": 0, "busy": True}
                args = {"sym": SYM, "side": side, "orderType": "LIMIT", "timeInForce": "GTX", "orderQty": str(SIZE)}
                await self.act("place_order", **args, limitPrice=price, clientOrderId=order["id"])
            elif order and not order["busy"] and order["price"] != price:
                order.update(price=price, busy=True)
                await self.act("replace_order", clientOrderId=order["id"], replacePrice=price)

    async def fold(self, frame: dict) -> None:
        """Take a reply or a push about an own order; what was refused is tried again when the touch moves."""
        row = frame["data"] if frame.get("channel", "").lower() == "orders" else {}
        name = row.get("clientOrderId") or frame.get("id")
        side = next((side for side, order in self.orders.items() if order["id"] == name), "")
        if side and row:
            order, state = self.orders[side], row["orderState"]
            print(state, row["action"], side, row["limitPrice"], flush=True)
            filled = Decimal(row["executedQty"]) - order["filled"]
            self.held += filled if side == "BUY" else -filled
            order.update(filled=order["filled"] + filled, busy=state == "NEW" or row["action"].endswith("_PENDING"))
            if state in ("FILLED", "CANCELLED", "REJECT", "FAIL"):
                del self.orders[side]
            if state not in ("REJECT", "FAIL"):
                await self.quote()
        elif side and frame["code"] != 200000:
            print("refused", frame["msg"], "at", self.orders[side]["price"], flush=True)
            self.orders[side]["busy"] = False
            if frame["event"] == "place_order":
                del self.orders[side]

    async def follow_market(self, public: websockets.ClientConnection) -> None:
        await public.send(json.dumps({"event": "subscribe", "arg": [{"channel": "BBO", "sym": SYM}]}))
        async for text in public:
            if bbo := json.loads(text).get("data"):
                self.touch = {"BUY": bbo["bid"], "SELL": bbo["ask"]}
                await self.quote()

    async def keep_alive(self, public: websockets.ClientConnection) -> None:
        while await asyncio.sleep(10, True):
            await self.private.send("ping")
            await public.send(json.dumps({"ping": int(time.time() * 1000)}))

    async def stop(self) -> None:
        self.stopping = True
        await self.act("cancel_orders", sym=SYM)


async def main() -> None:
    public_url = READY["public_ws_url"] + "?binary=false"
    async with websockets.connect(READY["private_ws_url"]) as private, websockets.connect(public_url) as public:
        maker, now = Maker(private), str(int(time.time()))
        await maker.act("login", apiKey=KEY["api_key"], timestamp=now, sign=sign(f"{now}GET/users/self/verify"))
        if (reply := json.loads(await private.recv()))["code"] != 0:
            sys.exit(reply["msg"])
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, lambda: asyncio.ensure_future(maker.stop()))
        beside = [asyncio.create_task(maker.follow_market(public)), asyncio.create_task(maker.keep_alive(public))]
        while maker.orders or not maker.stopping:  # behind a stop until every order has ended
            text = await private.recv()
            await maker.fold({} if text == "pong" else json.loads(text))
        for task in beside:
            task.cancel()


asyncio.run(main())
