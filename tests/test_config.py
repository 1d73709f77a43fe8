"""The configuration of a home folder: what is accepted, what is refused, and how it is said."""

from __future__ import annotations

import re
import shutil
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dmf_crawler.board_checks import is_loopback
from dmf_crawler.boards import (
    Board,
    Boards,
    CrossCheckRules,
    DetailSource,
    ExportSource,
    HtmlSource,
    OpenApiSource,
    Site,
    WatchedPage,
)
from dmf_crawler.config import load_home, shipped_home
from dmf_crawler.document import parse_document
from dmf_crawler.document_checks import convert_document, find_faults
from dmf_crawler.errors import ConfigError
from dmf_crawler.settings import (
    Budget,
    GateLimits,
    HistoryRules,
    Http,
    Identity,
    PageRules,
    Paths,
    Politeness,
    ReportRules,
    Retention,
    Settings,
    TermsRules,
)
from dmf_crawler.workbench.rehearse import make_home

ROOT = Path(__file__).parents[1]
REAL = "https://nedrug.mfds.go.kr"
LOOPBACK = "http://127.0.0.1:8765"
SHIPPED: dict[str, type[Settings] | type[Boards]] = {"settings": Settings, "boards": Boards}
SHIPPED_TEXT = {
    name: (ROOT / f"config/{name}.yaml").read_text(encoding="utf-8") for name in SHIPPED
}

SETTINGS_SECTIONS: dict[str, type[msgspec.Struct]] = {
    "identity": Identity,
    "politeness": Politeness,
    "http": Http,
    "budget": Budget,
    "retention": Retention,
    "gates": GateLimits,
    "history": HistoryRules,
    "pages": PageRules,
    "terms": TermsRules,
    "report": ReportRules,
    "paths": Paths,
}
SECTIONS: dict[str, type[msgspec.Struct]] = {
    **SETTINGS_SECTIONS,
    "sites": Site,
    "boards": Board,
    "cross_check_rules": CrossCheckRules,
    "html": HtmlSource,
    "export": ExportSource,
    "openapi": OpenApiSource,
    "details": DetailSource,
    "page": WatchedPage,
}


@pytest.fixture(scope="module")
def rehearsal_home(tmp_path_factory) -> Path:
    """The shipped home with host and delay replaced as the rehearsal does."""
    root: Path = tmp_path_factory.mktemp("homes") / "home"
    make_home(root, LOOPBACK)
    return root


@pytest.fixture
def home(rehearsal_home: Path, tmp_path: Path) -> Path:
    root = tmp_path / "home"
    shutil.copytree(rehearsal_home, root)
    return root


def edit(root: Path, file: str, *changes: tuple[str, str]) -> None:
    path = root / f"config/{file}.yaml"
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def refusal(root: Path) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load_home(root)
    assert caught.value.exit_code == 2
    return caught.value


def make_real(root: Path) -> None:
    """Let the home watch a real server as it should be watched."""
    edit(
        root, "boards", (LOOPBACK, REAL), ("terms_checked_on: null", "terms_checked_on: 2026-12-01")
    )
    edit(
        root,
        "settings",
        ("min_delay_s: 0.0", "min_delay_s: 2.0"),
        ('contact: ""', "contact: ra@example.co.kr"),
    )


# --- what ships --------------------------------------------------------------------------------


def test_shipped_boards_hold_the_site_exactly_once_without_a_final_slash():
    text = SHIPPED_TEXT["boards"]
    assert text.count(REAL) == 1
    assert f"{REAL}/" not in text


def test_shipped_delay_stands_on_a_line_of_its_own():
    assert [line.strip() for line in SHIPPED_TEXT["settings"].splitlines()].count(
        "min_delay_s: 2.0"
    ) == 1


def test_shipped_home_is_refused_until_terms_and_contact_are_filled_in(home):
    edit(home, "boards", (LOOPBACK, REAL))
    edit(home, "settings", ("min_delay_s: 0.0", "min_delay_s: 2.0"))
    error = refusal(home)
    assert error.code == "terms_not_checked"
    assert "sites.nedrug.terms_checked_on" in error.message
    assert "identity.contact" in error.message
    edit(home, "boards", ("terms_checked_on: null", "terms_checked_on: 2026-12-01"))
    assert refusal(home).code == "contact_missing"
    edit(home, "settings", ('contact: ""', "contact: ra@example.co.kr"))
    assert load_home(home).settings.politeness.min_delay_s == 2.0


def test_shipped_home_loads_once_host_and_delay_are_replaced(home):
    loaded = load_home(home)
    ids = ["dmf_registry", "mfds_notice", "nedrug_terms"]
    assert [board.id for board in loaded.enabled_boards] == ids
    assert [board.id for board in loaded.list_boards] == ids[:2]
    assert [board.id for board in loaded.page_boards] == ids[2:]
    assert {loaded.site_of(board).base_url for board in loaded.boards} == {LOOPBACK}
    assert set(loaded.selectors) == set(ids)
    assert loaded.root.is_absolute()
    assert {loaded.database, loaded.lock, loaded.raw, loaded.logs, loaded.reports} == {
        loaded.root / path for path in ("var/dmf.sqlite3", "var/run.lock", "raw", "logs", "reports")
    }


def test_shipped_home_is_the_repository_in_a_checkout():
    assert shipped_home() == ROOT


def test_shipped_settings_list_every_key_with_its_default():
    written = yaml.safe_load(SHIPPED_TEXT["settings"])
    assert written == msgspec.json.decode(msgspec.json.encode(Settings()))


def test_shipped_boards_list_every_key():
    written = parse_document(SHIPPED_TEXT["boards"].encode("utf-8"), "x").value
    register, notices, terms = written["boards"]
    for board in (register, notices):
        assert set(board["html"]) == set(HtmlSource.__struct_fields__)
        assert set(board) == set(Board.__struct_fields__)
        assert set(board["cross_check_rules"]) == set(CrossCheckRules.__struct_fields__)
        assert msgspec.convert(board["cross_check_rules"], CrossCheckRules) == CrossCheckRules()
    assert register["details"] is None
    assert set(register["export"]) == set(ExportSource.__struct_fields__)
    assert set(register["openapi"]) == set(OpenApiSource.__struct_fields__)
    assert set(notices["details"]) == set(DetailSource.__struct_fields__)
    assert set(terms) == {"id", "name_ko", "site", "kind", "enabled", "page"}  # no source
    assert set(terms["page"]) == set(WatchedPage.__struct_fields__)
    for site in ("nedrug", "data_go_kr"):
        assert set(written["sites"][site]) == set(Site.__struct_fields__)


# --- every single change of the shipped files ---------------------------------------------------


def walk(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every key of a mapping at any depth."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        if isinstance(key, str):
            yield (*path, key)
        if isinstance(inner, dict | list):
            yield from walk(inner, (*path, key))


def shipped_value(name: str) -> Any:
    return parse_document(SHIPPED_TEXT[name].encode("utf-8"), name).value


KEYS = [(name, path) for name in SHIPPED for path in walk(shipped_value(name))]
FREE_NAMES = {
    ("sites", "nedrug"),
    ("sites", "data_go_kr"),
    ("boards", 0, "openapi", "params", "type"),
}


DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def change(name: str, path: tuple[str | int, ...], edit_parent: Any) -> tuple[bytes, Any]:
    """Return the shipped file with one key changed, as YAML and as a value."""
    value = shipped_value(name)
    parent = value
    for key in path[:-1]:
        parent = parent[key]
    edit_parent(parent, path[-1])
    if name == "settings":  # nothing else of it is needed
        value = {key: inner for key, inner in value.items() if key.startswith(str(path[0]))}
    text = yaml.dump(value, Dumper=DUMPER, allow_unicode=True, sort_keys=False)
    return text.encode("utf-8"), value


def sentences(name: str, data: bytes) -> list[str]:
    """Return what is said of a file, [] where it is accepted."""
    try:
        kind: type[Any] = SHIPPED[name]
        convert_document(parse_document(data, f"config/{name}.yaml"), kind)
    except ConfigError as error:
        return error.message.splitlines()
    return []


def line_of(data: bytes, path: tuple[str | int, ...]) -> int:
    return parse_document(data, "x").lines[path]


def dotted(path: tuple[str | int, ...]) -> str:
    return ".".join(map(str, path))


@pytest.mark.parametrize(
    ("name", "path"),
    [key for key in KEYS if key[1] not in FREE_NAMES],
)
def test_renamed_key_is_named_with_its_line(name, path):
    def rename(parent: dict[str, Any], key: str) -> None:
        items = [(f"{each}_" if each == key else each, inner) for each, inner in parent.items()]
        parent.clear()
        parent.update(items)

    data, _ = change(name, path, rename)
    renamed = (*path[:-1], f"{path[-1]}_")
    found = sentences(name, data)
    assert any(
        sentence.startswith(
            f"config/{name}.yaml {line_of(data, renamed)}행: {dotted(renamed)}: 찾은 값 모르는 키"
        )
        for sentence in found
    ), found


@pytest.mark.parametrize(("name", "path"), KEYS)
def test_deleted_key_has_its_default_or_is_named(name, path):
    data, value = change(name, path, lambda parent, key: parent.pop(key))
    found = sentences(name, data)
    if found:
        assert found == [found[0]]
        assert f": {dotted(path)}: 찾은 값 없음" in found[0]
        assert re.match(rf"config/{name}\.yaml \d+행: ", found[0])
    else:
        before = msgspec.to_builtins(msgspec.convert(shipped_value(name), SHIPPED[name]))
        after = msgspec.to_builtins(msgspec.convert(value, SHIPPED[name]))
        free = FREE_NAMES | {("boards", 0, "html", "page_size_fallbacks")}
        free |= {("boards", number, "html", "scope") for number in (0, 1)}
        free |= {("boards", number, "html") for number in (0, 1)}
        free |= {("boards", 0, source) for source in ("export", "openapi")}
        free |= {
            ("boards", 0, source, key)
            for source in ("export", "openapi")
            for key in ("scope", "site")
        }
        free |= {("boards", 1, "html", "page_size"), ("boards", 1, "enabled")}
        free |= {("boards", 1, "details", key) for key in ("file_scope", "drop_params")}
        free |= {("boards", 1, "details")}
        free |= {("boards", 2, key) for key in ("kind", "enabled", "page")}
        free |= {("boards", 2, "page", key) for key in ("scope", "is_terms")}
        assert before == after or path in free


@pytest.mark.parametrize(("name", "path"), KEYS)
def test_value_of_another_type_is_named_with_its_line(name, path):
    for wrong in ([["x"]], {"x": {"y": 1}}, 7, "\n", None, True, -1.5):
        data, value = change(
            name, path, lambda parent, key, wrong=wrong: parent.update({key: wrong})
        )
        is_right = not list(find_faults(value, SHIPPED[name]))
        found = sentences(name, data)
        assert bool(found) is not is_right, wrong
        lines = {dotted(key): line for key, line in parse_document(data, "x").lines.items()}
        for sentence in found:
            where, key, _ = sentence.split(": ", 2)
            assert key == dotted(path) or key.startswith(f"{dotted(path)}."), wrong
            known = key if key in lines else key.rpartition(".")[0]  # a missing one: its section
            assert where == f"config/{name}.yaml {lines[known]}행", wrong


# --- a valid mapping, written and read ----------------------------------------------------------

TEXTS = {
    "product_token": st.from_regex(r"\A[A-Za-z_-]{1,20}\Z"),
    "contact": st.sampled_from(["", "ra@example.co.kr", "a.b+c@x-y.example"]),
    "accept_language": st.from_regex(r"\A[!-~]([ -~]{0,20}[!-~])?\Z"),
    "accept": st.sampled_from(["*/*", "text/html, text/plain;q=0.5", "no", "12", "1e3", "~x"]),
    "proxy": st.sampled_from(["", "http://proxy:3128", "http://10.0.0.1:80", "http://[::1]:8080"]),
    "reports_dir": st.sampled_from(
        ["reports", "C:/보고서", "../out", "//server/share", "no", "10:30"]
    ),
    "forbidding": st.tuples(st.sampled_from(["크롤링.{0,9}금지", "no", "a|b", "#x: '\\d'"])),
    "excepted": st.sampled_from([(), ("전자우편",), ("[가-힣]+", "12")]),
}


def valid_value(field: msgspec.structs.FieldInfo) -> st.SearchStrategy[Any]:
    if field.name in TEXTS:
        return TEXTS[field.name]
    if field.type is bool:
        return st.booleans()
    if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
        inner = msgspec.structs.fields(field.type)
        return st.fixed_dictionaries({each.name: valid_value(each) for each in inner})
    bare, *marks = get_args(field.type)
    (mark,) = marks
    if bare is int:
        return st.integers(mark.ge, mark.le)
    least = 1 if mark.ge is None else int(mark.ge * 1000)
    most = int(mark.lt * 1000) - 1 if mark.le is None else int(mark.le * 1000)
    return st.integers(least, most).map(lambda n: n / 1000)


def valid_section(kind: type[msgspec.Struct]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {}, optional={each.name: valid_value(each) for each in msgspec.structs.fields(kind)}
    )


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # many keys to draw
@given(
    st.fixed_dictionaries(
        {}, optional={name: valid_section(kind) for name, kind in SETTINGS_SECTIONS.items()}
    )
)
def test_valid_settings_written_as_yaml_load_to_the_same_values(value):
    data = yaml.safe_dump(value, allow_unicode=True, sort_keys=False).encode("utf-8")
    settings = convert_document(parse_document(data, "config/settings.yaml"), Settings)
    assert settings == msgspec.convert(value, Settings)
    loaded = msgspec.to_builtins(settings)
    for section, keys in value.items():
        for key, each in keys.items():
            assert loaded[section][key] == each


# --- which server is real -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "base_url",
    [
        "http://127.0.0.1",
        "http://127.0.0.1:8000",
        "https://127.255.0.9:1",
        "http://localhost:8000",
        "http://[::1]",
        "http://[::1]:8000",
        "http://[0:0:0:0:0:0:0:1]:8000",
    ],
)
def test_loopback_is_recognised_and_needs_no_delay_terms_or_contact(home, base_url):
    assert is_loopback(base_url)
    edit(home, "boards", (LOOPBACK, base_url))
    assert load_home(home).settings.politeness.min_delay_s == 0.0


@pytest.mark.parametrize(
    "base_url",
    [
        "http://127.0.0.1.evil.com",
        "http://localhost.evil.com",
        "http://evil-localhost",
        "http://0x7f.1",
        "http://0x7f000001",
        "http://2130706433",
        "http://017700000001",
        "http://127.1",
        "http://127.0.0.01",
        "http://127.0.0.1.",
        "http://localhost.",
        "http://0.0.0.0",
        "http://10.0.0.1",
        "http://[2001:db8::1]",
        "http://[::]",
        REAL,
    ],
)
def test_other_spellings_count_as_real_servers(home, base_url):
    assert not is_loopback(base_url)
    edit(home, "boards", (LOOPBACK, base_url))
    error = refusal(home)
    assert {sentence.split(": ")[1] for sentence in error.message.splitlines()} == {
        "sites.nedrug.terms_checked_on",
        "politeness.min_delay_s",
        "identity.contact",
    }


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("vanished: {floor: 3,", "vanished: {floor: 11,", "gates.vanished.floor"),
        ("changed_rows: {floor: 0.05,", "changed_rows: {floor: 0.11,", "gates.changed_rows.floor"),
        ("rigid_ratio: 0.0005", "rigid_ratio: 0.02", "gates.rigid_ratio"),
        ("history_after: 30", "history_after: 251", "gates.history_after"),
    ],
)
def test_limits_that_contradict_each_other_are_refused(home, old, new, key):
    edit(home, "settings", (old, new))
    assert key in refusal(home).message


BROKEN = {
    "(": "정규식이 아닙니다",
    "(크롤링+)+금지": "너무 오래 걸릴 수 있습니다",
    "(?:금지)?": "빈 글과도 맞습니다",
}


@pytest.mark.parametrize("section", ["forbidding", "excepted"])
@pytest.mark.parametrize("pattern", BROKEN)
def test_a_pattern_of_terms_that_cannot_be_used_is_named_with_its_line(home, section, pattern):
    path = home / "config/settings.yaml"
    lines = path.read_text(encoding="utf-8").splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith(f"  {section}:"))
    lines.insert(at + 1, f"    - '{pattern}'")
    path.write_text("\n".join(lines), encoding="utf-8")
    message = refusal(home).message
    assert message.startswith(f"config/settings.yaml {at + 2}행: terms.{section}.0: 찾은 값 ")
    assert pattern in message
    assert BROKEN[pattern] in message


def test_further_patterns_of_terms_are_taken(home):
    edit(home, "settings", ("  excepted: ", "    - '자료를 퍼가지 마십시오'\n  excepted: "))
    assert load_home(home).settings.terms.forbidding[-1] == "자료를 퍼가지 마십시오"


def test_a_floor_may_be_the_cap(home):
    edit(home, "settings", ("vanished: {floor: 3,", "vanished: {floor: 10,"))
    assert load_home(home).settings.gates.vanished.floor == 10


@pytest.mark.parametrize(
    "base_url",
    [
        "http://127.0.0.1@evil.com",
        "http://evil.com@127.0.0.1",
        "http://user:word@127.0.0.1:80",
        "http://evil.com\\@127.0.0.1",
        "http://127.0.0.1\\.evil.com",
        "http://127.0.0.1#.evil.com",
        "http://127.0.0.1?x",
        "http://127.0.0.1/",
        "http://127.0.0.1 evil.com",
        "http://127.0.0.1\n",
        "http://127.0.0.1\r\nHost: evil.com",
        "http://127.0.0.1:80:90",
        "http://127.0.0.1:",
        "http://127.0.0.1:port",
        "http://127.0.0.1:65536",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:0",
        "http://127.0.0.1:-1",
        "http://127.0.0.1:８０",
        "http://[::1",
        "http://::1]",
        "http://[::1]evil.com",
        "http://[::1.evil.com]",
        "http://[1:2]",
        "http://[127.0.0.1]",
        "http://[::1%25eth0]",
        "http://",
        "http://.",
        "http://a..b",
        "http:127.0.0.1",
        "//127.0.0.1",
        "127.0.0.1",
        "ftp://127.0.0.1",
        "HTTP://127.0.0.1",
        "file:///etc",
        "http://１２７.0.0.1",
        "http://localhost。evil.com",
        "",
    ],
)
def test_address_that_two_readers_may_understand_differently_is_refused(home, base_url):
    value = shipped_value("boards")
    value["sites"]["nedrug"]["base_url"] = base_url
    (home / "config/boards.yaml").write_text(
        yaml.safe_dump(value, allow_unicode=True), encoding="utf-8"
    )
    error = refusal(home)
    assert error.code == "invalid_value"
    assert "sites.nedrug.base_url: " in error.message


@pytest.mark.parametrize("address", ["http://[::1", "http://[::1]evil.com", "http://[x]", ""])
def test_broken_address_is_never_loopback(address):
    assert not is_loopback(address)


@pytest.mark.parametrize("delay", ["0", "0.0", "1.99", "1.999999"])
def test_short_delay_is_refused_on_a_real_server(home, delay):
    make_real(home)
    edit(home, "settings", ("min_delay_s: 2.0", f"min_delay_s: {delay}"))
    error = refusal(home)
    line = next(
        number
        for number, text in enumerate(
            (home / "config/settings.yaml").read_text(encoding="utf-8").splitlines(), 1
        )
        if "min_delay_s" in text
    )
    assert error.message.startswith(
        f"config/settings.yaml {line}행: politeness.min_delay_s: 찾은 값 {float(delay):g}, "
        "필요한 값 2 이상. "
    )
    assert REAL in error.message


def third_board(root: Path, *, site: str, board: str = "other", more: str = "") -> None:
    path = root / "config/boards.yaml"
    text = path.read_text(encoding="utf-8")
    head, tail = text.split("\nboards:\n")
    path.write_text(
        f"{head}{site}\nboards:\n{tail}\n  - id: {board}\n    name_ko: 다른 목록\n"
        f"    html: {{path: /x}}\n{more}",
        encoding="utf-8",
    )


REAL_SITE = "\n  other:\n    base_url: https://other.go.kr\n    public_body: true\n"


def test_one_real_server_among_the_enabled_boards_rules_for_all(home):
    third_board(home, site=REAL_SITE, more="    site: other\n")
    assert "politeness.min_delay_s" in refusal(home).message


def test_disabled_board_on_a_real_server_does_not_slow_a_rehearsal(home):
    third_board(home, site=REAL_SITE, more="    site: other\n    enabled: false\n")
    loaded = load_home(home)
    assert "other" not in {board.id for board in loaded.enabled_boards}
    assert len(loaded.boards) == 4
    assert "other" not in loaded.selectors


def test_home_without_an_enabled_board_loads(home):
    edit(
        home,
        "boards",
        ("enabled: true", "enabled: false"),
        ("enabled: rehearsal", "enabled: false"),
    )
    assert load_home(home).enabled_boards == ()


# --- boards that are whole pages -----------------------------------------------------------------


def test_a_page_board_needs_its_page(home):
    edit(home, "boards", ("    kind: page\n", "    kind: page\n    name: x\n"))
    page = (home / "config/boards.yaml").read_text(encoding="utf-8").partition("    name: x\n")
    kept = page[0] + page[2].partition("    page:\n")[0]
    (home / "config/boards.yaml").write_text(kept, encoding="utf-8")
    error = refusal(home)
    assert error.code == "missing_key"
    assert "boards.2.page: 찾은 값 없음" in error.message


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("html", "{path: /x}"),
        ("export", "{path: /x}"),
        ("openapi", "{path: /x}"),
        ("details", "{scope: [/x]}"),
        ("primary", "export"),
        ("cross_checks", "[openapi]"),
    ],
)
def test_a_page_board_has_no_source(home, key, value):
    edit(home, "boards", ("    kind: page\n", f"    kind: page\n    {key}: {value}\n"))
    assert f"boards.2.{key}: 찾은 값" in refusal(home).message


def test_a_list_board_has_no_page(home):
    page = "page: {path: /cmn/terms}\n\n  # Notices"
    edit(home, "boards", ("page: null\n\n  # Notices", page))
    assert "boards.0.page: 찾은 값 있음" in refusal(home).message


def test_the_site_of_a_page_board_is_held_to_the_same_rules(home):
    edit(
        home,
        "boards",
        ("enabled: true", "enabled: false"),
        ("site: nedrug\n    kind: page\n    enabled: rehearsal", f"{REAL_PAGE}"),
        ("sites:\n", f"sites:\n  other: {{base_url: {REAL}, public_body: true}}\n"),
    )
    message = refusal(home).message
    assert "sites.other.terms_checked_on" in message
    assert "politeness.min_delay_s" in message


REAL_PAGE = "site: other\n    kind: page\n    enabled: true"


# --- boards that only a rehearsal reads ---------------------------------------------------------


def test_rehearsal_board_is_disabled_on_a_real_server_and_its_selectors_are_not_read(home):
    make_real(home)
    (home / "selectors/mfds_notice.yaml").unlink()
    loaded = load_home(home)
    assert [board.id for board in loaded.enabled_boards] == ["dmf_registry"]
    assert [board.id for board in loaded.boards][:2] == ["dmf_registry", "mfds_notice"]
    assert set(loaded.selectors) == {"dmf_registry"}


def test_rehearsal_board_on_loopback_needs_its_selectors(home):
    (home / "selectors/mfds_notice.yaml").unlink()
    assert "selectors/mfds_notice.yaml" in refusal(home).message


def test_rehearsal_board_on_a_real_server_asks_for_no_courtesy(home):
    third_board(home, site=REAL_SITE, more="    site: other\n    enabled: rehearsal\n")
    loaded = load_home(home)
    assert loaded.settings.politeness.min_delay_s == 0.0
    assert "other" not in loaded.selectors
    edit(home, "boards", ("    site: other\n    enabled: rehearsal", "    site: other"))
    assert "politeness.min_delay_s" in refusal(home).message


@pytest.mark.parametrize("board", ["mfds_notice", "dmf_registry"])
def test_rehearsal_board_obeys_all_other_rules_everywhere(home, board):
    make_real(home)
    edit(home, "boards", ("enabled: true", "enabled: rehearsal"), (f"id: {board}", "id: con"))
    assert ".id: 찾은 값 'con'" in refusal(home).message


@pytest.mark.parametrize("value", ["rehearse", "Rehearsal", "yes", "1", "null", '""', "[true]"])
def test_enabled_is_true_false_or_rehearsal(home, value):
    edit(home, "boards", ("enabled: rehearsal", f"enabled: {value}"))
    assert "boards.1.enabled: " in refusal(home).message


# --- rules between keys -------------------------------------------------------------------------


@pytest.mark.parametrize("day", ["2026-02-30", "2026-13-01", "0000-00-00", "9999-99-99"])
@pytest.mark.parametrize("enabled", ["true", "false"])
def test_day_that_no_calendar_has_is_refused(home, day, enabled):
    edit(home, "boards", ("enabled: true", f"enabled: {enabled}"))
    edit(home, "boards", ("terms_checked_on: null", f"terms_checked_on: {day}"))
    message = refusal(home).message
    assert f"sites.nedrug.terms_checked_on: 찾은 값 '{day}'" in message


@pytest.mark.parametrize("day", ["20261201", "2026-12-1", '"2026-12-01\\n"', "٢٠٢٦-12-01", "soon"])
def test_day_in_another_form_is_refused(home, day):
    edit(home, "boards", ("terms_checked_on: null", f"terms_checked_on: {day}"))
    assert "날짜(YYYY-MM-DD)" in refusal(home).message


def test_site_of_a_body_that_is_not_public_is_refused(home):
    edit(home, "boards", ("public_body: true", "public_body: false"))
    assert "sites.nedrug.public_body: 찾은 값 false, 필요한 값 true" in refusal(home).message


def test_duplicate_board_id_is_refused(home):
    third_board(home, site="", board="dmf_registry", more="    site: nedrug\n")
    message = refusal(home).message
    assert "boards.3.id: 찾은 값 'dmf_registry' 두 번" in message


def test_board_on_an_unknown_site_is_refused_with_the_known_ones(home):
    third_board(home, site="", more="    site: nowhere\n")
    message = refusal(home).message
    assert "boards.3.site: 찾은 값 'nowhere', 필요한 값 다음 중 하나: nedrug" in message


@pytest.mark.parametrize("name", ["con", "nul", "aux", "prn", "com1", "lpt9"])
def test_board_id_that_windows_gives_no_folder_is_refused(home, name):
    edit(home, "boards", ("id: dmf_registry", f"id: {name}"))
    assert "boards.0.id" in refusal(home).message


@pytest.mark.parametrize(
    "name", ["DMF", "1dmf", "dmf-registry", "../x", "a" * 41, "dmf registry", '"dmf\\n"', "원료"]
)
def test_board_id_that_is_no_plain_name_is_refused(home, name):
    edit(home, "boards", ("id: dmf_registry", f"id: {name}"))
    assert "boards.0.id" in refusal(home).message


def test_missing_selectors_file_is_named(home):
    (home / "selectors/dmf_registry.yaml").unlink()
    error = refusal(home)
    assert error.code == "missing_file"
    assert "selectors/dmf_registry.yaml" in error.message


@pytest.mark.parametrize("file", ["settings", "boards"])
def test_missing_configuration_file_is_named(home, file):
    (home / f"config/{file}.yaml").unlink()
    error = refusal(home)
    assert error.code == "missing_file"
    assert f"config/{file}.yaml" in error.message


def test_faults_of_both_files_are_named_together(home):
    edit(home, "settings", ("log_runs: 30", "log_runs: many"))
    edit(home, "boards", ("method: GET", "method: PUT"))
    message = refusal(home).message
    assert "report.log_runs" in message
    assert "boards.0.html.method" in message


def test_most_delay_under_the_least_is_refused(home):
    edit(home, "settings", ("min_delay_s: 0.0", "min_delay_s: 31.0"))
    assert "politeness.max_delay_s: 찾은 값 30, 필요한 값 min_delay_s(31) 이상" in (
        refusal(home).message
    )
    edit(home, "settings", ("max_delay_s: 30.0", "max_delay_s: 31.0"))
    assert load_home(home).settings.politeness.max_delay_s == 31.0


def test_one_parameter_cannot_carry_page_number_and_size(home):
    edit(home, "boards", ("size_param: limit", "size_param: page"))
    assert "boards.0.html.size_param" in refusal(home).message


def test_constant_parameter_cannot_be_the_page_number(home):
    edit(home, "boards", ("params: {}", "params: {page: '1'}"))
    assert "boards.0.html.params.page" in refusal(home).message


@pytest.mark.parametrize(
    "path",
    [
        *("x", "", "//evil.com/x", "/a b", "/a?b=1", "/a#b", "/a\\b", "/a\r\nX: y", "/a\n"),
        *("/..", "/.", "/a/../robots", "/a/%2e%2E/b", "/a/.%2e", "/a/./b", "/../", "/a\x00"),
    ],
)
@pytest.mark.parametrize(
    "key",
    [
        *("boards.0.html.path", "boards.0.html.scope", "boards.1.details.scope"),
        *("boards.1.details.file_scope", "sites.nedrug.blocked"),
    ],
)
def test_path_that_leads_elsewhere_is_refused(home, path, key):
    write_boards(home, key, path if key.endswith("path") else ["/ok", path])
    assert f"{key}: " in refusal(home).message.replace(".1: ", ": ")


def write_boards(root: Path, key: str, wanted: Any) -> None:
    """Write the shipped boards on loopback, one key of them changed."""
    value = shipped_value("boards")
    value["sites"]["nedrug"]["base_url"] = LOOPBACK
    parent = value
    *path, last = key.split(".")
    for part in path:
        parent = parent[int(part)] if part.isdigit() else parent[part]
    parent[last] = wanted
    (root / "config/boards.yaml").write_text(
        yaml.safe_dump(value, allow_unicode=True), encoding="utf-8"
    )


WORD_LISTS = ["boards.1.details.drop_params", "sites.nedrug.session_params"]


@pytest.mark.parametrize("name", ["a b", "a=b", "a&b", "a;b", "", "원료", "a\n", "a/b", "*"])
@pytest.mark.parametrize("key", WORD_LISTS)
def test_parameter_that_no_address_can_name_is_refused(home, key, name):
    write_boards(home, key, ["page", name])
    assert f"{key}.1: " in refusal(home).message


@pytest.mark.parametrize("key", WORD_LISTS)
def test_parameter_names_of_every_framework_are_accepted(home, key):
    write_boards(home, key, ["JSESSIONID", "search[type]", "a.b-c_d", "page2"])
    load_home(home)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("scope", None),
        ("scope", "/bbs/21"),
        ("file_scope", "/cmn"),
        ("params", {"a": 1}),
        ("params", ["a"]),
        ("max_requests", 0),
        ("max_requests", 1.5),
        ("max_file_bytes", 0),
        ("max_file_bytes", "20MB"),
    ],
)
def test_detail_setting_of_another_kind_is_refused(home, key, value):
    write_boards(home, f"boards.1.details.{key}", value)
    assert f": boards.1.details.{key}" in refusal(home).message


def test_detail_pages_need_a_scope_of_their_own(home):
    write_boards(home, "boards.1.details", {"max_requests": 5})
    assert "boards.1.details.scope: 찾은 값 없음" in refusal(home).message


def test_blocked_paths_and_patterns_are_kept_in_order(home):
    write_boards(home, "sites.nedrug.blocked", ["/admin", "/bbs/*/print$"])
    assert load_home(home).sites["nedrug"].blocked == ("/admin", "/bbs/*/print$")


@pytest.mark.parametrize(
    "path", ["/", "/pbp/CCBAC03/getList", "/a.b/..c/d..", "/%EC%9B%90", "/원료"]
)
def test_ordinary_path_is_accepted(home, path):
    edit(home, "boards", ("path: /pbp/CCBAC03/getList", f"path: {path}"))
    html = load_home(home).boards[0].html
    assert html is not None
    assert html.path == path


@pytest.mark.parametrize(
    ("folder", "is_accepted"),
    [
        ("reports", True),
        ("../보고서", True),
        ("C:/reports", True),
        ("//server/share/reports", True),
        ("D:reports", False),
        ("", False),
        ("a\nb", False),
        ("a\0", False),
    ],
)
def test_reports_folder_never_depends_on_the_current_one(home, folder, is_accepted):
    edit(home, "settings", ("reports_dir: reports", f"reports_dir: {yaml_text(folder)}"))
    if is_accepted:
        assert load_home(home).reports == home / folder
    else:
        assert "paths.reports_dir" in refusal(home).message


# --- header injection ---------------------------------------------------------------------------


def yaml_text(text: str) -> str:
    """Return a double-quoted YAML scalar with every character escaped."""
    return '"' + "".join(f"\\U{ord(sign):08x}" for sign in text) + '"'


INJECTIONS = [
    "x\r\nCookie: a=b",
    "x\nCookie: a=b",
    "x\r",
    "x\n",
    "x\0",
    "원료",
    "x\x7f",
    "x\u2028y",
]


@pytest.mark.parametrize("value", [*INJECTIONS, " x", "x ", "\tx", ""])
@pytest.mark.parametrize("key", ["accept", "accept_language"])
def test_header_value_that_is_no_single_ascii_line_is_refused(home, key, value):
    path = home / "config/settings.yaml"
    text = re.sub(
        rf"  {key}: .*", lambda _: f"  {key}: {yaml_text(value)}", path.read_text(encoding="utf-8")
    )
    path.write_text(text, encoding="utf-8")
    assert f"identity.{key}: " in refusal(home).message


@pytest.mark.parametrize(
    "value",
    [
        *(f"ra@example.co.kr{injection[1:]}" for injection in INJECTIONS if injection != "원료"),
        *("원료@example.co.kr", "ra@예.kr", "ra", "@x.y", "ra@x", "a@b@c.d", "ra@x.y) (evil"),
        *("a b@c.d", "ra@x.y,rb@x.y", "mailto:ra@x.y", "ra@x..y", " "),
    ],
)
def test_contact_that_is_no_single_address_is_refused_even_on_loopback(home, value):
    edit(home, "settings", ('contact: ""', f"contact: {yaml_text(value)}"))
    assert "identity.contact: " in refusal(home).message


@pytest.mark.parametrize(
    "value", ["DMF Crawler", "DMF/1", "DMF1", "", "원료", "a\n", "a\r\nX: y", "*"]
)
def test_product_token_outside_the_robots_grammar_is_refused(home, value):
    edit(home, "settings", ("product_token: DMF-Crawler", f"product_token: {yaml_text(value)}"))
    assert "identity.product_token: " in refusal(home).message


# --- the company's proxy ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "proxy",
    [
        *("https://proxy:3128", "proxy:3128", "http://proxy", "http://proxy:", "HTTP://proxy:80"),
        *("http://user:word@proxy:3128", "http://proxy:3128/", "http://proxy:3128/pac"),
        *("http://proxy:3128\n", "http://proxy:31\r\n28", "http://프록시:3128", "http://a..b:80"),
        *("http://proxy:123456", "socks5://proxy:1080", "http://[::1:80", "http://pr oxy:80", " "),
    ],
)
def test_proxy_that_is_no_plain_address_with_a_port_is_refused(home, proxy):
    edit(home, "settings", ('proxy: ""', f"proxy: {yaml_text(proxy)}"))
    message = refusal(home).message
    assert "http.proxy: " in message
    assert "user" not in message, "who logs in, and with which word, is nobody's business"


@pytest.mark.parametrize(
    "proxy", ["", "http://proxy:3128", "http://proxy.company.co.kr:80", "http://[fd00::1]:8080"]
)
def test_proxy_with_a_port_or_none_is_accepted(home, proxy):
    edit(home, "settings", ('proxy: ""', f"proxy: {yaml_text(proxy)}"))
    assert load_home(home).settings.http.proxy == proxy


@pytest.mark.parametrize("value", ["1", "yes", "null", '"true"'])
def test_preference_for_ipv4_is_true_or_false(home, value):
    edit(home, "settings", ("prefer_ipv4: false", f"prefer_ipv4: {value}"))
    assert "http.prefer_ipv4: " in refusal(home).message


# --- sources: the primary one and those that it is compared with ---------------------------------


def choose(root: Path, **keys: Any) -> None:
    """Write the shipped boards on loopback, keys of the register changed."""
    value = shipped_value("boards")
    for site in value["sites"].values():
        site["base_url"] = LOOPBACK
    value["boards"][0] |= keys
    (root / "config/boards.yaml").write_text(
        yaml.safe_dump(value, allow_unicode=True, sort_keys=False), encoding="utf-8"
    )


@pytest.mark.parametrize("primary", ["html", "export", "openapi"])
def test_any_source_may_be_primary_with_the_others_as_cross_checks(home, primary):
    others = [source for source in ("html", "export", "openapi") if source != primary]
    choose(home, primary=primary, cross_checks=others)
    board = load_home(home).boards[0]
    assert board.used_sources == (primary, *others)
    sites = {source: board.site_of(source) for source in board.used_sources}
    assert sites == {"html": "nedrug", "export": "nedrug", "openapi": "data_go_kr"}


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ({"cross_checks": ["html"]}, "boards.0.cross_checks.0"),
        ({"cross_checks": ["export", "export"]}, "boards.0.cross_checks.1"),
        ({"primary": "export", "export": None}, "boards.0.export"),
        ({"cross_checks": ["openapi"], "openapi": None}, "boards.0.openapi"),
        ({"html": None}, "boards.0.html"),
        ({"primary": "export", "details": {"scope": ["/x"]}}, "boards.0.details"),
        ({"primary": "xlsx"}, "boards.0.primary"),
        ({"cross_checks": "openapi"}, "boards.0.cross_checks"),
        ({"export": {"path": "/x", "site": "nowhere"}}, "boards.0.export.site"),
        *(
            ({"cross_check_rules": {key: value}}, f"boards.0.cross_check_rules.{key}")
            for key, value in (
                ("lag_days", -1),
                ("lag_days", 366),
                ("any_order", "yes"),
                ("ignored_fields", "company"),
                ("most_new", -1),
                ("when_missing", "pass"),
                ("lag", 7),
            )
        ),
        (
            {"cross_check_rules": {"ignored_fields": ["company", "status", "company"]}},
            "boards.0.cross_check_rules.ignored_fields.2",
        ),
    ],
)
def test_sources_that_cannot_be_used_together_are_named(home, keys, place):
    choose(home, **keys)
    message = refusal(home).message
    assert [line.split(": ")[1] for line in message.splitlines()] == [place]


@pytest.mark.parametrize(
    ("key", "value", "place"),
    [
        ("page_size", 501, "page_size"),
        ("page_size", 0, "page_size"),
        ("n_passes", 1, "n_passes"),
        ("max_passes", 1, "max_passes"),
        ("size_param", "pageNo", "size_param"),
        ("key_param", "pageNo", "key_param"),
        ("params", {"pageNo": "1"}, "params.pageNo"),
        ("lists_withdrawn", "no", "lists_withdrawn"),
    ],
)
def test_setting_of_the_open_api_that_cannot_be_is_named(home, key, value, place):
    choose(home, openapi=shipped_value("boards")["boards"][0]["openapi"] | {key: value})
    assert f": boards.0.openapi.{place}: " in refusal(home).message


@pytest.mark.parametrize(
    "name", ["", "KEY", "dmf_openapi_key", "PATH", "1_KEY", "A-KEY", "A_KEY\n", "원료_KEY", "HOME"]
)
def test_variable_of_the_key_is_named_like_one(home, name):
    choose(home, openapi={"path": "/x", "key_variable": name})
    assert ": boards.0.openapi.key_variable: " in refusal(home).message


@pytest.mark.parametrize(
    "keys",
    [{"key_variable": "s3cr3t+Key/in=the+wrong=place"}, {"params": {"serviceKey": "s3cr3t+Key"}}],
)
def test_a_key_that_was_written_into_the_file_is_not_repeated(home, keys):
    choose(home, openapi={"path": "/x"} | keys)
    message = refusal(home).message
    assert "표시하지 않음" in message
    assert "s3cr3t" not in message


def make_api_real(root: Path, base_url: str = "https://apis.data.go.kr", **keys: Any) -> None:
    """Let the open API alone lie on a real server."""
    choose(root, **keys)
    path = root / "config/boards.yaml"
    value = parse_document(path.read_bytes(), "x").value
    value["sites"]["data_go_kr"]["base_url"] = base_url
    path.write_text(yaml.safe_dump(value, allow_unicode=True, sort_keys=False), encoding="utf-8")


@pytest.mark.parametrize("keys", [{"primary": "openapi"}, {"cross_checks": ["openapi"]}])
def test_a_used_source_on_a_real_server_rules_like_a_board_on_one(home, keys):
    make_api_real(home, **keys)
    assert {sentence.split(": ")[1] for sentence in refusal(home).message.splitlines()} == {
        "sites.data_go_kr.terms_checked_on",
        "politeness.min_delay_s",
        "identity.contact",
    }


def test_a_home_whose_other_host_was_left_as_shipped_loads(home):
    """Whoever replaces the site's host and the delay by hand need not know of the open API."""
    value = shipped_value("boards")
    value["sites"]["nedrug"]["base_url"] = LOOPBACK
    (home / "config/boards.yaml").write_text(yaml.safe_dump(value), encoding="utf-8")
    assert load_home(home).sites["data_go_kr"].base_url == "https://apis.data.go.kr"


def test_a_source_that_nothing_uses_is_harmless(home):
    make_api_real(home)
    assert load_home(home).settings.politeness.min_delay_s == 0.0
    make_api_real(home, cross_checks=["openapi"], enabled=False)
    assert load_home(home).settings.politeness.min_delay_s == 0.0


def test_a_key_goes_over_no_connection_that_anybody_can_read(home):
    make_api_real(home, "http://apis.data.go.kr", cross_checks=["openapi"])
    assert "sites.data_go_kr.base_url: 찾은 값 'http://apis.data.go.kr'" in refusal(home).message


# --- numbers that would break what is computed from them ----------------------------------------


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("history_days: 90", "1000000000"),
        ("log_runs: 30", "99999999999999999999"),
        ("connect_timeout_s: 10.0", "99999999999.0"),
        ("read_timeout_s: 30.0", "0"),
        ("run_deadline_s: 1500.0", "0.0"),
        ("max_attempts: 3", "0"),
        ("max_attempts: 3", "5000"),
        ("backoff_factor: 2.0", "0.5"),
        ("requests_per_day: 500", "0"),
        ("missing_runs: 4", "0"),
        ("full_check_days: 7", "0"),
        ("full_check_days: 7", "8"),
        ("raw_days: 180", "30"),
        ("raw_days: 180", "36501"),
        ("log_days: 90", "6"),
        ("log_days: 90", "90.5"),
        ("min_delay_s: 0.0", "-1"),
        ("min_delay_s: 0.0", ".nan"),
        ("min_delay_s: 0.0", "1e-3"),
        ("gone_ratio: 0.10", "10"),
    ],
)
def test_number_out_of_its_range_is_refused(home, key, value):
    name = key.split(":")[0]
    edit(home, "settings", (key, f"{name}: {value}"))
    assert f".{name}: " in refusal(home).message


# --- docs/configuration.md ----------------------------------------------------------------------


def documented() -> dict[str, dict[str, list[str]]]:
    """Return section → key → cells of docs/configuration.md."""
    sections: dict[str, dict[str, list[str]]] = {}
    rows: dict[str, list[str]] = {}
    for line in (ROOT / "docs/configuration.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            rows = {}
        elif line.startswith("### "):
            rows = sections.setdefault(line.removeprefix("### "), {})
        elif line.startswith("| `"):
            name, *cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            rows[name.strip("` ")] = cells
    return sections


def test_documentation_has_every_section_and_key_in_the_order_of_the_types():
    assert {section: list(rows) for section, rows in documented().items()} == {
        section: list(kind.__struct_fields__) for section, kind in SECTIONS.items()
    }


FIELDS = [
    (section, field) for section, kind in SECTIONS.items() for field in msgspec.structs.fields(kind)
]


@pytest.mark.parametrize(
    ("section", "field"), FIELDS, ids=[f"{section}.{field.name}" for section, field in FIELDS]
)
def test_documentation_tells_default_and_range(section, field):
    meaning, unit, default, extent = documented()[section][field.name]
    assert len(meaning) > 10
    assert unit
    assert default == shown_default(field)
    assert shown_range(field.type) in extent


LONG_DEFAULTS = {"forbidding", "excepted"}
"""Not repeated in a table."""


def shown_default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "required"
    if field.name in LONG_DEFAULTS:
        return "as shipped"
    value = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    return f"`{shown_value(value)}`"


def shown_value(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    if isinstance(value, msgspec.Struct):
        value = msgspec.structs.asdict(value)
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {shown_value(each)}' for name, each in value.items())}}}"
    shown = {"": '""', True: "true", False: "false", None: "null"}
    return str(shown.get(value, value) if isinstance(value, str | bool | None) else value)


def shown_range(kind: Any) -> str:
    bare, *marks = get_args(kind) if get_origin(kind) is Annotated else (kind,)
    if get_origin(bare) in {types.UnionType, Union}:
        return ", ".join(filter(None, map(shown_range, get_args(bare))))
    if get_origin(bare) is Literal:
        return ", ".join(f"`{choice}`" for choice in get_args(bare))
    if get_origin(bare) is tuple:
        return shown_range(get_args(bare)[0])
    if bare not in (int, float):
        return "`true`, `false`" if bare is bool else ""
    (mark,) = marks
    if mark.gt is None:
        return f"{mark.ge} to {mark.le}"
    return f"above {mark.gt}, " + (f"to {mark.le}" if mark.lt is None else f"below {mark.lt}")
