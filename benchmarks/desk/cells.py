"""The text of a terminal's screen, as far as a benchmark needs it: characters and their places, no styles."""

from __future__ import annotations

import codecs
import re

from wcwidth import wcwidth

_TOKEN = re.compile(
    r"\x1b\[([0-9;:?<>=]*)[ -/]*([@-~])"  # 1, 2: CSI
    r"|\x1b[\]PX^_].*?(?:\x1b\\|\x07)"
    r"|\x1b[ -/]*[0-~]"
    r"|([^\x00-\x1f\x7f]+)"  # 3: text
    r"|([\x00-\x1a\x1c-\x1f\x7f])",  # 4: control
    re.DOTALL,
)
_OPEN = re.compile(r"\x1b(?:\[[0-9;:?<>= -/]*|[\]PX^_][^\x07]*)?$", re.DOTALL)


class Cells:
    """Feed it the bytes of a program; it says what stands where."""

    def __init__(self, columns: int, lines: int) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self.resize(columns, lines)

    def resize(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self._rows = [[" "] * columns for _ in range(lines)]
        self._x = self._y = 0

    def text(self) -> list[str]:
        return ["".join(row) for row in self._rows]

    def line(self, y: int) -> str:
        return "".join(self._rows[y])

    def feed(self, data: bytes) -> None:
        text = self._rest + self._decoder.decode(data)
        self._rest = ""
        if (cut := _OPEN.search(text)) is not None:
            text, self._rest = text[: cut.start()], text[cut.start() :]
        for token in _TOKEN.finditer(text):
            if (run := token.group(3)) is not None:
                self._write(run)
            elif (final := token.group(2)) is not None:
                self._control(token.group(1), final)
            elif (control := token.group(4)) is not None:
                self._move(control)

    def _write(self, run: str) -> None:
        row = self._rows[self._y]
        if run.isascii():
            end = min(self.columns, self._x + len(run))
            row[self._x : end] = run[: end - self._x]
            self._x = end
            return
        for character in run:
            width = 1 if character < "\u1100" else max(0, wcwidth(character))
            if self._x < self.columns and width:
                row[self._x : self._x + width] = [character, *[""] * (width - 1)]
                self._x += width
        del row[self.columns :]

    def _move(self, control: str) -> None:
        if control == "\r":
            self._x = 0
        elif control == "\n":
            self._y = min(self.lines - 1, self._y + 1)
        elif control == "\b":
            self._x = max(0, self._x - 1)

    def _control(self, parameters: str, final: str) -> None:
        if final == "m" or parameters.startswith(("?", "<", ">", "=")):
            return
        numbers = [int(number) if number else 0 for number in parameters.split(";")]
        first = max(1, numbers[0])
        if final in "Hf":
            self._y = min(self.lines, first) - 1
            self._x = min(self.columns, max(1, numbers[1] if len(numbers) > 1 else 1)) - 1
        elif final == "G":
            self._x = min(self.columns, first) - 1
        elif final == "d":
            self._y = min(self.lines, first) - 1
        elif final == "A":
            self._y = max(0, self._y - first)
        elif final == "B":
            self._y = min(self.lines - 1, self._y + first)
        elif final == "C":
            self._x = min(self.columns - 1, self._x + first)
        elif final == "D":
            self._x = max(0, self._x - first)
        elif final in "JKX":
            self._erase(final, numbers[0], first)

    def _erase(self, final: str, how: int, count: int) -> None:
        row = self._rows[self._y]
        if final == "X":
            row[self._x : self._x + count] = [" "] * len(row[self._x : self._x + count])
        elif final == "K":
            begin, end = (0, self._x + 1) if how == 1 else (0 if how == 2 else self._x, self.columns)
            row[begin:end] = [" "] * (end - begin)
        elif how == 2:
            self.resize(self.columns, self.lines)
