"""Who writes the notices: titles, texts and files in the manner of the site (README, item 12)."""

from __future__ import annotations

import random
import string
from dataclasses import dataclass, replace
from datetime import date, timedelta

from dmf_crawler.workbench.rehearsal.notices import Attachment, Block, Notice, Table
from dmf_crawler.workbench.rehearsal.working_days import is_working_day

SUBSTANCES = (
    *("로사르탄칼륨", "메트포르민염산염", "라니티딘염산염", "발사르탄", "니자티딘"),
    *("시타글립틴인산염", "세파클러", "아세트아미노펜", "리바록사반", "텔미사르탄"),
)  # fmt: skip
_TOPICS = (  # title, department
    ("{substance} 함유 제제 안전성 서한 배포 알림", "의약품안전평가과"),
    ("{substance} 제제 허가사항 변경명령(안) 의견조회", "의약품허가총괄과"),
    ("{substance} 원료의약품 불순물 관리기준 안내", "의약품품질과"),
    ("「원료의약품 등록에 관한 규정」 일부개정고시(안) 행정예고", "의약품정책과"),
    ("{year}년 원료의약품등록(DMF) 연차보고 제출 안내", "의약품품질과"),
    ("의약품 제조 및 품질관리기준(GMP) 적합판정서 발급 현황", "의약품관리과"),
    ("의약품 품목 갱신 대상 사전예고({year}년)", "의약품허가총괄과"),
    ("DMF 전자민원 작성요령 & 자주 하는 질문 <개정>", "의약품허가총괄과"),
    ("의약품안전나라 시스템 점검 안내({month}.{day}.)", "정보화담당관"),
    ("해외 제조소 등록 민원 설명회 개최 알림", "의약품관리과"),
)
_OPENINGS = (
    "우리 처 업무에 협조하여 주시는 귀 업체에 감사드립니다.",
    "관련 규정에 따라 아래와 같이 안내하오니 업무에 참고하시기 바랍니다.",
    "의약품 안전관리를 위하여 다음 사항을 알려 드립니다.",
)
_ITEMS = (
    "대상: {substance} 원료의약품 등록 업체",
    "제출 기한: {year}. {month}. {day}.",
    "제출 방법: 의약품안전나라 전자민원창구 → 보고마당",
    "근거: 「약사법」 제31조의2 및 「의약품 등의 안전에 관한 규칙」 제17조",
    "관리 기준: 불순물 0.{digit}5 ppm 이하 (1일 최대 복용량 기준)",
)
_FILE_NAMES = (
    "붙임{n}. 변경대비표",
    "붙임{n}. 대상 품목 목록",
    "붙임{n}. 의견 제출 서식",
    "(공고문) {substance} 제제 안내",
)
_FILE_TYPES = ((".pdf", b"%PDF-1.4\n"), (".hwpx", b"PK\x03\x04"))
_ID_LETTERS = string.ascii_letters + string.digits
_FIRST_POST_ID = 40_112
_FILE_WEIGHTS = (64, 24, 9, 3)  # of 0, 1, 2, 3 files


@dataclass(slots=True)
class NoticeWriter:
    """Writes posts, each with an identifier of its own.

    Attributes:
        rng: Source of chance; the same seed writes the same posts.
    """

    rng: random.Random
    _last_id: int = _FIRST_POST_ID

    def write_post(self, day: date, *, most_files: int = 3) -> Notice:
        """Return the next post, published on a day."""
        self._last_id += self.rng.randint(1, 9)
        title, department = self.rng.choice(_TOPICS)
        notice = Notice(
            post_id=str(self._last_id),
            title=self._fill(title, day),
            department=department,
            posted_on=day.isoformat(),
            blocks=self._write_blocks(day, department),
        )
        n_files = min(self.rng.choices(range(4), _FILE_WEIGHTS)[0], most_files)
        attachments = (self.make_file(n, day) for n in range(1, n_files + 1))
        return replace(notice, attachments=tuple(attachments))

    def make_file(self, number: int, day: date) -> Attachment:
        """Return a file with a name and content of its own.

        Args:
            number: 1-based place among the files of its post.
            day: When it was made.
        """
        ending, magic = self.rng.choice(_FILE_TYPES)
        name = self._fill(self.rng.choice(_FILE_NAMES), day).replace("{n}", str(number))
        if not name.startswith("붙임"):
            name = f"{name}({number})"
        content = magic + self.rng.randbytes(self.rng.randint(300, 2_000)) + b"\n%%EOF\n"
        return Attachment(self._new_document_id(), name + ending, content)

    def retitle(self, notice: Notice) -> Notice:
        """Return the post with another title: a mark in front, or none of those it had."""
        for mark in ("[수정] ", "[재공지] "):
            if notice.title.startswith(mark):
                return replace(notice, title=notice.title.removeprefix(mark))
        return replace(notice, title=self.rng.choice(("[수정] ", "[재공지] ")) + notice.title)

    def edit_text(self, notice: Notice, day: date) -> Notice:
        """Return the post with one more line in its text; its row in the list stays the same."""
        line = f"※ 정정({day.month}. {day.day}.): 문의 전화 043-719-{self.rng.randint(1000, 9999)}"
        return replace(notice, blocks=(*notice.blocks, line))

    def replace_file(self, notice: Notice, day: date) -> Notice:
        """Return the post with another file in the place of one; it must have one."""
        index = self.rng.randrange(len(notice.attachments))
        files = list(notice.attachments)
        files[index] = self.make_file(index + 1, day)
        return replace(notice, attachments=tuple(files))

    def _write_blocks(self, day: date, department: str) -> tuple[Block, ...]:
        rng = self.rng
        items = rng.sample(_ITEMS, rng.randint(2, 4))
        lines = [f"{n}. {self._fill(item, day)}" for n, item in enumerate(items, start=1)]
        blocks: list[Block] = [rng.choice(_OPENINGS), "\n".join(lines)]
        if rng.random() < 0.4:
            blocks.append(self._write_table(day))
        blocks.append(f"문의: {department} (☎ 043-719-{rng.randint(1000, 9999)})")
        return tuple(blocks)

    def _write_table(self, day: date) -> Table:
        rows = [
            (
                str(n),
                substance,
                f"{day.year}. {self.rng.randint(1, 12)}. {self.rng.randint(1, 28)}.",
            )
            for n, substance in enumerate(self.rng.sample(SUBSTANCES, 3), start=1)
        ]
        return (("연번", "성분명", "시행일"), *rows)

    def _fill(self, template: str, day: date) -> str:
        ahead = day + timedelta(days=self.rng.randint(3, 40))
        words = {
            "substance": self.rng.choice(SUBSTANCES),
            "year": str(ahead.year),
            "month": str(ahead.month),
            "day": str(ahead.day),
            "digit": str(self.rng.randint(1, 9)),
        }
        for word, text in words.items():
            template = template.replace(f"{{{word}}}", text)
        return template

    def _new_document_id(self) -> str:
        return "1" + "".join(self.rng.choices(_ID_LETTERS, k=10))


def grow_notices(n_posts: int, writer: NoticeWriter, last_day: date) -> list[Notice]:
    """Return posts as they have come in until a day, newest first; two of them are pinned.

    At most two files for three posts: the shipped configuration lets one visit ask for 100 pages
    and files, so the 60 posts of the default life and their files are had on the first day.
    """
    days = _spread_days(n_posts, writer.rng, last_day)
    n_files_left = n_posts * 2 // 3
    posts = []
    for day in days:
        post = writer.write_post(day, most_files=min(3, n_files_left))
        n_files_left -= len(post.attachments)
        posts.append(post)
    for index in writer.rng.sample(range(n_posts), min(2, n_posts)):
        posts[index] = replace(posts[index], is_pinned=True)
    return posts[::-1]


def _spread_days(n_posts: int, rng: random.Random, last_day: date) -> list[date]:
    """Return working days in order, about five posts in three weeks."""
    days: list[date] = []
    day = last_day
    while len(days) < n_posts:
        if is_working_day(day) and rng.random() < 0.35:
            days.append(day)
        day -= timedelta(days=1)
    return days[::-1]
