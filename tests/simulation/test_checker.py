"""The judge is judged: every forged history is rejected by its rule, and the good twin of each is accepted."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.simulation.checker import check
from tests.simulation.history import History, Line

CID, OTHER, OID = "cd-one", "cd-two", "2001"
ARGS = '{"clientOrderId": "cd-one"}'


class Story:
    """A history written by hand."""

    def __init__(self) -> None:
        self.now = 1.0
        self.history = History(lambda: self.now)
        self.history.add("host", "start", life=1)
        self.history.add("wire", "connect", life=1, wire=1)
        self.history.add("wire", "ready", life=1, wire=1)

    def at(self, now: float) -> Story:
        self.now = now
        return self

    def meant(self, cid: str = CID, intent: str = "#1", *, confirmed: bool = True, durable: bool = True) -> Story:
        if confirmed:
            self.history.add("trader", "place", life=1, intent=intent)
        if durable:
            text = ARGS.replace(CID, cid)
            self.history.add("journal", "intent", life=1, cid=cid, intent=intent, text=text)
        return self

    def sent(self, cid: str = CID, req: str = "r1", wire: int = 1) -> Story:
        text = ARGS.replace(CID, cid)
        self.history.add("wire", "place_order", dir="out", life=1, wire=wire, req=req, cid=cid, text=text)
        self.history.add("venue", "order", cid=cid, oid=OID, state="NEW")
        return self.shown("SENT", oid="", source="local", cid=cid)

    def reply(self, code: int = 200000, *, oid: str = OID, state: str = "") -> Story:
        self.history.add("wire", "reply", dir="in", life=1, wire=1, req="r1", oid=oid, code=code, state=state)
        return self

    def fact(
        self,
        state: str,
        update: int = 10,
        executed: str = "0",
        source: str = "push",
        *,
        cid: str = CID,
        oid: str = OID,
        wire: int = 1,
        life: int = 1,
    ) -> Story:
        fields = {"cid": cid, "oid": oid, "state": state, "update": update, "executed": executed, "source": source}
        self.history.add("wire", "order", dir="in", life=life, wire=wire, **fields)
        return self

    def shown(
        self,
        state: str,
        update: int = 0,
        executed: str = "0",
        source: str = "push",
        *,
        cid: str = CID,
        oid: str = OID,
        conflict: str = "",
        qty: str = "5",
        life: int = 1,
    ) -> Story:
        fields = {"cid": cid, "oid": oid, "state": state, "update": update, "executed": executed, "source": source}
        self.history.add("display", "shown", life=life, conflict=conflict, qty=qty, **fields)
        return self

    def gone(self) -> Story:
        self.history.add("display", "gone", life=1, cid=CID)
        return self

    def asked(self) -> Story:
        self.history.add("wire", "ask", dir="out", life=1, wire=2, cid=CID)
        return self

    def noted(self, kind: str = "reply", cid: str = CID) -> Story:
        self.history.add("journal", kind, life=1, cid=cid)
        return self

    def down(self, wire: int = 1) -> Story:
        self.history.add("wire", "down", life=1, wire=wire)
        return self

    def again(self, wire: int = 2) -> Story:
        self.history.add("wire", "connect", life=1, wire=wire)
        self.history.add("wire", "ready", life=1, wire=wire)
        return self

    def restarted(self) -> Story:
        self.history.add("host", "crash", life=1)
        self.history.add("host", "start", life=2)
        self.history.add("wire", "connect", life=2, wire=9)
        return self

    def fill(self, who: str, tx: str = "t1") -> Story:
        self.history.add(who, "fill", life=1, tx=tx, oid=OID, cid=CID if who == "venue" else "")
        return self

    def setting(self, *kinds: str) -> Story:
        """A change of a leverage: journaled, or arrived at the venue."""
        for kind in kinds:
            self.history.add("journal" if kind == "intent" else "venue", kind, life=1, text='{"leverage": "5"}')
        return self

    def algo(self, *kinds: str) -> Story:
        """A new algo order: journaled, or arrived at the venue."""
        for kind in kinds:
            self.history.add("journal" if kind == "intent" else "venue", kind, life=1, text='{"clientOrderId": "a"}')
        return self

    def transfer(self, *kinds: str) -> Story:
        """A transfer: journaled, or arrived at the venue."""
        for kind in kinds:
            self.history.add("journal" if kind == "intent" else "venue", kind, life=1, text='{"clientOrderId": "t"}')
        return self

    def transferred(self, mine: str, theirs: str, kind: str = "transfer") -> Story:
        """How a transfer or another command stands in the end, here and at the venue; empty: not there."""
        for who, state in (("client", mine), ("venue", theirs)):
            if state:
                self.history.add(who, f"end {kind}", life=1, cid="t", state=state)
        return self

    def loan(self, *kinds: str) -> Story:
        """A loan: journaled, or arrived at the venue."""
        for kind in kinds:
            self.history.add("journal" if kind == "intent" else "venue", kind, life=1, text='{"clientOrderId": "l"}')
        return self

    def lent(self, mine: str, times: int) -> Story:
        """How a loan stands in the end, and how often the venue carried it out."""
        self.history.add("client", "end loan", life=1, cid="l", state=mine)
        for _ in range(times):
            self.history.add("venue", "end loan", life=1, cid="l")
        return self

    def told(self) -> Story:
        self.history.add("display", "told", life=1, cid=CID)
        return self

    def ended(self, mine: str, theirs: str, executed: tuple[str, str] = ("0", "0")) -> Story:
        if mine:
            self.history.add("client", "end order", life=1, cid=CID, oid=OID, state=mine, executed=executed[0])
        if theirs:
            self.history.add("venue", "end order", life=-1, cid=CID, oid=OID, state=theirs, executed=executed[1])
        return self

    def sums(self, who: str, executed: str) -> Story:
        self.history.add(who, "end fill", life=-1 if who == "venue" else 1, oid=OID, executed=executed)
        return self

    def holding(self, who: str, text: str) -> Story:
        self.history.add(who, "end position", life=-1 if who == "venue" else 1, oid="BTC/NONE", state=text)
        return self

    def journal_fills(self, *names: str) -> Story:
        """The journal's fills at the end of the run."""
        for tx in names:
            self.history.add("client", "end journal fill", life=1, tx=tx)
        return self

    def day(self, mine: str = "5", theirs: str = "5", state: str = "whole") -> Story:
        self.history.add("client", "end day", life=1, state=state, text=mine)
        self.history.add("venue", "end day", life=-1, state="whole", text=theirs)
        return self

    def killed(self) -> Story:
        """A kill that is accepted half a second later, with one order at the venue."""
        self.history.add("venue", "before kill", oid=OID, intent="kill 1")
        self.now += 0.5
        self.history.add("trader", "killed", life=1, intent="kill 1")
        return self

    def at_venue(self, state: str) -> Story:
        self.history.add("venue", "order", cid=CID, oid=OID, state=state)
        return self

    @property
    def lines(self) -> list[Line]:
        return self.history.lines


def live() -> Story:
    """An order that was sent, answered and pushed."""
    return Story().meant().sent().reply().noted().shown("NEW", source="reply").fact("OPEN").shown("OPEN", 10)


def lost() -> Story:
    """An order whose connection went before the answer."""
    return Story().meant().sent().down().noted("note").shown("UNKNOWN", source="local", oid="")


def filled() -> Story:
    return live().fact("FILLED", 20, "5").shown("FILLED", 20, "5")


FORGED: dict[str, tuple[str, Callable[[], Story], Callable[[], Story]]] = {
    "1 one client id on the wire twice": ("I1", lambda: live().sent(req="r2"), live),
    "2 one intent, two ids, two frames": (
        "I1",
        lambda: live().meant(OTHER, confirmed=False).sent(OTHER, "r2").reply().noted(cid=OTHER),
        lambda: live().meant(OTHER, "#2").sent(OTHER, "r2").fact("OPEN", cid=OTHER, oid="2002").noted(cid=OTHER),
    ),
    "3 a frame without a confirm": ("I1", lambda: Story().meant(confirmed=False).sent().reply().noted(), live),
    "4 a frame before its durable record": (
        "I2",
        lambda: Story().meant(durable=False).sent().reply().meant().noted(),
        live,
    ),
    "a setting that was changed twice for one intent": (
        "I1",
        lambda: Story().setting("intent", "setting", "setting"),
        lambda: Story().setting("intent", "setting", "intent", "setting"),
    ),
    "an algo order that arrived twice for one intent": (
        "I1",
        lambda: Story().algo("intent", "algo", "algo"),
        lambda: Story().algo("intent", "algo", "intent", "algo"),
    ),
    "a transfer arrives twice": (
        "I1",
        lambda: Story().transfer("intent", "transfer", "transfer"),
        lambda: Story().transfer("intent", "transfer"),
    ),
    "a transfer that arrived is UNKNOWN": (
        "transfer",
        lambda: Story().transferred("UNKNOWN", "DONE"),
        lambda: Story().transferred("UNKNOWN", ""),
    ),
    "a transfer that arrived is called refused": (
        "transfer",
        lambda: Story().transferred("REJECTED", "DONE"),
        lambda: Story().transferred("REJECTED", ""),
    ),
    "a transfer is done that nobody made": (
        "transfer",
        lambda: Story().transferred("DONE", ""),
        lambda: Story().transferred("DONE", "DONE"),
    ),
    "a running transfer is forgotten": (
        "transfer",
        lambda: Story().transferred("", "RUNNING"),
        lambda: Story().transferred("", "DONE"),
    ),
    "a withdrawal arrives twice": (
        "I1",
        lambda: Story().transfer("intent", "withdrawal", "withdrawal"),
        lambda: Story().transfer("intent", "withdrawal"),
    ),
    "a withdrawal that arrived is UNKNOWN": (
        "withdrawal",
        lambda: Story().transferred("UNKNOWN", "DONE", "withdrawal"),
        lambda: Story().transferred("UNKNOWN", "", "withdrawal"),
    ),
    "a lock is done that nobody made": (
        "custody",
        lambda: Story().transferred("DONE", "", "custody"),
        lambda: Story().transferred("DONE", "DONE", "custody"),
    ),
    "a portfolio that was made is called not done": (
        "portfolio",
        lambda: Story().transferred("NOT_DONE", "DONE", "portfolio"),
        lambda: Story().transferred("NOT_DONE", "", "portfolio"),
    ),
    "a loan arrives twice": (
        "I1",
        lambda: Story().loan("intent", "loan", "loan"),
        lambda: Story().loan("intent", "loan"),
    ),
    "borrowed twice": ("loan", lambda: Story().lent("DONE", 2), lambda: Story().lent("DONE", 1)),
    "a loan that was carried out is UNKNOWN": (
        "loan",
        lambda: Story().lent("UNKNOWN", 1),
        lambda: Story().lent("UNKNOWN", 0),
    ),
    "a loan is done that nobody made": ("loan", lambda: Story().lent("DONE", 0), lambda: Story().lent("REJECTED", 0)),
    "5 a silent order shown REJECTED after five checks": (
        "I3",
        lambda: lost().at(60).again().asked().shown("REJECTED", source="query", oid=""),
        lambda: lost().at(60).again().asked().fact("REJECTED", source="query").shown("REJECTED", 10, source="query"),
    ),
    "6 a silent pending cancel shown CANCELED": (
        "I3",
        lambda: live().at(60).shown("CANCELED", 10),
        lambda: live().at(60).fact("CANCELLED", 20).shown("CANCELED", 20),
    ),
    "7 an exception at the write shown FAIL": (
        "I3",
        lambda: Story().meant().sent().shown("FAIL", source="local", oid="").noted(),
        lambda: Story().meant().sent().fact("FAIL").shown("FAIL", 10).noted(),
    ),
    "7b an exception at the write called not sent": (
        "I3",
        lambda: Story().meant().sent().shown("NOT SENT", source="local", oid="").noted(),
        lambda: Story().meant().shown("NOT SENT", source="local", oid=""),
    ),
    "7c REJECT by a code that proves nothing": (
        "I3",
        lambda: Story().meant().sent().reply(50001, oid="").shown("REJECT", source="reply", oid="").noted(),
        lambda: Story().meant().sent().reply(401020, oid="").shown("REJECT", source="reply", oid="").noted(),
    ),
    "7d REJECT by the code of a used id": (
        "I3",
        lambda: Story().meant().sent().reply(401009, oid="").shown("REJECT", source="reply", oid="").noted(),
        lambda: lost().at(60).again().asked().fact("OPEN", source="query").shown("OPEN", 10, source="query"),
    ),
    "8 more than three not-founds shown FAIL": (
        "I3",
        lambda: lost().again().asked().asked().asked().asked().shown("FAIL", source="query", oid=""),
        lambda: lost().again().asked().asked().asked().asked().shown("UNKNOWN", source="local", oid=""),
    ),
    "9 missing at a restart shown CANCELLED": (
        "I3",
        lambda: live().restarted().shown("CANCELLED", life=2, source="snapshot"),
        lambda: live().restarted().shown("OPEN", life=2, source="journal"),
    ),
    "10 final by a message about another order": (
        "I3",
        lambda: live().fact("FILLED", 20, "5", cid=OTHER, oid="2002").shown("FILLED", 20, "5", source="query"),
        filled,
    ),
    "11 final before its cause": (
        "I3",
        lambda: live().shown("FILLED", 20, "5", source="query").fact("FILLED", 20, "5"),
        filled,
    ),
    "12 UNKNOWN five seconds after the loss": (
        "I4",
        lambda: Story().meant().sent().down().noted("note").at(6).shown("UNKNOWN", source="local", oid=""),
        lost,
    ),
    "12b no answer for five seconds on a good link": (
        "I4",
        lambda: Story().meant().sent().noted("note").at(6.5).shown("UNKNOWN", source="local", oid=""),
        lambda: (
            Story().meant().sent().noted("note").at(4.1).shown("UNKNOWN", source="local", oid="").asked().at(9).asked()
        ),
    ),
    "12c a crash, and the order is not there again": (
        "I4",
        lambda: _silent_restart(),
        lambda: Story().meant().sent().noted("note").restarted().shown("UNKNOWN", source="journal", oid="", life=2),
    ),
    "13 no question within a second of a proven link": (
        "I4",
        lambda: lost().at(5).again().at(7).noted("note"),
        lambda: lost().at(5).again().at(5.5).asked().at(7).noted("note"),
    ),
    "13b a question of long ago is no question": (
        "I4",
        lambda: (
            Story()
            .meant()
            .sent()
            .asked()
            .noted("query")
            .at(4)
            .noted("note")
            .shown("UNKNOWN", source="local", oid="")
            .at(7)
            .noted()
        ),
        lambda: Story().meant().sent().at(3).asked().at(4).shown("UNKNOWN", source="local", oid="").at(7).noted("note"),
    ),
    "13c a question is not on its way for ever": (
        "I4",
        lambda: Story().meant().sent().asked().at(14).shown("UNKNOWN", source="local", oid="").at(16).noted("note"),
        lambda: Story().meant().sent().asked().at(4).shown("UNKNOWN", source="local", oid="").at(7).noted("note"),
    ),
    "14 the state differs at the end": (
        "I5",
        lambda: live().ended("OPEN", "FILLED"),
        lambda: live().ended("OPEN", "OPEN"),
    ),
    "14b executed differs at the end": (
        "I5",
        lambda: live().ended("OPEN", "OPEN", ("1", "2")),
        lambda: live().ended("OPEN", "OPEN", ("1", "1.0")),
    ),
    "14c an open order is not on the screen": (
        "I5",
        lambda: live().ended("", "OPEN"),
        lambda: live().ended("", "CANCELLED"),
    ),
    "14d positions differ": (
        "I5",
        lambda: live().holding("client", "1").holding("venue", "2"),
        lambda: live().holding("client", "2").holding("venue", "2"),
    ),
    "14e UNKNOWN although the venue has it": (
        "unresolved",
        lambda: lost().again().asked().ended("UNKNOWN", "OPEN"),
        lambda: lost().again().asked().ended("UNKNOWN", ""),
    ),
    "14f a fill is lost": (
        "I6",
        lambda: filled().fill("venue").sums("venue", "5"),
        lambda: filled().fill("venue").sums("venue", "5").sums("client", "5.0"),
    ),
    "15 one fill counted twice": (
        "I6",
        lambda: filled().fill("venue").fill("display").fill("display"),
        lambda: filled().fill("venue").fill("display"),
    ),
    "15b one fill told twice": (
        "I6",
        lambda: filled().fill("venue").told().told(),
        lambda: filled().fill("venue").fill("venue", "t2").told().told(),
    ),
    "16 executed goes down": (
        "I6",
        lambda: live().fact("OPEN", 20, "3").shown("OPEN", 20, "3").fact("OPEN", 30, "2").shown("OPEN", 30, "2"),
        lambda: live().fact("OPEN", 20, "2").shown("OPEN", 20, "2").fact("OPEN", 30, "3").shown("OPEN", 30, "3"),
    ),
    "17 executed above the quantity": (
        "I6",
        lambda: live().fact("OPEN", 20, "6").shown("OPEN", 20, "6"),
        lambda: live().fact("OPEN", 20, "6").shown("OPEN", 20, "6", conflict="executed 6 of 5"),
    ),
    "18 FILLED flips to CANCELLED": (
        "I7",
        lambda: filled().fact("CANCELLED", 30, "5").shown("CANCELLED", 30, "5"),
        lambda: filled().fact("CANCELLED", 30, "5").shown("CANCELLED", 30, "5", conflict="was FILLED"),
    ),
    "19 a push of an old connection counts": (
        "I20",
        lambda: live().down().again().at(2).fact("OPEN", 20, "1").shown("OPEN", 20, "1"),
        lambda: live().down().again().at(2).fact("OPEN", 20, "1", wire=2).shown("OPEN", 20, "1"),
    ),
    "20 an older snapshot overwrites a newer push": (
        "I20",
        lambda: live().fact("OPEN", 5, source="snapshot").shown("OPEN", 5, source="snapshot"),
        lambda: (
            live()
            .fact("OPEN", 5, source="snapshot")
            .fact("OPEN", 15, source="snapshot")
            .shown("OPEN", 15, source="snapshot")
        ),
    ),
    "21 a command is not in the blotter": ("I22", lambda: _unseen(), live),
    "21b nobody says what became of it": (
        "I22",
        lambda: (
            Story()
            .meant()
            .sent()
            .reply()
            .shown("NEW", source="reply")
            .at(9)
            .told()
            .at(9.1)
            .shown("NEW", source="reply")
        ),
        lambda: live().at(9).shown("OPEN", 10),
    ),
    "21c a restart forgets an order": (
        "I22",
        lambda: live().restarted().at(9).noted("note"),
        lambda: live().restarted().shown("OPEN", life=2, source="journal").at(9).noted("note"),
    ),
    "23 a fill is not in the journal": (
        "journal fills",
        lambda: filled().fill("venue").fill("venue", "t2").journal_fills("t1").day(),
        lambda: filled().fill("venue").fill("venue", "t2").journal_fills("t1", "t2").day(),
    ),
    "23b a fill is in the journal twice": (
        "journal fills",
        lambda: filled().fill("venue").journal_fills("t1", "t1").day(),
        lambda: filled().fill("venue").journal_fills("t1").day(),
    ),
    "23c the journal has a fill that the venue has not": (
        "journal fills",
        lambda: filled().fill("venue").journal_fills("t1", "t2").day(),
        lambda: filled().fill("venue").journal_fills("t1").day().fill("venue", "t2"),
    ),
    "23d a fill that the disk refused": (
        "journal fills",
        lambda: _full_disk(filled().fill("venue"), "t2").day(),
        lambda: _full_disk(filled().fill("venue"), "t1").day(),
    ),
    "24 the day differs in the last digit": (
        "day result",
        lambda: live().day("-1.00000001", "-1.00000002"),
        lambda: live().day("-1.00000001", "-1.00000001"),
    ),
    "24b the day stays partial": ("day result", lambda: live().day(state="partial"), lambda: live().day()),
    "25 an order outlives a kill": (
        "kill",
        lambda: live().killed().at(13).noted(),
        lambda: live().killed().at_venue("CANCELLED").at(13).noted(),
    ),
    "25b an order ends too long after a kill": (
        "kill",
        lambda: live().killed().at(13).at_venue("CANCELLED"),
        lambda: live().killed().at(11).at_venue("CANCELLED").at(13).noted(),
    ),
    "25c an order filled instead": (
        "kill",
        lambda: live().killed().at_venue("PARTIALLY_FILLED").at(13).noted(),
        lambda: live().killed().at_venue("FILLED").at(13).noted(),
    ),
    "22 a row disappears": ("I22", lambda: live().gone(), lambda: filled().at(70).gone()),
    "22b UNKNOWN is dismissed by the client": (
        "I22",
        lambda: lost().again().asked().gone(),
        lambda: _dismissed(lost().again().asked()).gone(),
    ),
}


def _silent_restart() -> Story:
    story = Story().meant().sent().noted("note").restarted().at(9)
    return story.noted("note")


def _full_disk(story: Story, tx: str) -> Story:
    story.history.add("fault", "journal", life=1, text="F94", tx=tx)
    return story


def _unseen() -> Story:
    story = Story().meant()
    story.history.add("wire", "place_order", dir="out", life=1, wire=1, req="r1", cid=CID, text=ARGS)
    return story.reply().noted().at(9).noted()


def _dismissed(story: Story) -> Story:
    story.history.add("trader", "dismiss", life=1, cid=CID)
    return story


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_history_is_rejected_and_a_valid_one_accepted(name: str) -> None:
    rule, bad, good = FORGED[name]
    assert rule in {broken.rule for broken in check(bad().lines)}, check(bad().lines)
    assert check(good().lines) == []


def test_an_empty_history_breaks_no_invariant() -> None:
    assert check([]) == []
