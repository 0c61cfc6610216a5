"""Keeps one post-only order on each side of the market: python maker.py ready.json; Ctrl+C cancels both and ends it."""

import hashlib
import hmac
import json
import signal
import sys
import time
import urllib.request
from decimal import Decimal
from pathlib import Path

from websockets.sync.client import connect

SYM, SIZE, LIMIT = "BINANCE_PERP_BTC_USDT", Decimal("0.010"), Decimal("0.05")  # at most LIMIT long or short
ORDER = {"sym": SYM, "orderType": "LIMIT", "timeInForce": "GTX", "orderQty": str(SIZE)}
READY = json.loads(Path(sys.argv[1]).read_text())
KEY, SECRET, NOW = READY["keys"][0]["api_key"], READY["keys"][0]["api_secret"].encode(), str(int(time.time()))
touch, orders, held, ending = {}, {}, Decimal(0), []  # touch and orders by side: the best price, the one own order


def sign(text):
    return hmac.new(SECRET, text.encode(), hashlib.sha256).hexdigest()


def act(action, **args):
    private.send(json.dumps({"id": args.get("clientOrderId"), "action": action, "args": args}))


def frames(socket):  # what has come; waits 20 ms at most for more
    try:
        for _ in range(50):
            text = socket.recv(timeout=0.02)
            yield {} if text == "pong" else json.loads(text)
    except TimeoutError:
        return


def quote(side, price):
    order = orders.get(side)
    if order is None and (held if side == "BUY" else -held) + SIZE <= LIMIT:
        orders[side] = order = {"id": f"maker{time.time_ns()}", "price": price, "busy": True}
        act("place_order", **ORDER, side=side, limitPrice=price, clientOrderId=order["id"])
    elif order and not order["busy"] and order["price"] != price:
        order.update(price=price, busy=True)
        act("replace_order", clientOrderId=order["id"], replacePrice=price)


def fold(frame):  # a reply or push; returns what has traded when an own order has ended
    row = frame["data"] if frame.get("channel", "").lower() == "orders" else {}
    name, state = row.get("clientOrderId") or frame.get("id"), row.get("orderState", "")
    side = next((side for side, order in orders.items() if order["id"] == name), None)
    if side is None or (not row and frame["code"] == 200000):
        return 0
    print(state or frame["msg"], row.get("action"), side, row.get("limitPrice"), flush=True)
    if state in ("", "REJECT", "FAIL"):
        time.sleep(1)  # refused: not again at once
    orders[side]["busy"] = state == "NEW" or row.get("action", "").endswith("_PENDING")
    if state in ("FILLED", "CANCELLED", "REJECT", "FAIL") or frame.get("event") == "place_order":
        del orders[side]
        return Decimal(row.get("executedQty", 0)) * (1 if side == "BUY" else -1)
    return 0


headers = {"X-MBX-APIKEY": KEY, "nonce": NOW, "signature": sign(f"sym={SYM}&{NOW}")}
request = urllib.request.Request(f"{READY['rest_url']}/api/v1/trading/position?sym={SYM}", headers=headers)
for row in json.load(urllib.request.urlopen(request))["data"]:
    held += Decimal(row["positionQty"])
signal.signal(signal.SIGINT, lambda *_: ending.append("Ctrl+C"))
with connect(READY["private_ws_url"]) as private, connect(READY["public_ws_url"] + "?binary=false") as public:
    act("login", apiKey=KEY, timestamp=NOW, sign=sign(NOW + "GET/users/self/verify"))
    if (reply := json.loads(private.recv()))["code"] != 0:
        sys.exit(reply["msg"])
    public.send(json.dumps({"event": "subscribe", "arg": [{"channel": "BBO", "sym": SYM}]}))
    alive = 0
    try:
        while orders or not ending:
            if time.time() > alive + 10:
                alive = time.time()
                private.send("ping")
                public.send('{"ping": 0}')
            for frame in frames(public):
                if bbo := frame.get("data"):
                    touch = {side: price for side, price in (("BUY", bbo["bid"]), ("SELL", bbo["ask"])) if price != "0"}
            held += sum(fold(frame) for frame in frames(private))
            if ending == ["Ctrl+C"]:
                ending.append("cancelled")
                act("cancel_orders", sym=SYM)
            for side, price in () if ending else touch.items():
                quote(side, price)
    finally:
        if orders:  # a connection was lost
            act("cancel_orders", sym=SYM)
