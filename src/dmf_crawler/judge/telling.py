"""What in a text can be all the news, however long the text is.

In a text of a thousand characters another day of taking effect moves a fingerprint by one bit or
two, as another number of visitors does: no distance tells the one from the other (docs/trust.md).
So a day, a period, an amount of money, a share, and words that allow, forbid, deny or end something
are looked at for themselves.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

MOST_NAMED = 50

_TELLING = re.compile(
    # Days: 2026-12-01, 2026. 12. 1., 2026년 12월 1일, 12/1/2026, Dec 1, 2026
    r"[0-9]{4}\s?[-./년年]\s?[0-9]{1,2}(?:\s?[-./월月]\s?[0-9]{1,2}[일日]?)?[월月]?"
    r"|[0-9]{1,2}[월月]\s?[0-9]{1,2}[일日]|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{4}"
    r"|(?<![a-z])(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s?[0-9]{1,2}"
    r"(?:st|nd|rd|th)?(?:,?\s?[0-9]{4})?"
    r"|[0-9]{1,2}(?:st|nd|rd|th)?\s?"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?(?:,?\s?[0-9]{4})?"
    # Periods, money, shares, articles of a law: 30일, 3개월, 10만원, 50%, 제3조
    r"|[0-9][0-9.,]{0,20}\s?(?:일|영업일|주일?|개월|달|년|시간|만?원|천원|억원|%|퍼센트|배|조|항|호"
    r"|日|営業日|週間|か月|ヶ月|カ月|年|時間|円|万円|条|項|号"
    r"|(?:days?|weeks?|months?|years?|hours?|percent|usd|won|krw|yen)(?![a-z]))"
    r"|[$₩€¥]\s?[0-9][0-9.,]{0,20}"
    # Words that allow, forbid, deny or end: Korean, the longer of two first
    "|미등록|미승인|부적합|미포함|불가능|불필요|부동의|비공개|무단|취하|취소|말소|정상|정지|중지|중단"
    "|등록|신규|변경|개정|폐지|삭제|시행|종료|만료|해지|해제|탈퇴|보고|승인|반려|허가|허용|허락|금지|금하"
    "|제한|위반|위법|불법|처벌|배상|보상|환불|면책|책임|의무|동의|거부|거절|철회|신고|신청|인정|적합"
    "|이상|이하|초과|미만|이내|있음|없음|있다|없다|있습|없습|있으|없으|없이|없는|가능|불가|불허|필요|유효|무효"
    "|해당|제외|포함|예외|아님|아니|않|못|안됨|안된|공개|유료|무료"
    # Japanese
    "|なければ|ならない|できる|できない|できません|ません|ない|なし|禁止|許可|承認|取消|取下|廃止|削除"
    "|停止|中止|終了|施行|改正|変更|登録|有効|無効|不可|可能|必要|不要|以上|以下|未満|超え|以内|違反"
    "|免責|責任|義務|同意|拒否|解除|解約|除く|含む"
    # English
    r"|(?<![a-z])(?:not|no|never|none|without|cannot|can|may|must|shall|should|unless|except|only"
    r"|void|valid|invalid|effective|deny|denied|(?:prohibit|forbid|allow|disallow|permit|require"
    r"|withdraw|cancel|revok|suspend|approv|reject|expir|terminat|refus|liab|consent|delet|amend)"
    r"[a-z]*)(?![a-z])|n't(?![a-z])"
)


def telling_parts(text: str) -> list[str]:
    """Return the parts of a text in canonical form that can be all the news, in text order."""
    return _TELLING.findall(text.lower())


def name_difference(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """Return what came or went, in text order, each once and at most 50; what went first."""
    old, new = Counter(before), Counter(after)
    gone, come = old - new, new - old
    seen = dict.fromkeys(each for each in before if each in gone)
    seen |= dict.fromkeys(each for each in after if each in come)
    return tuple(islice(seen, MOST_NAMED))
