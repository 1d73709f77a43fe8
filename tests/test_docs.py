"""The documents say what the program does: everything that has a name occurs where people look.

Nothing here judges how a page reads. It finds what a page forgot: a command, an error code, a table
column, a file of the package.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from dmf_crawler import settings
from dmf_crawler.acquire.raw_index import AnswerLine, FailureLine
from dmf_crawler.cli.commands import COMMANDS, LATER
from dmf_crawler.extract import page_file, selectors_file
from dmf_crawler.model.change import EventType, Grade, Reason
from dmf_crawler.model.record import FieldKind
from dmf_crawler.model.run import RunStatus
from dmf_crawler.model.verdict import GATE_NAMES, Outcome
from dmf_crawler.persist.verification import PROOFS
from dmf_crawler.publish.report import changes, log, records, reviews
from dmf_crawler.publish.report.page_notes import REVIEW_SHEET
from tests.error_codes import find_codes
from tests.pages import PACKAGE, read

FOLDERS_WITH_README = (
    ".", "config", "docs", "docs/ko", "logs", "prompts", "raw", "reports", "scripts", "selectors",
    "src", "tests", "var",
)  # fmt: skip
CONTRACT_EXIT_CODES = range(9)


def find_absent(names: Iterable[str], page: str) -> list[str]:
    """Return the names that a page does not have as `code`."""
    text = read(page)
    spans = set(re.findall(r"`([^`\n]+)`", text))
    return sorted(name for name in names if name not in spans)


# --- what the program can say ------------------------------------------------------------------


CODES = find_codes()


@pytest.mark.parametrize(
    "code",
    [
        "not_available",  # an exception with code and message
        "missing_column",  # a fault of a page
        "login_page",  # a function of its own makes it
        "many_withdrawals",  # a gate's reason
        "contact_missing",  # a finding in the configuration
        "invalid_value",  # its default
        "duplicate_key",  # a keyword
        "killed",  # a constant as default
        "bug",  # a pair that a command answers
        "rehearsal_differs",  # such a pair behind a condition
        "dns_error",  # a failure of the network
        "superseded",  # a statement that writes it into the history
    ],
)
def test_the_search_for_codes_finds_each_way_of_giving_one(code):
    assert code in CODES


def test_every_error_code_is_explained_to_operators():
    """The page has each code at the beginning of a table row, and none that is gone."""
    section = read("docs/operations.md").partition("\n## Error codes\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([a-z_]+)` \|", section, re.MULTILINE)
    assert sorted(CODES.keys() - set(rows)) == []
    assert sorted(set(rows) - CODES.keys()) == []
    assert len(rows) == len(set(rows))


def test_every_error_code_is_explained_in_korean():
    assert find_absent(CODES, "docs/ko/operator.md") == []


@pytest.mark.parametrize("page", ["docs/operations.md", "docs/ko/operator.md"])
def test_every_exit_code_of_the_contract_has_a_row(page):
    rows = re.findall(r"^\| (\d) \|", read(page), re.MULTILINE)
    assert rows == [str(code) for code in CONTRACT_EXIT_CODES]


def test_every_gate_is_explained():
    for page in ("docs/operations.md", "docs/ko/analyst.md"):
        assert find_absent(GATE_NAMES, page) == []


def test_every_proof_of_verify_is_explained():
    names = [name for name, _ in PROOFS] + ["raw_digests"]
    assert find_absent(names, "docs/operations.md") == []


# --- commands ----------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["README.md", "docs/ko/operator.md"])
def test_every_command_has_a_row_and_every_coming_one_is_named_as_coming(page):
    rows = set(re.findall(r"^\| `([a-z-]+)", read(page), re.MULTILINE))
    assert rows >= {command.name for command in COMMANDS}
    assert not rows & LATER
    if page == "README.md":
        assert find_absent(LATER, page) == []


def test_the_readme_starts_with_the_way_to_korean_and_has_the_two_commands():
    text = read("README.md")
    assert "docs/ko/README.md" in text[:400]
    assert "python scripts/bootstrap.py rehearse" in text
    assert "python scripts/bootstrap.py test" in text


def test_the_gate_calls_a_command_of_the_readme():
    called = re.findall(r"python3? (scripts/bootstrap\.py \w+)", read(".ci/run"))
    assert called
    for command in called:
        assert f"python {command}" in read("README.md")


# --- data, selectors, report -------------------------------------------------------------------


def test_every_status_event_reason_grade_and_outcome_is_explained():
    kinds = (RunStatus, EventType, Reason, Grade, FieldKind, Outcome)
    values = [str(value) for kind in kinds for value in kind]
    assert find_absent(values, "docs/data_model.md") == []


def test_every_table_view_and_column_of_the_history_is_explained():
    scripts = sorted((PACKAGE / "persist").glob("*.sql"))
    sql = re.sub(r"--[^\n]*", "", "".join(path.read_text(encoding="utf-8") for path in scripts))
    page = read("docs/data_model.md")
    sections = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL))
    for name, body in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\) STRICT;", sql, re.DOTALL):
        columns = re.findall(r"^ {4}([a-z]\w*) ", body, re.MULTILINE)
        assert columns
        explained = set(re.findall(r"`(\w+)`", sections.get(name, "")))
        assert sorted(set(columns) - explained) == [], name
    views = re.findall(r"CREATE VIEW (\w+)", sql)
    assert find_absent(views, "docs/data_model.md") == []


def test_every_key_of_the_raw_index_is_explained():
    names = set(AnswerLine.__struct_fields__) | set(FailureLine.__struct_fields__)
    assert find_absent(names, "docs/data_model.md") == []


def find_structs() -> list[type[msgspec.Struct]]:
    return [
        kind
        for kind in (*vars(selectors_file).values(), *vars(page_file).values())
        if isinstance(kind, type)
        and issubclass(kind, msgspec.Struct)
        and kind.__module__ in {selectors_file.__name__, page_file.__name__}
    ]


def test_every_setting_is_explained():
    kinds = [
        kind
        for kind in vars(settings).values()
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    ]
    names = {name for kind in kinds for name in kind.__struct_fields__}
    assert "min_delay_s" in names
    spans = re.findall(r"`([^`\n]+)`", read("docs/configuration.md"))
    text = " ".join(spans) + " ".join(re.findall(r"^#+ (.*)$", read("docs/configuration.md"), re.M))
    assert sorted(name for name in names if not re.search(rf"\b{name}\b", text)) == []


def test_the_kinds_of_entries_of_a_selectors_file_are_found():
    assert {kind.__name__ for kind in find_structs()} >= {
        "SelectorsFile",
        "RowSelector",
        "PageFile",
        "PageField",
    }


@pytest.mark.parametrize("kind", find_structs(), ids=lambda kind: kind.__name__)
def test_every_key_of_a_selectors_file_is_explained(kind: Any):
    spans = re.findall(r"`([^`\n]+)`", read("docs/selectors.md"))
    known = {name for span in spans for name in re.split(r"[.<>\[\]]+", span)}
    assert sorted(set(kind.__struct_fields__) - known) == []


def test_the_classes_that_hide_text_are_listed():
    assert find_absent(selectors_file.UNSEEN, "docs/selectors.md") == []


def test_every_strategy_is_explained():
    strategies: tuple[str, ...] = selectors_file.Strategy.__args__  # type: ignore[attr-defined]
    assert find_absent(strategies, "docs/selectors.md") == []


def test_every_fault_of_a_page_is_explained_beside_the_selectors():
    faults = {code for code, path in CODES.items() if "/extract/" in path}
    assert len(faults) > 15
    assert find_absent(faults, "docs/selectors.md") == []


def test_every_sheet_and_every_column_of_ours_is_explained():
    sheets = ["요약", "신규", "변경", "취하", "전체현황", "이력", "실행로그"]
    source = read("src/dmf_crawler/publish/report/workbook.py")
    assert [name for name in sheets if f'"{name}"' not in source] == ["전체현황"]
    columns = (
        *changes.RETURN_COLUMNS, *changes.CHANGE_COLUMNS, *changes.WITHDRAWAL_COLUMNS,
        *changes.MISSING_COLUMNS, *log.HISTORY_COLUMNS, *log.RUN_COLUMNS, *records.OWN_COLUMNS,
        *reviews.REVIEW_COLUMNS, log.PAGE_COLUMN, REVIEW_SHEET,
    )  # fmt: skip
    text = read("docs/report.md")
    assert [name for name in (*sheets, *columns) if name not in text] == []
    pages = read("docs/ko/analyst.md")
    assert [name for name in (*sheets, REVIEW_SHEET) if name not in pages] == []


# --- structure ---------------------------------------------------------------------------------


def find_tree_lines() -> list[tuple[str, str]]:
    """Return path below the package and description, of every line of the page's tree."""
    block = re.search(
        r"```text\nsrc/dmf_crawler/\n(.*?)```", read("docs/architecture.md"), re.DOTALL
    )
    assert block
    found, parents = [], [""]
    for line in block[1].splitlines():
        indent, name, about = re.fullmatch(r"( +)(\S+) *(.*)", line).groups()  # type: ignore[union-attr]
        depth = len(indent) // 2
        parents = [*parents[:depth], parents[depth - 1] + name]
        found.append((parents[-1], about))
    return found


def test_the_tree_in_the_architecture_page_is_the_package():
    on_disk = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }
    in_tree = [name for name, _ in find_tree_lines() if not name.endswith("/")]
    assert sorted(set(in_tree) - on_disk) == []
    assert sorted(on_disk - set(in_tree)) == []
    assert len(in_tree) == len(set(in_tree))


def test_every_file_in_the_tree_has_a_line():
    assert [name for name, about in find_tree_lines() if len(about) < 10] == []


def test_the_numbered_way_names_functions_that_exist():
    way = (
        read("docs/architecture.md")
        .partition("\n## The way of one record")[2]
        .partition("\n## ")[0]
    )
    named = re.findall(r"`(\w+(?:/\w+)*\.py)`: ((?:`[\w.]+`(?:, )?)+)", way)
    assert len(named) >= 12
    for path, functions in named:
        source = read(f"src/dmf_crawler/{path}")
        for function in re.findall(r"`([\w.]+)`", functions):
            name = function.rpartition(".")[2]
            assert re.search(rf"^ *(?:def|class) {name}\b", source, re.MULTILINE), (path, name)


@pytest.mark.parametrize("folder", FOLDERS_WITH_README)
def test_every_folder_says_what_it_is_for(folder):
    assert len(read(f"{folder}/README.md")) > 80


def test_every_dependency_is_justified():
    project = tomllib.loads(read("pyproject.toml"))
    groups = project["dependency-groups"]
    lines = [*project["project"]["dependencies"], *groups["dev"], *groups["build"]]
    names = {re.split(r"[\s<>=!~;\[]", line)[0] for line in lines}
    assert "requests" in names
    rows = set(re.findall(r"^\| `([\w.-]+)` \|", read("docs/decisions.md"), re.MULTILINE))
    assert sorted(names ^ rows) == []


def test_every_changelog_entry_says_whether_kept_pages_must_be_parsed_again():
    entries = re.split(r"^- ", read("CHANGELOG.md"), flags=re.MULTILINE)[1:]
    assert entries
    for entry in entries:
        text = " ".join(re.split(r"\n\s*\n|\n#", entry)[0].split())
        assert re.search(r"Re-parse needed: (?:yes|no)$", text), text[:60]


def test_every_cited_standard_and_paper_is_in_the_references():
    sources = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.sql")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    cited = set(re.findall(r"\bRFC \d+", text))
    cited |= set(re.findall(r"\b(?!Python|Windows)[A-Z][a-z]+ (?:19|20)\d\d\b", text))
    cited |= {
        name for name in ("WHATWG", "Kimball", "Heritrix", "Scrapy", "Google") if name in text
    }
    assert "RFC 9309" in cited
    assert sorted(name for name in cited if name not in read("docs/references.md")) == []
