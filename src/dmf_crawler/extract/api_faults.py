"""Why the open API's answer is no page of the list: one fault per reason, worded for people.

No sentence says anything that the answer says in its own words: it could repeat the service key.
"""

from __future__ import annotations

from dataclasses import dataclass

from dmf_crawler.extract.quoting import quote_texts
from dmf_crawler.model.run import Fault

_NEXT_KEY = "공공데이터포털(data.go.kr)의 마이페이지에서 이 서비스의 인증키를 확인해 주십시오."
_NEXT_LATER = "잠시 뒤 다시 요청하며, 계속되면 공공데이터포털의 공지를 확인해 주십시오."


@dataclass(frozen=True, slots=True)
class Refusal:
    """What one of the API's reason codes means.

    Attributes:
        code: Ours.
        meaning: Korean.
        next_step: Korean.
        is_retryable: Whether asking again may help.
    """

    code: str
    meaning: str
    next_step: str = _NEXT_KEY
    is_retryable: bool = False


_TROUBLE = Refusal("api_error", "서버 안에서 오류가 났습니다", _NEXT_LATER, is_retryable=True)
_REFUSALS = {
    "01": _TROUBLE,
    "04": _TROUBLE,
    "05": Refusal("api_error", "서버가 제때 답하지 못했습니다", _NEXT_LATER, is_retryable=True),
    "10": Refusal(
        "api_request",
        "요청에 쓴 값이 틀렸다고 합니다",
        "config/boards.yaml에서 openapi의 주소와 한 쪽의 건수(500 이하)를 확인해 주십시오.",
    ),
    "12": Refusal(
        "api_service_gone",
        "이 주소의 서비스가 없어졌다고 합니다",
        "공공데이터포털의 15057075번 자료에서 새 주소를 찾아 config/boards.yaml의 openapi에 적어 "
        "주십시오.",
    ),
    "20": Refusal("api_key_denied", "이 인증키로는 이 서비스를 쓸 수 없다고 합니다"),
    "22": Refusal(
        "api_quota",
        "하루에 요청할 수 있는 횟수를 모두 썼다고 합니다",
        "오늘은 더 요청하지 않습니다. 같은 인증키를 다른 곳에서도 쓰는지 확인해 주십시오.",
    ),
    "23": Refusal(
        "api_too_fast",
        "1초에 요청할 수 있는 횟수를 넘었다고 합니다",
        "잠시 뒤 다시 요청하며, 같은 인증키를 다른 곳에서도 쓰는지 확인해 주십시오.",
        is_retryable=True,
    ),
    "30": Refusal(
        "api_key_unknown",
        "등록되지 않은 인증키라고 합니다",
        "새로 받은 인증키는 한 시간쯤 뒤부터 쓸 수 있습니다. 환경 변수에 인증키를 빠짐없이 "
        f"적었는지 보고, {_NEXT_KEY}",
    ),
    "31": Refusal(
        "api_key_expired",
        "인증키의 사용 기한이 지났다고 합니다",
        "공공데이터포털(data.go.kr)에서 활용 기간을 연장해 주십시오.",
    ),
    "32": Refusal(
        "api_key_address",
        "등록되지 않은 IP 주소에서 요청했다고 합니다",
        "공공데이터포털(data.go.kr)에 이 PC의 IP 주소를 등록해 주십시오.",
    ),
    "99": _TROUBLE,
}
_UNKNOWN = Refusal("api_refused", "까닭은 알려지지 않았습니다", _NEXT_LATER)


def refused(reason_code: str) -> Fault:
    """Say what the API's own reason code means; one that is unknown or no code is not asked why."""
    refusal = _REFUSALS.get(reason_code, _UNKNOWN)
    is_code = reason_code.isascii() and reason_code.isalnum() and len(reason_code) <= 4
    found = f"결과 코드 {reason_code}" if is_code else "결과 코드를 읽을 수 없음"
    return Fault(
        refusal.code,
        f"공공데이터 API가 목록 대신 오류를 보냈습니다({found}). {refusal.meaning}. 결과 코드 00이 "
        f"와야 합니다. {refusal.next_step}",
        exit_code=6,
        is_retryable=refusal.is_retryable,
    )


def no_answer(kind: str, *, is_retryable: bool = True) -> Fault:
    """Name what came in place of an answer of the API."""
    return Fault(
        "not_an_api_answer",
        f"공공데이터 API의 답 대신 다른 것이 왔습니다({kind}). XML이나 JSON으로 된 답이 와야 "
        f"합니다. {_NEXT_LATER}",
        exit_code=6,
        is_retryable=is_retryable,
    )


def forbidden() -> Fault:
    """Say that the gateway refused the key without a reason code."""
    return Fault(
        "not_an_api_answer",
        "공공데이터 API의 답 대신 'Forbidden'이라는 글만 왔습니다. XML이나 JSON으로 된 답이 와야 "
        "합니다. 인증키가 두 번 인코딩되었을 수 있으니, 환경 변수에는 인코딩하지 않은 "
        "인증키(Decoding)를 적어 주십시오.",
        exit_code=6,
    )


def wrong_page(found: int, asked: int) -> Fault:
    """Say that another page came than the one that was asked for."""
    return Fault(
        "api_wrong_page",
        f"공공데이터 API가 {asked}쪽 대신 {found}쪽을 보냈습니다. 요청한 쪽이 와야 합니다. "
        f"{_NEXT_LATER}",
        exit_code=6,
        is_retryable=True,
    )


def odd_answer(found: str) -> Fault:
    """Refuse an answer whose structure is not the one we know."""
    return Fault(
        "odd_api_answer",
        f"공공데이터 API의 답이 알던 구조와 다릅니다. {found}. 이 답은 쓰지 않습니다. 보관된 답을 "
        "열어 보고 개발자에게 알려 주십시오.",
        exit_code=4,
    )


def unknown_name(names: list[str]) -> Fault:
    """Name what no field would compare."""
    return Fault(
        "unknown_column",
        f"공공데이터 API의 답에 모르는 항목이 있습니다: {quote_texts(names)}. 모든 항목이 비교 "
        "대상이어야 합니다. selectors 파일에서 그 필드의 api_name에 적거나, 비교하지 않을 항목이면 "
        "ignored_api_names에 더한 뒤 다시 실행해 주십시오.",
        exit_code=4,
    )


def missing_names(labels: list[str], found: list[str]) -> Fault:
    """Name the fields without which no record can be told from another."""
    return Fault(
        "missing_column",
        f"공공데이터 API의 답에 없는 항목이 있습니다: {quote_texts(labels)}. 찾은 항목: "
        f"{quote_texts(found)}. 한 건을 가려내는 항목은 모두 있어야 합니다. 이름이 바뀐 항목이면 "
        "selectors 파일의 api_name을 고친 뒤 다시 실행해 주십시오.",
        exit_code=4,
    )


def broken_answer() -> Fault:
    """Say that no charset fits."""
    return Fault(
        "mojibake",
        "공공데이터 API의 답에 깨진 글자가 있습니다. UTF-8이나 CP949로 온전히 읽혀야 합니다. 이 "
        "답은 쓰지 않습니다. 보관된 답을 확인해 주십시오.",
        exit_code=4,
    )


def broken_text(name: str) -> Fault:
    """Name the value that holds something that is no character."""
    return Fault(
        "mojibake",
        f"공공데이터 API의 답에서 {quote_texts([name])} 값의 글자가 깨졌습니다. 모든 글자가 "
        "온전해야 합니다. 이 답은 쓰지 않습니다. 보관된 답을 확인해 주십시오.",
        exit_code=4,
    )
