"""The terms of use of the rehearsal site: what they say, and what must be recorded of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BOARD_ID = "nedrug_terms"
TITLE = "의약품안전나라 이용약관"
RELATED_SITES = ("식품의약품안전처", "의약품통합정보시스템", "공공데이터포털", "정부24")
"""Links below the text; their order is another at every visit."""

COLUMNS: tuple[tuple[str, str], ...] = (("effective_on", "시행일"), ("body", "본문"))
"""Field id and Korean name of everything that must be recorded."""

FORBIDDING = (
    "제13조(자동 수집의 금지)",
    (
        "누구든지 사전 승낙 없이 크롤링 등 자동화된 수단으로 이 사이트의 정보를 수집하는 행위를 "
        "금지합니다."
    ),
)
"""An article, heading and text, that forbids what we do."""

Article = tuple[str, str]
"""Heading and text."""

ARTICLES: tuple[Article, ...] = (
    (
        "제1조(목적)",
        (
            "이 약관은 의약품안전나라(이하 '사이트')가 제공하는 의약품 정보의 이용 조건과 절차, "
            "이용자와 운영자의 권리와 의무를 정하는 것을 목적으로 합니다."
        ),
    ),
    (
        "제2조(약관의 효력과 변경)",
        (
            "이 약관은 사이트에 게시함으로써 효력이 생기며, 운영자는 관련 법령에 어긋나지 않는 "
            "범위에서 약관을 바꿀 수 있습니다. 바뀐 약관은 시행일 7일 전부터 알립니다."
        ),
    ),
    (
        "제3조(서비스의 내용)",
        (
            "사이트는 원료의약품등록 현황, 의약품 허가와 신고 정보, 회수와 판매중지 정보, 공지와 "
            "통계를 누구에게나 무료로 제공합니다."
        ),
    ),
    (
        "제4조(서비스의 중단)",
        (
            "운영자는 설비의 점검, 고장, 통신의 두절 등 부득이한 사유가 있으면 서비스를 일시적으로 "
            "중단할 수 있으며, 그 사유와 기간을 미리 알립니다."
        ),
    ),
    (
        "제5조(이용자의 의무)",
        (
            "이용자는 다른 사람의 정보를 도용하거나 서비스의 운영을 방해하여서는 안 됩니다. "
            "이용자는 사이트에서 얻은 정보를 사실과 다르게 고쳐 알려서는 안 됩니다."
        ),
    ),
    (
        "제6조(저작권과 이용 허락)",
        (
            "사이트가 만든 저작물은 출처를 밝히면 자유로이 이용할 수 있습니다. 다른 사람의 권리가 "
            "있는 자료는 그 권리자의 허락을 받아야 합니다."
        ),
    ),
    (
        "제7조(개인정보의 보호)",
        "운영자는 이용자의 개인정보를 관련 법령과 개인정보 처리방침에 따라 보호합니다.",
    ),
    (
        "제8조(책임의 제한)",
        (
            "운영자는 천재지변이나 이용자의 잘못으로 생긴 손해에 대하여 책임을 지지 않습니다. "
            "사이트의 정보는 참고 자료이며 법적 효력을 가지지 않습니다."
        ),
    ),
    (
        "제9조(정보의 정확성)",
        (
            "운영자는 허가와 등록 자료를 신고된 대로 올리며, 틀린 곳을 알면 지체 없이 고칩니다. "
            "이용자는 틀린 자료를 발견하면 문의 창구로 알릴 수 있고, 운영자는 살펴본 결과를 "
            "회신합니다. 자료의 갱신 주기는 종류마다 다르며 각 화면의 안내에 따릅니다."
        ),
    ),
    (
        "제10조(문의와 의견)",
        (
            "이용자는 서비스에 관한 의견을 아래의 창구로 보낼 수 있습니다. 운영자는 받은 의견을 "
            "차례로 살펴보고 서비스를 낫게 하는 데에 씁니다. 의견의 내용은 이용자의 동의를 얻어 "
            "알릴 수 있습니다."
        ),
    ),
    (
        "제11조(시각장애인 등의 이용)",
        (
            "운영자는 누구나 서비스를 이용하도록 화면 읽기 프로그램, 글자 확대, 자판만으로 하는 "
            "조작을 지원합니다. 지원이 미치지 못하는 화면을 알리면 대신할 자료를 마련합니다."
        ),
    ),
    (
        "제12조(재판권과 준거법)",
        "이 약관에 관한 분쟁에는 대한민국 법을 적용하며, 관할 법원은 민사소송법에 따릅니다.",
    ),
)


@dataclass(frozen=True, slots=True)
class TermsText:
    """The terms at one moment.

    Attributes:
        articles: Heading and text of each.
        effective_on: 시행일 as the page shows it.
    """

    articles: tuple[Article, ...] = ARTICLES
    effective_on: str = "2026. 1. 1."

    @property
    def key(self) -> str:
        """What identifies the page's one record: its board."""
        return BOARD_ID

    @property
    def is_live(self) -> bool:
        """Whether it is not withdrawn by status; a page has none."""
        return True

    @property
    def body(self) -> str:
        """The text as people read it, one line a block, without what moves by itself."""
        lines = [TITLE, f"시행일 {self.effective_on}"]
        lines += [line for article in self.articles for line in article]
        return "\n".join([*lines, "관련 사이트", *sorted(RELATED_SITES)])


def drop_noise(body: str, noise: Sequence[str]) -> str:
    """Return a recorded text without the lines that begin with what moves by itself."""
    return "\n".join(line for line in body.split("\n") if not line.startswith(tuple(noise)))
