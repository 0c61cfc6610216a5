"""One journal per account: another portfolio, service or replay never reads the orders of this one."""

from __future__ import annotations

from pathlib import Path

from tui.cli.accounts import Account, find_journal, user_of_key

PAPER = Account("7001", "the paper venue of this home")
AT = "20260102-030405"


def test_the_first_account_gets_the_default_journal(tmp_path: Path) -> None:
    assert find_journal(tmp_path, PAPER, AT) == (tmp_path / "journal.db", "")
    assert find_journal(tmp_path, PAPER, AT) == (tmp_path / "journal.db", "")
    assert (tmp_path / "journal.account").stat().st_mode & 0o777 == 0o600


def test_taking_over_a_journal_without_account_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"")
    path, news = find_journal(tmp_path, PAPER, AT)
    assert path == tmp_path / "journal.db"
    assert news == "the journal of this desk belongs to portfolio 7001 at the paper venue of this home from now on"
    assert find_journal(tmp_path, PAPER, AT).news == ""


def test_each_portfolio_and_service_address_has_its_own_journal(tmp_path: Path) -> None:
    find_journal(tmp_path, PAPER, AT)
    for other in (Account("7002", PAPER.where), Account("7001", "https://elsewhere")):
        first = find_journal(tmp_path, other, AT)
        assert first.path.name == "journal.db" and first.path.parent.parent == tmp_path
        assert f"another account, {other.label}" in first.news and PAPER.label in first.news
        assert find_journal(tmp_path, other, "later").path == first.path
    assert find_journal(tmp_path, PAPER, AT).path == tmp_path / "journal.db"


def test_every_replay_of_a_recorded_market_has_its_own_journal(tmp_path: Path) -> None:
    replay = Account("7001", PAPER.where, "btc 2024.csv.gz")
    one, two = find_journal(tmp_path, replay, AT), find_journal(tmp_path, replay, "20260102-030406")
    assert one.path == tmp_path / "replays" / f"{AT}-btc-2024-csv-gz" / "journal.db" != two.path
    assert "a replay of btc 2024.csv.gz is an account of its own" in one.news
    assert not (tmp_path / "journal.account").exists()


NAMED, OTHER = PAPER._replace(account_id="00aa"), PAPER._replace(account_id="00bb")


def test_a_journal_is_kept_when_the_venue_first_tells_an_account(tmp_path: Path) -> None:
    find_journal(tmp_path, PAPER, AT)
    beside = find_journal(tmp_path, PAPER._replace(portfolio="7002"), AT).path
    assert find_journal(tmp_path, NAMED, AT) == (tmp_path / "journal.db", "")
    assert (tmp_path / "journal.account").read_text() == NAMED.label
    assert find_journal(tmp_path, NAMED._replace(portfolio="7002"), AT).path == beside


def test_each_paper_venue_state_has_its_own_journal(tmp_path: Path) -> None:
    find_journal(tmp_path, NAMED, AT)
    first = find_journal(tmp_path, OTHER, AT)
    assert first.path.parent.parent == tmp_path and "the paper venue has a new state" in first.news
    assert find_journal(tmp_path, OTHER, "later").path == first.path
    assert find_journal(tmp_path, NAMED, AT) == (tmp_path / "journal.db", "")


LIVE = Account("7001", "https://rest.example", account_id=user_of_key("key of one"), live=True)
OF_ANOTHER = LIVE._replace(account_id=user_of_key("key of another"))


def test_two_users_with_one_portfolio_id_have_two_journals(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"")
    (tmp_path / "journal.account").write_text(LIVE.label_without_id)
    assert find_journal(tmp_path, LIVE, AT) == (tmp_path / "journal.db", ""), "an older journal goes to the first seen"
    other = find_journal(tmp_path, OF_ANOTHER, AT)
    assert other.path.parent.parent == tmp_path and find_journal(tmp_path, OF_ANOTHER, "later").path == other.path
    assert f'`user = "{LIVE.account_id}"` in the profile continues the former journal' in other.news
    assert find_journal(tmp_path, LIVE, AT) == (tmp_path / "journal.db", "")
    assert "key of" not in LIVE.label and "key of" not in other.news


def test_an_account_id_keeps_the_journal_with_a_new_api_key(tmp_path: Path) -> None:
    find_journal(tmp_path, LIVE, AT)
    said = OF_ANOTHER._replace(account_id=LIVE.account_id)
    assert find_journal(tmp_path, said, AT) == (tmp_path / "journal.db", "")
