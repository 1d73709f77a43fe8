"""Pages to spoil: those kept for the tests, and some that the rehearsal site writes."""

import json
from dataclasses import dataclass
from urllib.parse import quote
from urllib.request import urlopen

from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import USUAL_SWITCHES
from scripts.fuzzing.readers import ROOT

PAGES = ROOT / "tests" / "data" / "pages"
API = ROOT / "tests" / "data" / "api"
_API_PATH = "/openapi/1471000/MdcDmfInfoService{service}/getMdcDmfList{service}"


_API_QUESTION = f"serviceKey={quote(USUAL_SWITCHES.open_api_key)}&pageNo=1&numOfRows=20"


@dataclass(frozen=True, slots=True)
class Seed:
    """One page as it came, and which reader it is for."""

    name: str
    reader: str
    body: bytes
    content_type: str


def collect_seeds() -> list[Seed]:
    """Return all seeds, in an order that does not depend on the machine."""
    return [*saved_pages(), *_rehearsal_pages()]


def saved_pages() -> list[Seed]:
    """Return the pages in tests/data."""
    seeds = []
    for path in sorted(PAGES.rglob("*.html")):
        name = path.relative_to(PAGES).with_suffix("").as_posix()
        reader = {"notices/list": "notices", "notices/detail": "detail"}.get(name, "list")
        seeds.append(Seed(name, reader, path.read_bytes(), _content_type(name)))
    kinds = {".xml": "application/xml", ".json": "application/json"}
    for path in sorted(API.iterdir()):
        if not path.name.endswith(".expected.json"):
            name = f"api/{path.name}"
            seeds.append(Seed(name, "open_api", path.read_bytes(), kinds[path.suffix]))
    return seeds


def _content_type(name: str) -> str:
    for kind in ("expected", "refused"):
        path = PAGES / f"{name}.{kind}.json"
        if path.exists():
            values = json.loads(path.read_text(encoding="utf-8"))
            return str(values.get("content_type", "text/html"))
    return "text/html"


def _rehearsal_pages() -> list[Seed]:
    paths = (
        ("list", "/pbp/CCBAC03/getList?page=1&limit=10"),
        ("list", "/pbp/CCBAC03/getList?page=2&limit=100"),
        ("workbook", "/pbp/CCBAC03/getExcel"),
        *(
            ("open_api", f"{_API_PATH.format(service=service)}?{_API_QUESTION}&type={kind}")
            for service in ("01", "02")
            for kind in ("xml", "json")
        ),
    )
    with RehearsalSite(Life(n_rows=300).rows) as site:
        return [_fetch(site.base_url, reader, path) for reader, path in paths]


def _fetch(base_url: str, reader: str, path: str) -> Seed:
    with urlopen(base_url + path) as answer:
        content_type = answer.headers.get("Content-Type", "")
        return Seed(path, reader, answer.read(), content_type)
