"""Programs that attack their mandates send nothing beyond them; the long run is `python -m tests.programs.attack`."""

from __future__ import annotations

from pathlib import Path

from tests.programs.attack import attack


async def test_s63_attacks_on_mandates_send_nothing_beyond_them(tmp_path: Path) -> None:
    report = await attack(4, 20_261_128, tmp_path)
    assert report.wrong == dict.fromkeys(report.wrong, 0), report
    assert report.mandates == 4 and report.sent > 3 and report.denied > 20, report
