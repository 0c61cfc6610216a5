"""Quotes both sides of one pair on the paper venue. Needs Python 3.11 and the package `websockets`, and nothing else.

crossdesk venue --port 8080 > ready.json &    # until ready.json has its line
python docs/examples/maker.py ready.json
"""

import asyncio
import hashlib
import hmac
import itertools
import json
import signal
import sys
import time
from decimal import Decimal
from pathlib import Path

import websockets

SYM, SIZE, LIMIT = "BINANCE_PERP_BTC_USDT", "0.010", Decimal("0.05")


class Maker:
    def __init__(self, private: websockets.ClientConnection) -> None:
        self.private = private
        self.touch: dict[str, str] = {}  # price by side
        self.orders: dict[str, dict] = {}  # by side: client order id, price, and whether a change is under way
        self.refused: dict[str, str] = {}  # price by side that is not tried again at once
        self.position = Decimal(0)
        self.ids = itertools.count(time.time_ns() // 1000)
        self.stopping = False

    async def act(self, action: str, **args: str) -> None:
        await self.private.send(json.dumps({"id": args.get("clientOrderId"), "action": action, "args": args}))

    async def quote(self) -> None:
        """Bring the order of each side to the touch, or end it where the position is at its limit."""
        for side, price in self.touch.items():
            if self.stopping:
                return
            order, sign = self.orders.get(side), 1 if side == "BUY" else -1
            is_full = self.position * sign >= LIMIT
            if price == self.refused.get(side):
                continue
            if order is None and not is_full:
                order = self.orders[side] = {"id": f"maker{next(self.ids)}", "price": price, "busy": True}
                args = {"sym": SYM, "side": side, "orderType": "LIMIT", "timeInForce": "GTX"}
                await self.act("place_order", **args, orderQty=SIZE, limitPrice=price, clientOrderId=order["id"])
            elif order and not order["busy"] and is_full:
                order["busy"] = True
                await self.act("cancel_order", clientOrderId=order["id"])
            elif order and not order["busy"] and order["price"] != price:
                order.update(price=price, busy=True)
                await self.act("replace_order", clientOrderId=order["id"], replacePrice=price)

    async def follow_orders(self) -> None:
        """Fold replies and pushes until no order is left behind a stop."""
        async for text in self.private:
            frame = {} if text == "pong" else json.loads(text)
            side = next((side for side, order in self.orders.items() if order["id"] == frame.get("id")), "")
            if side and frame["code"] != 200000:  # refused: nothing was done
                print("refused", frame["msg"], flush=True)
                self.refused[side] = self.orders[side]["price"]
                self.orders[side]["busy"] = False
                if frame["event"] == "place_order":
                    del self.orders[side]
            for row in frame["data"] if frame.get("channel") == "Positions" else ():
                self.position = Decimal(row["positionQty"]) if row["sym"] == SYM else self.position
            row = frame["data"] if frame.get("channel", "").lower() == "orders" else {}
            order = self.orders.get(row.get("side", ""))
            if order and order["id"] == row["clientOrderId"]:
                print(row["orderState"], row["action"], row["side"], row["limitPrice"], flush=True)
                order["busy"] = row["orderState"] == "NEW" or row["action"].endswith("_PENDING")
                if row["orderState"] in ("FILLED", "CANCELLED", "REJECT", "FAIL"):
                    del self.orders[row["side"]]
                if row["orderState"] in ("REJECT", "FAIL"):
                    self.refused[row["side"]] = order["price"]
            if self.stopping and not self.orders:
                return
            await self.quote()

    async def follow_market(self, public: websockets.ClientConnection) -> None:
        await public.send(json.dumps({"event": "subscribe", "arg": [{"channel": "BBO", "sym": SYM}]}))
        async for text in public:
            frame = json.loads(text)
            if "data" in frame:
                self.touch = {"BUY": frame["data"]["bid"], "SELL": frame["data"]["ask"]}
                await self.quote()

    async def keep_alive(self, public: websockets.ClientConnection) -> None:
        while True:
            await asyncio.sleep(10)
            await self.private.send("ping")
            await public.send(json.dumps({"ping": int(time.time() * 1000)}))

    async def stop(self) -> None:
        self.stopping = True
        await self.act("cancel_orders", sym=SYM)


async def main(ready: dict) -> None:
    key = next(key for key in ready["keys"] if key["name"] == "main")
    async with (
        websockets.connect(ready["private_ws_url"]) as private,
        websockets.connect(ready["public_ws_url"] + "?binary=false") as public,
    ):
        now = str(int(time.time()))
        sign = hmac.new(key["api_secret"].encode(), f"{now}GET/users/self/verify".encode(), hashlib.sha256).hexdigest()
        maker = Maker(private)
        await maker.act("login", apiKey=key["api_key"], timestamp=now, sign=sign)
        reply = json.loads(await private.recv())
        if reply["code"] != 0:
            sys.exit(reply["msg"])
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, lambda: asyncio.ensure_future(maker.stop()))
        beside = [asyncio.create_task(maker.follow_market(public)), asyncio.create_task(maker.keep_alive(public))]
        await maker.follow_orders()
        for task in beside:
            task.cancel()


if __name__ == "__main__":
    asyncio.run(main(json.loads(Path(sys.argv[1]).read_text())))
