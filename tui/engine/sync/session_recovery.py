"""Recovery of earlier sessions from the journal, at startup or as soon as the journal can be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui.crossdesk_error import CrossdeskError
from tui.engine.event_line import Level
from tui.engine.intents import AlgoIntent, Intent, Outcome, SettingIntent
from tui.engine.journal import session_replay
from tui.engine.journal.order_replay import NO_ANSWER
from tui.engine.journal.sent_commands import SentCommands, add_outcome, name_command, tell_outcome
from tui.engine.journal.session_replay import ReplayedSession
from tui.engine.rows import LocalOrderState
from tui.engine.state.command_table import AnyCommand, describe_doubt
from tui.engine.state.engine_state import EngineState
from tui.interface.text import how_many
from tui.protocols import JournalUnwritable

MOST_NAMED = 3
"""Most lost commands reported one by one; the others are counted."""
JOURNAL = "journal"
"""Cause of the warning that the journal cannot be read."""


class NotRecovered(CrossdeskError):
    """Error for a question about earlier runs while the journal has not been read yet."""

    title = "Journal not read yet"


class SessionRecovery:
    """Recovery of earlier sessions from the journal, done once."""

    def __init__(self, state: EngineState, restored: Callable[[ReplayedSession], None] = lambda _: None) -> None:
        """Initialize the recovery; `restored` is told of the earlier sessions once their orders are in the state."""
        self._state = state
        self._when_restored = restored
        self.missed = False
        """Whether the journal could not be read yet, so that earlier sessions are unknown."""
        self._sent: SentCommands | None = None
        """Commands of other processes in earlier runs and in this one; None before the journal was read."""

    @property
    def is_due(self) -> bool:
        """Whether recovery is possible now, after the journal could not be read at startup."""
        return self.missed and not self._state.journal.error

    def note_outcome(self, intent: Intent, outcome: Outcome) -> None:
        """Store the outcome of a command by sender and id, so that a repeat of it is not carried out again."""
        if self._sent is not None:
            add_outcome(self._sent, intent, outcome, int(self._state.clock.wall() * 1000))

    def recall(self, sender: str, command: str) -> Outcome | None:
        """Return the outcome of a command sent in this or an earlier run; None if neither has carried it out.

        Raises:
            NotRecovered: The journal was not read yet.
        """
        if self._sent is None:
            raise NotRecovered("the journal of earlier runs was not read yet; ask again in a moment")
        sent = self._sent.get(name_command(sender, command))
        return None if sent is None else tell_outcome(sent, self._state.orders.rows)

    async def run(self) -> None:
        """Replay the journal into the state; a failure is notified and retried later."""
        state, late = self._state, self.missed
        try:
            entries = await state.journal.entries()
        except JournalUnwritable as error:
            if not late:
                state.notify(
                    Level.ALERT, f"journal: {error}; placing is refused, cancels work", sticky=True, cause=JOURNAL
                )
            self.missed = True
            return
        self.missed = False
        aside = getattr(state.journal, "set_aside", "")
        if aside:
            state.notify(Level.ALERT, aside, sticky=True)
        if late:
            text = "the journal can be written again; what it tells of earlier sessions is taken up"
            state.notify(Level.INFO, text, cause=JOURNAL)
        replayed = session_replay.replay_entries(
            entries, portfolio=state.portfolio, now=state.clock.mono(), wall=state.clock.wall(),
            account_id=state.identity.account_id,
        )  # fmt: skip
        self._name_account(replayed.account_id)
        self._restore(replayed, late=late)
        self._sent = replayed.sent

    def _name_account(self, named: str) -> None:
        """Journal the account id of this session, unless it is already the journal's account."""
        state = self._state
        ours = state.identity.account_id
        if not ours or named == ours:
            return
        state.write_journal(session_replay.ACCOUNT, session_replay.AccountPayload(ours, state.portfolio))
        if named:
            text = f"the journal is of account {named}, this is account {ours}: nothing of earlier sessions is taken up"
            state.notify(Level.ALERT, text, sticky=True)

    def _restore(self, replayed: ReplayedSession, *, late: bool) -> None:
        state = self._state
        state.fills.journal_first_ms = replayed.first_ms
        if late:
            self._merge_fills(replayed)
        else:
            state.fills.restore(
                replayed.fills, replayed.day, replayed.begin_ms, replayed.complete_ms, replayed.contents
            )
        state.orders.guard_ended = replayed.guard_ended
        fresh = [row for row in replayed.rows if not state.orders.find(row.order_id, row.client_order_id)]
        for row in fresh:
            state.orders.add(row)
        for row, at in replayed.dismissed:
            if not state.orders.find(row.order_id, row.client_order_id):
                state.orders.add(row)
                state.orders.dismiss(row.key, at)
        for row in replayed.ended:
            if not state.orders.find(row.order_id, row.client_order_id):
                state.orders.add_ended(row)
        if replayed.unreadable:
            many = how_many(replayed.unreadable, "journal entry", "journal entries")
            text = f"{many} cannot be read; trust the venue's lists for those"
            state.notify(Level.ALERT, text, sticky=True)
        self._when_restored(replayed)
        unknown = [row for row in fresh if row.state == LocalOrderState.UNKNOWN]
        self._name_lost([(row.key, state.orders.text_of(row)) for row in unknown], "order")
        state.algos.dismissed |= replayed.dismissed_algos
        state.algos.had_position |= replayed.had_position
        self._restore_commands(replayed.commands)

    def _merge_fills(self, replayed: ReplayedSession) -> None:
        state = self._state
        begin, complete = replayed.begin_ms, replayed.complete_ms
        if not begin and replayed.first_ms and state.fills.begin_ms:
            # No earlier session read fills: they are read from the first entry on.
            begin = complete = min(state.fills.begin_ms, state.journal_began_ms())
        state.fills.merge(replayed.fills, begin, complete, replayed.contents)

    def _restore_commands(self, commands: Sequence[AnyCommand]) -> None:
        """Restore open commands of earlier sessions, unless a command of this session has replaced them."""
        state, algos = self._state, []
        for command in commands:
            about_algo = isinstance(command.intent, AlgoIntent)
            if command.key in state.commands.open or (about_algo and not state.algos.can_restore(command.key)):
                continue
            if command.is_lost:
                # A call of version 1 may arrive later than one of version 2.
                command.proven_from = max(command.proven_from, state.call_expires_at())
            state.commands.add(command)
            if command.is_lost and about_algo:
                algos.append((command.key, state.algos.name(command)))
            elif command.is_lost:
                asking = "read back" if isinstance(command.intent, SettingIntent) else "asked about"
                text = f"{describe_doubt(command)}: {NO_ANSWER}; it is being {asking}"
                state.notify_deed(command.intent.decision, Level.ALERT, text)
        self._name_lost(algos, "algo command")

    def _name_lost(self, lost: Sequence[tuple[str, str]], kind: str) -> None:
        """Notify commands of earlier sessions without a reply: some by description, the others as a count.

        The screen marks each line as settled when the outcome is known.

        Args:
            lost: Row key and description of each command.
            kind: Kind of command, in the singular.
        """
        for key, words in lost[:MOST_NAMED]:
            text = f"UNKNOWN: {words}: {NO_ANSWER}; being queried, do not send it again"
            self._state.notify(Level.ALERT, text, key, unsure=True)
        left = [key for key, _ in lost[MOST_NAMED:]]
        if left:
            many = how_many(len(left), f"more {kind}")
            text = f"UNKNOWN: and {many} with {NO_ANSWER}; being queried, do not send them again"
            self._state.notify(Level.ALERT, text, left[0], unsure=True, others=tuple(left[1:]))
