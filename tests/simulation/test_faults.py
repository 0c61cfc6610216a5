"""The document of faults is made from the tests."""

from __future__ import annotations

from tests.simulation import faults


def test_the_faults_document_matches_the_tests() -> None:
    assert faults.DOCUMENT.read_text() == faults.document(), "python -m tests.simulation.faults --write"


def test_every_fault_is_tested_or_has_a_reason() -> None:
    tests, thrown = faults.scenarios(), faults.in_campaign()
    bare = [
        name
        for name in (*faults.FAULTS, *faults.LINK_FAULTS)
        if not tests[name] and name not in thrown and name not in faults.WHY_NOT
    ]
    assert not bare


def test_every_campaign_fault_and_known_defect_has_a_scenario() -> None:
    tests, thrown = faults.scenarios(), faults.in_campaign()
    assert [name for name in (*sorted(thrown), *faults.DEFECTS) if not tests[name]] == []
