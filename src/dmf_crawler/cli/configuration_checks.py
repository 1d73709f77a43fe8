"""What `doctor` asks of the configuration: config/, selectors/, contact and key."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from dmf_crawler.board_checks import is_loopback, used_sites
from dmf_crawler.boards import Board, Boards
from dmf_crawler.canary import prove_detector
from dmf_crawler.cli.checks import look, not_looked_at
from dmf_crawler.cli.home import read_keys
from dmf_crawler.config import Home
from dmf_crawler.errors import ConfigError
from dmf_crawler.extract.watched_page import PageSelectors
from dmf_crawler.model.diagnosis import Diagnosis, Health
from dmf_crawler.page_watch import read_board_selectors


def check_configuration(home: Home, error: ConfigError | None) -> Iterator[Diagnosis]:
    """Yield what is right and wrong in config/ and selectors/, and whether a key is there.

    Args:
        home: The home folder; without any board where it could not be loaded.
        error: Why it could not, None where it was.
    """
    if error is not None:
        yield Diagnosis(
            "configuration",
            Health.FAIL,
            f"[{error.code}] {error.message}",
            "설명에 나온 파일과 줄을 고치고 doctor 를 다시 실행하십시오.",
        )
        yield _refuse_contact() if "contact_missing" in error.codes else not_looked_at("contact")
        yield not_looked_at("selectors")
        yield not_looked_at("api_key")
        return
    names = ", ".join(board.id for board in home.enabled_boards)
    yield (
        Diagnosis("configuration", Health.OK, f"config 의 파일이 올바릅니다. 켜진 게시판: {names}")
        if names
        else Diagnosis(
            "configuration",
            Health.FAIL,
            "[no_boards] 켜져 있는 게시판이 없습니다.",
            "config/boards.yaml에서 하나를 enabled: true 로 켜십시오.",
        )
    )
    yield _check_contact(home)
    for board in home.enabled_boards:
        yield look("selectors", partial(_check_selectors, home, board), board.id)
    yield from _check_keys(home)


def _check_contact(home: Home) -> Diagnosis:
    """Say who is named as responsible; a home with a real site and no name is not even loaded."""
    names = used_sites(Boards(sites=home.sites, boards=home.boards))
    if all(is_loopback(home.sites[name].base_url) for name in names):
        return Diagnosis("contact", Health.OK, "실제 사이트를 읽는 게시판이 없어 필요 없습니다.")
    return Diagnosis("contact", Health.OK, f"담당자 {home.settings.identity.contact}")


def _refuse_contact() -> Diagnosis:
    return Diagnosis(
        "contact",
        Health.FAIL,
        "실제 사이트를 읽는데 담당자의 전자우편 주소가 없습니다.",
        "config/settings.yaml의 identity.contact 에 적으십시오.",
    )


def _check_selectors(home: Home, board: Board) -> Diagnosis:
    selectors = read_board_selectors(home, board)
    if isinstance(selectors, PageSelectors):
        blind = prove_detector(home.settings.pages, volatile=selectors.file.volatile)
        if blind is not None:
            found = f"[{blind.code}] {blind.message}"
            next_step = "최근에 바꾼 pages 설정이나 volatile을 되돌리십시오."
            return Diagnosis("selectors", Health.FAIL, found, next_step, board.id)
    version = selectors.file.schema_version
    found = f"selectors/{board.id}.yaml 이 올바릅니다(schema_version {version})."
    return Diagnosis("selectors", Health.OK, found, board=board.id)


def _check_keys(home: Home) -> Iterator[Diagnosis]:
    boards = [board for board in home.enabled_boards if "openapi" in board.used_sources]
    if not boards:
        yield Diagnosis("api_key", Health.OK, "공공데이터 API를 쓰는 게시판이 없어 필요 없습니다.")
    for board in boards:
        yield look("api_key", partial(_check_key, board), board.id)


def _check_key(board: Board) -> Diagnosis:
    variable = board.openapi.key_variable if board.openapi else ""
    if read_keys([board]):
        found = f"환경 변수 {variable} 에 인증키가 있습니다."
        return Diagnosis("api_key", Health.OK, found, board=board.id)
    return Diagnosis(
        "api_key",
        Health.WARN,
        f"환경 변수 {variable} 에 인증키가 없거나 그 형식이 아니어서 교차 확인을 할 수 없습니다.",
        "공공데이터포털(data.go.kr)에서 받은 인증키를 환경 변수에 넣거나 cross_checks 에서 openapi "
        "를 빼십시오.",
        board.id,
    )
