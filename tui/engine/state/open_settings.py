"""Changes of settings at the venue that are not settled, of this session and of earlier ones."""

from __future__ import annotations

import msgspec

from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.intents import SetLeverage, SetMarginLeverage, SettingIntent
from tui.engine.rows import SettingChange, SettingState, Table
from tui.engine.state.call_expiry import EXPIRED_S, LATE_S
from tui.interface.symbols import pair_name


class OpenChange(msgspec.Struct):
    """One change that is not settled."""

    intent: SettingIntent
    row: SettingChange
    unread: str = ""
    """Why it could not be read back last, or empty."""

    @classmethod
    def of(cls, intent: SettingIntent, state: SettingState, now: float) -> OpenChange:
        """The change that an intent asks for; `now`: monotonic, s."""
        proven_from = now + (LATE_S if state is SettingState.ACCEPTED else EXPIRED_S)
        row = SettingChange(before=intent.before, wanted=intent.wanted, state=state, proven_from=proven_from)
        return cls(intent, row)


class OpenSettings:
    """At most one change of each setting; each stands on the screen until it is settled.

    Attributes:
        changes: By setting.
    """

    def __init__(self, updates: ConflatingQueue) -> None:
        self.changes: dict[str, OpenChange] = {}
        self._updates = updates

    def begin(self, intent: SettingIntent, now: float) -> OpenChange:
        """Add a change that is about to be sent; `now`: monotonic, s."""
        change = OpenChange.of(intent, SettingState.SENDING, now)
        self._put(change)
        return change

    def restore(self, change: OpenChange) -> bool:
        """Take over a change of an earlier session; False where one of this session stands in its place."""
        if change.intent.setting in self.changes:
            return False
        self._put(change)
        return True

    def enter(self, change: OpenChange, state: SettingState, proven_from: float) -> None:
        """Put a change that is not settled into another state; `proven_from`: as in its row."""
        setting = change.intent.setting
        if self.changes.get(setting) is change:
            change.row = msgspec.structs.replace(change.row, state=state, proven_from=proven_from)
            self._updates.put(Table.SETTINGS, setting, change.row)

    def _put(self, change: OpenChange) -> None:
        self.changes[change.intent.setting] = change
        self._updates.put(Table.SETTINGS, change.intent.setting, change.row)

    def end(self, change: OpenChange) -> None:
        """Forget a change that is settled."""
        setting = change.intent.setting
        if self.changes.get(setting) is change:
            del self.changes[setting]
            self._updates.put(Table.SETTINGS, setting, None)


def setting_name(intent: SettingIntent) -> str:
    """The setting in words."""
    if isinstance(intent, SetLeverage):
        return f"leverage of {pair_name(intent.sym)}"
    if isinstance(intent, SetMarginLeverage):
        return f"margin leverage of {intent.coin} on {intent.exchange}"
    return f"position mode of {intent.exchange}"
