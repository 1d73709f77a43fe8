"""How terms of use say that nobody may crawl, in Korean and English: the shipped patterns.

They are what `terms.forbidding` and `terms.excepted` of config/settings.yaml begin with. In doubt
they find too much: a person who decides once costs a day, a prohibition that nobody saw costs more.
"""

from __future__ import annotations

_GAP = r"[^.\n]{0,60}?"

_CRAWLING = (
    r"(?:크롤링|크롤러|스크래핑|스크레이핑|스크랩핑|스크래퍼|스크레이퍼"
    r"|웹\s*(?:로봇|스파이더))"
)

_MACHINE = (
    r"(?:(?<![가-힣])봇|로봇|스파이더|매크로|자동\s*수집|수집\s*(?:로봇|프로그램|도구)"
    r"|자동화\s*(?:된|한)?\s*(?:수단|방법|도구|프로그램|소프트웨어|스크립트))"
)
"""What may collect, and also does other things: needs a word of taking beside it."""

_TAKING = r"(?:수집|추출|복제|접근|접속|다운로드|내려받|긁어)"

_NOT = (
    r"(?:금지(?!\s*(?:하지|되지|하는\s*것은|한\s*바)\s*(?:않|아니|없))|금합니다|금하[며고여는]|금함|엄금"
    r"|불허|불가|허용[하되]지\s*(?:않|아니)|허락하지\s*(?:않|아니)|수\s*없"
    r"|(?:하여서는|해서는|하면|하셔서는)\s*(?:안|아니))"
)

_CONSEQUENCE = r"(?:차단(?:합니다|됩니다|될\s*수|하[고며])|처벌|법적\s*(?:조치|책임|대응|제재))"

_ACT = r"행위(?![를은]?\s*(?:허용|가능))"

_CRAWL_EN = (
    r"(?:(?:web\s*|screen\s*)?(?:crawl(?:ing|ers?|s)?|scrap(?:ing|ers?|e))|web\s+harvesting"
    r"|spiders?|spidering|robots?(?!\.txt)|bots?|data\s+mining|automated\s+(?:means|tools?|access"
    r"|collection|process(?:es)?|quer(?:y|ies)|requests|scripts?|software|systems?|devices?"
    r"|programs?|downloading))"
)

_NOT_EN = (
    r"(?:(?<!not )(?:prohibited|forbidden|disallowed|banned)|not\s+(?:be\s+)?(?:allowed|permitted"
    r"|authori[sz]ed)|unauthori[sz]ed|unlawful|illegal|without\s+(?:(?:our|the|prior|express|written"
    r"|any)\s+){0,4}(?:permission|consent|authori[sz]ation|approval))"
)

_NEVER_EN = (
    r"(?:(?:may|must|shall|should|do|can)(?:\s+not|n['’]t)|cannot|not\s+to|prohibited\s+from"
    r"|(?:prohibited|forbidden)\s*:|no)"
)

FORBIDDING = (
    _CRAWLING + _GAP + f"(?:{_NOT}|{_CONSEQUENCE})",
    _MACHINE + _GAP + _TAKING + _GAP + _NOT,
    r"(?:금지|불허|엄금|금합니다)" + r"[^.\n]{0,30}?" + _CRAWLING,
    f"(?:무단\\s*(?:으로\\s*)?{_CRAWLING}|{_CRAWLING}\\s*(?:등의?|하는|하거나)?\\s*{_ACT})",
    f"(?:{_CRAWLING}|{_MACHINE})" + _GAP + _TAKING + r"[^.\n]{0,20}?" + _ACT,
    rf"(?i)\b{_CRAWL_EN}\b{_GAP}\b{_NOT_EN}\b",
    rf"(?i)\b{_NEVER_EN}\s{_GAP}\b{_CRAWL_EN}\b",
)

_MAIL = r"(?:전자\s*우편|이메일|e-?mail)\s*(?:주소)?"
_REFUSED = (
    r"(?:금지|거부|금합니다|금하[며고여는]|불허|수\s*없|(?:안|아니)\s*(?:된다|됩니다|한다)"
    r"|처벌)"
)
_OTHERS = r"크롤링|스크래핑|페이지|정보를|정보의|콘텐츠|게시물|자료|데이터"
"""Where a sentence has one of these, too, it is not about mail addresses alone."""

EXCEPTED = (
    (
        rf"(?i){_MAIL}(?:(?!{_OTHERS}|및|또는)[^.\n]){{0,60}}?수집"
        rf"(?:(?!{_OTHERS}|로봇|자동화)[^.\n]){{0,60}}?{_REFUSED}"
    ),
    (
        rf"(?i){_MACHINE}(?:(?!{_OTHERS}|및|금지|거부)[^.\n]){{0,40}}?{_MAIL}[를을의]?\s*"
        rf"(?:무단\s*(?:으로\s*)?)?수집(?:(?!{_OTHERS})[^.\n]){{0,40}}?{_REFUSED}"
    ),
    (
        rf"(?i)\b{_CRAWL_EN}\b[^.\n]{{0,40}}?\be-?mail\s+addresses\b(?:(?!\band\b|\bor\b)[^.\n])"
        rf"{{0,60}}?\b{_NOT_EN}\b"
    ),
)

PLAIN = (
    "크롤링을 금지합니다.",
    "이 사이트의 정보를 크롤링, 스크래핑 등 자동화된 수단으로 수집하는 행위를 금지합니다.",
    "로봇, 스파이더 등을 이용한 무단 수집을 금합니다.",
    "자동화된 프로그램을 이용하여 정보를 수집할 수 없습니다.",
    "Crawling is prohibited.",
    "You may not use any robot, spider or scraper to access this site.",
)
"""Sentences that the patterns of every configuration must find."""
