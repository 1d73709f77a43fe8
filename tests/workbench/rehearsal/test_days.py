"""The day clock, and its truth against an independent comparison of the lists it shows."""

import random
import re
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta

import pytest

from dmf_crawler.workbench.rehearsal.days import DayTruth, Happening, Ledger, Life
from dmf_crawler.workbench.rehearsal.office import Office, Pace, list_wave_days
from dmf_crawler.workbench.rehearsal.register import COLUMNS, ListRow, grow_register
from dmf_crawler.workbench.rehearsal.working_days import is_working_day

BUSY = Pace(
    polished=0.8,
    restored=0.2,
    glitch=0.3,
    long_loss=0.1,
    lost_for_good=0.1,
    delisted=0.2,
    burst=0.03,
    rename=0.05,
)
Lists = dict[date, dict[str, ListRow]]


@pytest.fixture(scope="module", params=["ordinary", "busy"])
def year(request) -> tuple[Lists, list[DayTruth]]:
    """The lists of 367 days by day and key, and the truth of all but the first."""
    if request.param == "ordinary":
        return live_days(Life(n_rows=2_000), 366)
    return live_days(Life(n_rows=2_000, seed=5, pace=BUSY), 366)


def live_days(life: Life, n_days: int) -> tuple[Lists, list[DayTruth]]:
    lists = {life.day: {row.reg_no: row for row in life.rows}}
    truths = []
    for _ in range(n_days):
        truths.append(life.advance())
        lists[life.day] = {row.reg_no: row for row in life.rows}
    return lists, truths


def test_the_truth_of_each_day_is_what_a_plain_comparison_of_the_lists_finds(year):
    lists, truths = year
    last_seen = dict.fromkeys(next(iter(lists.values())), next(iter(lists)))
    for truth in truths:
        expected = compare_plainly(lists, last_seen, truth.day)
        found = {(h.kind, h.key, h.reason, h.is_cosmetic): h.fields for h in truth.happenings}
        assert found == expected, truth.day
        last_seen |= dict.fromkeys(lists[truth.day], truth.day)


def compare_plainly(lists, last_seen, day):
    """Return what happened to each key, from when it was last seen and how it looked then."""
    found = {}
    today = lists[day]
    for key, row in today.items():
        seen_on = last_seen.get(key)
        if seen_on is None:
            found["NEW", key, "", False] = ()
            continue
        fields = changed_fields(lists[seen_on][key], row)
        if (day - seen_on).days > 4:
            found["REAPPEARED", key, "returned", False] = fields
        elif fields:
            found[(*name_change(lists[seen_on][key], row, fields, key),)] = fields
    for key, seen_on in last_seen.items():
        if key not in today and (day - seen_on).days == 4:
            was_live = lists[seen_on][key].status == "정상"
            kind = ("WITHDRAWN", key, "missing") if was_live else ("MODIFIED", key, "delisted")
            found[(*kind, False)] = ()
    return found


def name_change(before, after, fields, key):
    if (before.status == "정상") != (after.status == "정상"):
        if after.status == "정상":
            return "REAPPEARED", key, "restored", False
        return "WITHDRAWN", key, "status", False
    is_cosmetic = all(plain(getattr(before, f)) == plain(getattr(after, f)) for f in fields)
    return "MODIFIED", key, "", is_cosmetic


def changed_fields(before, after):
    return tuple(f for f, _ in COLUMNS if getattr(before, f) != getattr(after, f))


def plain(value):
    text = value if isinstance(value, str) else "\n".join(value)
    return re.sub(" +", " ", text.replace("㈜", "(주)"))


def test_nothing_happens_on_days_off(year):
    _, truths = year
    assert [t.day for t in truths if t.happenings and not is_working_day(t.day)] == []


def test_counts_are_the_happenings_counted(year):
    _, truths = year
    for truth in truths:
        kinds = ["COSMETIC" if h.is_cosmetic else h.kind for h in truth.happenings]
        assert set(truth.counts) == {"NEW", "MODIFIED", "WITHDRAWN", "REAPPEARED", "COSMETIC"}
        assert {kind: n for kind, n in truth.counts.items() if n} == Counter(kinds)
        keys = [h.key for h in truth.happenings]
        assert keys == sorted(set(keys))


def test_an_ordinary_day_stays_within_the_gates(year):
    _, truths = year
    before: tuple[str, ...] = ()
    for truth in truths:
        assert len(truth.missing) <= 3
        assert truth.counts["WITHDRAWN"] <= 10
        assert len(set(truth.missing) - set(before)) <= 3
        before = truth.missing


def test_new_rows_come_three_a_working_day_at_the_top_without_a_target(year):
    lists, truths = year
    n_new = [t.counts["NEW"] for t in truths if is_working_day(t.day) and t.counts["NEW"] < 20]
    assert 2.5 < sum(n_new) / len(n_new) < 3.5
    assert max(n_new) <= 7
    for truth in truths:
        for happening in truth.happenings:
            if happening.kind == "NEW":
                row = lists[truth.day][happening.key]
                assert (row.target, row.status) == ("", "정상")
                assert row.registered_on == truth.day.isoformat()


def test_the_list_stays_ordered_newest_first():
    life = Life(n_rows=300, pace=BUSY, seed=2)
    for _ in range(60):
        life.advance()
        days = [row.registered_on for row in life.rows]
        assert days == sorted(days, reverse=True)


def test_a_blank_target_is_filled_after_two_to_eleven_days(year):
    lists, truths = year
    ages = []
    for truth in truths:
        for happening in truth.happenings:
            row = lists[truth.day].get(happening.key)
            if happening.kind == "MODIFIED" and "target" in happening.fields and row:
                ages.append((truth.day - date.fromisoformat(row.registered_on)).days)
    assert len(ages) > 500
    assert set(ages) <= set(range(2, 12))
    last_day = max(lists)
    old = (last_day - timedelta(days=11)).isoformat()
    born = [row for row in lists[last_day].values() if "2026-11-30" <= row.registered_on < old]
    assert [row.reg_no for row in born if not row.target] == []


def test_a_raised_document_number_comes_with_a_new_date_of_change(year):
    lists, truths = year
    n_raised = 0
    for truth in truths:
        for happening in truth.happenings:
            if "document_no" in happening.fields:
                row = lists[truth.day][happening.key]
                assert row.changed_on == truth.day.isoformat()
                assert re.fullmatch(rf"v0\.\d+\.0/{truth.day.year}", row.document_no)
                n_raised += 1
    assert n_raised > 200


def test_yearly_reports_rise_in_most_rows_on_five_working_days_of_january(year):
    lists, truths = year
    wave = [t for t in truths if sum("report_year" in h.fields for h in t.happenings) > 100]
    assert [t.day for t in wave] == list_wave_days(2027)
    live = [row for row in lists[date(2027, 1, 31)].values() if row.status == "정상"]
    assert sum(row.report_year == "2026" for row in live) / len(live) > 0.7


@pytest.mark.parametrize("seed", range(5))
def test_the_first_two_weeks_have_no_bulk_event(seed):
    life = Life(n_rows=400, seed=seed, first_day=date(2027, 1, 4), pace=BUSY)
    _, truths = live_days(life, 13)
    assert max(len(t.happenings) for t in truths) < 40
    assert not any(
        "company" in h.fields and not h.is_cosmetic for t in truths for h in t.happenings
    )


def test_everything_that_can_happen_happens_in_a_busy_year():
    _, truths = live_days(Life(n_rows=1_000, seed=5, pace=BUSY), 366)
    happenings = [h for t in truths for h in t.happenings]
    reasons = {(h.kind, h.reason) for h in happenings}
    assert reasons == {
        ("NEW", ""),
        ("MODIFIED", ""),
        ("MODIFIED", "delisted"),
        ("WITHDRAWN", "status"),
        ("WITHDRAWN", "missing"),
        ("REAPPEARED", "restored"),
        ("REAPPEARED", "returned"),
    }
    assert any(h.is_cosmetic for h in happenings)
    assert any(h.reason == "status" and "changed_on" in h.fields for h in happenings)
    assert max(t.counts["NEW"] for t in truths) >= 30  # a burst
    assert {h.fields for h in happenings} >= {("company",), ("maker_addresses",), ("report_year",)}


def test_the_default_life_shows_every_ordinary_change_on_its_first_days():
    life = Life()
    assert (len(life.rows), life.day) == (12_000, date(2026, 11, 30))
    _, truths = live_days(life, 14)
    first = truths[0].counts, truths[1].counts
    for kind in ("NEW", "MODIFIED", "WITHDRAWN"):
        assert all(counts[kind] for counts in first)
    assert all(t.counts["COSMETIC"] == 0 for t in truths[:13])
    assert max(len(t.happenings) for t in truths) < 30


def test_a_blank_target_that_was_not_filled_in_time_stays_blank():
    row = replace(A, registered_on="2026-11-19", target="")
    office = Office([row], random.Random(1), FIRST, Pace())
    for day in range(1, 30):
        office.live_day(date(2026, 12, day))
    assert [r.target for r in office.list_rows() if r.reg_no == row.reg_no] == [""]


def test_the_same_seed_lives_the_same_life():
    lives = [live_days(Life(n_rows=300, seed=9), 40) for _ in range(2)]
    assert lives[0] == lives[1]
    assert live_days(Life(n_rows=300, seed=8), 40)[1] != lives[0][1]


# --- the ledger, day by day ----------------------------------------------------------------------

FIRST = date(2026, 11, 30)
A, B = grow_register(2, 1, FIRST)
LIVE = replace(A, status="정상", withdrawn_on="")
GONE = replace(A, status="취하", withdrawn_on="2026-01-02")


def record(*lists: list[ListRow]) -> list[tuple[tuple[Happening, ...], tuple[str, ...]]]:
    """Return happenings and missing keys of each list after the first."""
    ledger = Ledger(lists[0])
    truths = [ledger.record_day(FIRST, rows) for rows in lists[1:]]
    return [(truth.happenings, truth.missing) for truth in truths]


def test_a_vanished_row_is_withdrawn_on_the_fourth_read_without_it():
    days = record([LIVE, B], [B], [B], [B], [B], [B])
    assert days[:3] == [((), (A.reg_no,))] * 3
    assert days[3:] == [((Happening("WITHDRAWN", A.reg_no, (), "missing"),), ()), ((), ())]


def test_a_withdrawn_row_that_vanishes_is_delisted():
    days = record([GONE, B], [B], [B], [B], [B])
    assert days[3] == ((Happening("MODIFIED", A.reg_no, (), "delisted"),), ())


def test_a_row_that_is_back_before_the_fourth_read_brings_nothing_but_its_changes():
    changed = replace(LIVE, changed_on="2026-12-03")
    assert record([LIVE, B], [B], [B], [B], [LIVE, B])[3] == ((), ())
    assert record([LIVE, B], [B], [changed, B])[1] == (
        (Happening("MODIFIED", A.reg_no, ("changed_on",)),),
        (),
    )


def test_missed_reads_are_counted_in_a_row_only():
    days = record([LIVE, B], [B], [B], [B], [LIVE, B], [B], [B], [B], [B])
    assert [len(happenings) for happenings, _ in days] == [0, 0, 0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize("row", [LIVE, GONE])
def test_a_closed_row_that_returns_reappears(row):
    days = record([row, B], [B], [B], [B], [B], [row, B], [row, B])
    assert days[4] == ((Happening("REAPPEARED", A.reg_no, (), "returned"),), ())
    assert days[5] == ((), ())


def test_a_withdrawal_keeps_the_other_changes_of_its_day():
    after = replace(LIVE, status="취소", withdrawn_on="2026-12-01", company="다른제약(주)")
    (day,) = record([LIVE], [after])
    fields = ("company", "status", "withdrawn_on")
    assert day[0] == (Happening("WITHDRAWN", A.reg_no, fields, "status"),)


def test_a_status_that_goes_back_to_normal_is_restored():
    (day,) = record([GONE], [LIVE])
    assert day[0] == (Happening("REAPPEARED", A.reg_no, ("status", "withdrawn_on"), "restored"),)


def test_one_word_of_withdrawal_for_the_other_is_a_modification():
    (day,) = record([GONE], [replace(GONE, status="취소")])
    assert day[0] == (Happening("MODIFIED", A.reg_no, ("status",)),)


def test_a_row_first_seen_as_withdrawn_is_new():
    (day,) = record([B], [GONE, B])
    assert day[0] == (Happening("NEW", A.reg_no),)


@pytest.mark.parametrize(
    ("before", "after", "is_cosmetic"),
    [
        ("㈜가람", "(주)가람", True),
        ("주식회사 가람", "(주)가람", True),
        ("A B", "A  B", True),
        ("가람 (주)", "가람(주)", True),
        ("A B", "AB", False),
        ("(주)가람", "(주)가림", False),
    ],
)
def test_a_change_of_form_alone_is_cosmetic(before, after, is_cosmetic):
    (day,) = record([replace(LIVE, company=before)], [replace(LIVE, company=after)])
    assert [h.is_cosmetic for h in day[0]] == [is_cosmetic]
