"""Links lead somewhere, pointers to pages do too, and nothing names what belongs elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pages import PAGE_NAMES, ROOT, find_files, read

HOSTILE_NAMES = re.compile(
    r"(?<![\w.~-])/(?:wor[k]|tm[p]|hom[e]|roo[t]|mn[t]|User[s])/|[A-Za-z]:\\+User[s]\\"
)
"""Absolute paths of somebody's machine; the brackets keep this line from matching itself."""

REGISTRY_HOSTS = re.compile(r"pypi[.]org|pythonhosted[.]org|npmjs[.]|anaconda[.]org|crates[.]io")

# --- links -------------------------------------------------------------------------------------


def find_links(page: str) -> list[str]:
    text = re.sub(r"```.*?```", "", read(page), flags=re.DOTALL)
    return re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text))


def make_anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def find_anchors(page: Path) -> set[str]:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return {make_anchor(heading) for heading in re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE)}


@pytest.mark.parametrize("page", PAGE_NAMES)
def test_every_relative_link_leads_somewhere(page):
    for link in find_links(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), link
        if anchor:
            assert anchor in find_anchors(target), link


def test_every_page_can_be_reached_from_the_readme():
    reached, waiting = set(), ["README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        for link in find_links(page):
            target = ((ROOT / page).parent / link.partition("#")[0]).resolve()
            if not re.match(r"[a-z]+:", link) and target.suffix == ".md" and target.exists():
                waiting.append(target.relative_to(ROOT).as_posix())
    docs = {name for name in PAGE_NAMES if name.startswith("docs/")}
    assert sorted(docs - reached) == []


def test_anchors_are_made_as_github_makes_them():
    assert make_anchor("Exit codes: `run`, 3 of 9") == "exit-codes-run-3-of-9"
    assert make_anchor("종료 코드 6 (사이트)") == "종료-코드-6-사이트"


# --- what must not stand anywhere --------------------------------------------------------------

TEXTS = find_files(".md", ".py", ".sql", ".yaml", ".toml")


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_names_a_local_path_or_a_package_registry(path):
    text = path.read_text(encoding="utf-8")
    assert HOSTILE_NAMES.findall(text) == []
    assert REGISTRY_HOSTS.findall(text) == []


def test_every_page_that_a_source_file_names_exists():
    """A pointer to a page that nobody has is worse than none."""
    missing = []
    for path in find_files(".py", ".sql", ".yaml", ".toml"):
        if path == Path(__file__):
            continue
        text, shown = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
        named = set(re.findall(r"(?<![\w*/{}])((?:[\w-]+/)*[\w-]+\.md)\b", text))
        missing += [
            f"{shown}: {name}"
            for name in named
            if not any((folder / name).exists() for folder in (ROOT, path.parent))
        ]
        missing += [f"{shown}: {found}" for found in re.findall(r"\b[a-z']+ §[\d.]+", text)]
    assert sorted(missing) == []
