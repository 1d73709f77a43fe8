"""Passages of a page that move by themselves, and are no part of what is compared.

The usual kinds are tokens, long hexadecimal numbers, the time of day and how long ago something
was, in Korean, Japanese and English. Never a date: that something comes into force on another day
can be all the news there is. What could be part of a sentence stays as well: opening hours
(09:00~18:00), a time with 부터 or 까지, 시행 30일 전.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dmf_crawler.extract.page_file import UsualVolatile
from dmf_crawler.extract.pattern_bounds import bound_pattern

_TOKENS = (
    r"(?<![A-Za-z])_{0,2}(?:csrf|xsrf|nonce|token|j?session|phpsessid|aspsessionid|sid|requestid)"
    r"[A-Za-z_-]{0,32}\s?[=:]\s?"
    # Letters and digits: of digits alone it could be a date or a number.
    r"(?=[A-Za-z_./+=-]{0,64}[0-9])(?=[0-9_./+=-]{0,64}[A-Za-z])[A-Za-z0-9_./+=-]{8,512}"
)
_HEX = (
    r"(?<![0-9A-Za-z])(?:[0-9a-f]{24,512}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
    r"(?![0-9A-Za-z])"
)

_MINUTE = "[0-5][0-9]"
_HOUR = "(?:[01]?[0-9]|2[0-3])"
_HALF_AFTER = r"\s?[ap]\.?m\b\.?"
_HALF_BEFORE = r"(?:오전|오후|午前|午後)\s?"
_NO_RANGE_BEFORE = (
    r"(?<![0-9:.,~-])(?<![~-]\s)(?<!부터\s)(?<!에서\s)(?<!から)"
    r"(?<!\bto\s)(?<!\band\s)(?<!\buntil\s)"
)
_NO_RANGE_AFTER = (
    r"(?![0-9:])(?!\s?[~-])(?!\s?[ap]\.?m\b)(?!\s(?:to|until|and|or)\b)"
    r"(?!\s?(?:부터|까지|에서|이전|이후|전|후|이내|에|から|まで|以前|以降|に|より))"
)
_CLOCK = (
    rf"(?:(?<=[0-9])T|{_NO_RANGE_BEFORE})(?:"
    rf"{_HALF_BEFORE}{_HOUR}:{_MINUTE}(?::{_MINUTE})?"
    rf"|{_HOUR}:{_MINUTE}:{_MINUTE}(?:[.,][0-9]{{1,9}})?"
    rf"(?:Z|\+[0-9]{{2}}:?[0-9]{{2}}|{_HALF_AFTER})?"
    rf"|{_HOUR}:{_MINUTE}{_HALF_AFTER}"
    rf"|(?:[01][0-9]|2[0-3]):{_MINUTE}Z?"  # 1:10 could be a ratio
    rf"|(?:{_HALF_BEFORE})?{_HOUR}\s?[시時]\s?[0-5]?[0-9]\s?[분分](?:\s?[0-5]?[0-9]\s?[초秒])?"
    rf"){_NO_RANGE_AFTER}"
)

_SHORT_AGO = (
    # A day and more may be a period of notice: 7일 전, 24시간 전.
    r"(?:[1-5]?[0-9]\s?[초분]\s?전|(?:1?[0-9]|2[0-3])\s?시간\s?전|방금(?:\s?전)?|조금\s?전"
    r"|[1-5]?[0-9]\s?[秒分]前|(?:1?[0-9]|2[0-3])\s?時間前|たった今"
    r"|(?:[0-9]{1,4}|an?|one)\s(?:second|sec|minute|min|hour|day|week|month|year)s?\sago"
    r"|just\snow|a\smoment\sago)"
)
_AGO = (
    rf"(?:{_SHORT_AGO}|[0-9]{{1,4}}\s?(?:시간|일|주일?|개월|달|년)\s?전"
    r"|[0-9]{1,4}\s?(?:時間|日|週間|か月|ヶ月|カ月|年)前)"
)
_UPDATED = (
    r"(?:(?:최종|마지막|최근)\s?(?:업데이트|수정|갱신|변경)(?:됨|함|시각|일시)?\s?:?|업데이트됨?\s?:?"
    r"|(?:수정|갱신|변경|작성|게시)(?:됨|함|시각|일시)?\s?:"
    r"|(?:最終)?(?:更新|投稿|掲載)(?:日時|時刻)?\s?:?"
    r"|(?:last\s)?(?:updated|modified|changed|posted|published|refreshed)\s?:?)\s?"
)
_UPDATED_AFTER = (
    r"(?:\s?(?:업데이트됨?|(?:수정|갱신|작성|게시|등록)(?:됨|함))"
    r"|に?(?:更新|投稿|掲載)(?:されました)?)"
)
_EDGE = r"[|·•/,()\[\]]"
_BEFORE, _AFTER = rf"(?:^|(?<={_EDGE})|(?<={_EDGE}\s))", rf"(?=\s?(?:{_EDGE}|[.。]?$))"
_RELATIVE = (
    rf"{_BEFORE}{_SHORT_AGO}{_AFTER}"  # a block, or between marks: 3분 전 · 홍길동
    rf"|(?<![0-9]){_AGO}{_UPDATED_AFTER}{_AFTER}"  # 3분 전 업데이트됨, 3分前に更新
    rf"|{_BEFORE}{_UPDATED}{_AGO}{_AFTER}"  # 최종 수정: 3분 전, Updated 3 minutes ago
)

_USUAL: dict[UsualVolatile, str] = {
    "tokens": _TOKENS,
    "hex": _HEX,
    "clock": _CLOCK,
    "relative": _RELATIVE,
}
_ONE_FORM = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | {
    **dict.fromkeys(map(ord, "\u301c\u223c"), "~"),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u2027\u30fb\u318d"), "·"),
}
"""Full-width digits and marks, and kinds of tildes, dashes and dots, as the usual patterns have
them."""


def compile_volatile(
    patterns: Iterable[str], usual: Sequence[UsualVolatile]
) -> tuple[tuple[re.Pattern[str], ...], tuple[re.Pattern[str], ...]]:
    """Compile a page's own patterns, bounded, and the usual ones.

    Raises:
        pattern_bounds.PatternError: One of them is none, or could take too long.
    """
    return (
        tuple(bound_pattern(pattern) for pattern in patterns),
        tuple(re.compile(text, re.IGNORECASE) for kind, text in _USUAL.items() if kind in usual),
    )


def drop_volatile(
    block: str, own: Iterable[re.Pattern[str]], usual: Iterable[re.Pattern[str]]
) -> str:
    """Return a block without the passages that the patterns find; a blank stands in their place.

    Args:
        block: With its white space collapsed.
        own: A page's own patterns; they see the block as it is shown.
        usual: The usual ones; they see full-width characters and dashes in one form, and so does
            what is returned.
    """
    for pattern in own:
        block = " ".join(pattern.sub(" ", block).split())
    block = block.translate(_ONE_FORM)
    for pattern in usual:
        block = " ".join(pattern.sub(" ", block).split())
    return block
