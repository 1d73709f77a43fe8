"""The values that the program started with, held against a list's own days; pure.

They are the owner's parameters that only use can settle. A proposal never loosens the outer fuse or
politeness, and thirty days alone never make a gate stricter than it was measured to be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from dmf_crawler.judge.limits import clip_highest, find_quantile
from dmf_crawler.model.rate import PRIOR_PER_DAY
from dmf_crawler.model.tuning import Lived, Spread, Tuned
from dmf_crawler.settings import DailyLimit, GateLimits, Settings

MOST_DISK_BYTES = 20_000_000_000
"""What kept pages may take on a usual PC."""

LEAST_RAW_DAYS = 31
"""The least that `retention.raw_days` may be set to."""

HIGH_SHARE = 0.95

_STEP_OF_REQUESTS = 50
_READS_OF_BAD_DAY = 3
"""A list that changes while it is read is read again, up to three times in all."""

_MOST_ROWS = 10_000


def spread_of(numbers: Sequence[float]) -> Spread | None:
    """Return how numbers are spread, None without any."""
    if not numbers:
        return None
    ordered = sorted(numbers)
    high = ordered[math.ceil(HIGH_SHARE * len(ordered)) - 1]
    return Spread(len(ordered), ordered[0], median(ordered), high, ordered[-1])


def tune_parameters(lived: Lived, settings: Settings) -> tuple[Tuned, ...]:
    """Return each of the owner's parameters with what was seen and what is proposed."""
    gates = settings.gates
    return (
        _tune_prior(lived),
        _tune_growth(lived, gates),
        _tune_daily(
            lived,
            gates,
            "new_rows",
            "하루 신규 행 한도(G-2)",
            (lived.new_rows, "many_new_rows"),
        ),
        _tune_gone(lived, gates),
        _tune_daily(
            lived,
            gates,
            "withdrawn",
            "하루 취하 한도(G-5)",
            (lived.withdrawn, "many_withdrawals"),
        ),
        _tune_profile(lived, gates),
        _replace_simhash(),
        _tune_delay(lived, settings),
        _tune_requests(lived, settings),
        _tune_retention(lived, settings),
    )


def _tune_prior(lived: Lived) -> Tuned:
    whole = lived.change_rate.whole if lived.change_rate else None
    return Tuned(
        name="change_rate_prior",
        label_ko="변동률의 사전값(하루)",
        key="",
        now=f"{PRIOR_PER_DAY:g}",
        spread=spread_of(lived.events),
        unit_ko="하루 변동 건수",
        n_holds=0,
        proposed=f"{whole.per_day:.2f}" if whole else "",
        reason=(
            "비교한 날이 14일이 되면 사전값 대신 실측을 씁니다. 고칠 설정은 없습니다."
            if whole
            else "비교한 날이 14일보다 적어 사전값을 그대로 씁니다."
        ),
    )


def _tune_growth(lived: Lived, gates: GateLimits) -> Tuned:
    spread = spread_of([abs(share) for share in lived.growth])
    return Tuned(
        name="rows_change_ratio",
        label_ko="행 수 급변 임계(G-2)",
        key="gates.rows_change_ratio",
        now=f"{gates.rows_change_ratio:g}",
        spread=spread,
        unit_ko="하루 행 수 변화의 비율",
        n_holds=lived.holds.get("row_count_jump", 0),
        proposed=f"{gates.rows_change_ratio:g}" if spread else "",
        reason=(
            "목록이 통째로 달라진 날을 거르는 바깥 한도이므로 그대로 두기를 권합니다. 작은 변화는 "
            "신규와 사라진 행의 한도가 먼저 봅니다."
        ),
    )


def _tune_gone(lived: Lived, gates: GateLimits) -> Tuned:
    spread = spread_of(lived.gone)
    seen = f"하루에 가장 많이 사라진 비율은 {spread.most:.2%}였습니다. " if spread else ""
    return Tuned(
        name="gone_ratio",
        label_ko="대량 취하 임계(G-5)",
        key="gates.gone_ratio",
        now=f"{gates.gone_ratio:g}",
        spread=spread,
        unit_ko="하루에 취하되거나 사라진 행의 비율",
        n_holds=lived.holds.get("mass_withdrawal", 0),
        proposed=f"{gates.gone_ratio:g}" if spread else "",
        reason=f"{seen}승인으로도 넘길 수 없는 한도이므로 그대로 두기를 권합니다.",
    )


def _tune_daily(
    lived: Lived, gates: GateLimits, name: str, label_ko: str, seen: tuple[Sequence[int], str]
) -> Tuned:
    """Return floor and cap of a daily count: the cap rises where ordinary days go beyond it."""
    counts, code = seen
    bound: DailyLimit = getattr(gates, name)
    cap, reason = bound.cap, "한도는 이 목록의 지난날에서 스스로 정해지며 이 두 값 사이에 머뭅니다."
    if len(counts) >= gates.history_after:
        usual = clip_highest(counts, gates.clipped_ratio)
        likely = find_quantile(usual, gates.tail_probability, most=_MOST_ROWS)
        if likely > bound.cap:
            cap = likely
            reason = f"보통 날에도 {likely:,}건까지 있을 수 있어 상한을 올리기를 권합니다."
    return Tuned(
        name=name,
        label_ko=label_ko,
        key=f"gates.{name}",
        now=_show_bound(bound.floor, bound.cap),
        spread=spread_of(counts),
        unit_ko="하루 건수",
        n_holds=lived.holds.get(code, 0),
        proposed=_show_bound(bound.floor, cap) if counts else "",
        reason=reason,
    )


def _show_bound(floor: int, cap: int) -> str:
    return f"{{floor: {floor}, cap: {cap}}}"


def _tune_profile(lived: Lived, gates: GateLimits) -> Tuned:
    spread = spread_of(lived.departures)
    proposed = max(gates.profile_factor, math.ceil(1.5 * spread.most)) if spread else 0
    return Tuned(
        name="profile_factor",
        label_ko="RAPTURE 결합 확률 0.05(G-9)",
        key="gates.profile_factor",
        now=f"{gates.profile_factor:g}",
        spread=spread,
        unit_ko="열의 모양이 평소에서 벗어난 배수",
        n_holds=lived.holds.get("profile_drift", 0),
        proposed=f"{proposed:g}" if spread else "",
        reason=(
            "결합 확률 대신 열마다 특징을 하나씩 이 배수와 견줍니다. 채택한 날에 본 가장 큰 값의 "
            "1.5배가 기준보다 클 때만 올리기를 권합니다."
        ),
    )


def _replace_simhash() -> Tuned:
    return Tuned(
        name="simhash_k",
        label_ko="SimHash k=3",
        key="",
        now="",
        spread=None,
        unit_ko="",
        n_holds=0,
        proposed="",
        reason=(
            "쓰지 않습니다. 짧은 글에서 실제 변경을 숨기므로 값의 정규 형식과 숫자·날짜·상태 같은 "
            "중요한 부분을 견줍니다."
        ),
    )


def _tune_delay(lived: Lived, settings: Settings) -> Tuned:
    now = settings.politeness.min_delay_s
    spread = spread_of(lived.response_s)
    proposed, reason = now, "서버가 거절한 적이 없고, 응답이 느리면 간격은 저절로 늘어납니다."
    if lived.n_refused:
        proposed = round(1.5 * now, 1)
        reason = f"서버가 {lived.n_refused:,}번 거절했으므로(429, 503) 간격을 늘리기를 권합니다."
    return Tuned(
        name="min_delay_s",
        label_ko="최소 요청 간격(초)",
        key="politeness.min_delay_s",
        now=f"{now:g}",
        spread=spread,
        unit_ko="응답 시간(초)",
        n_holds=lived.holds.get("retry_after", 0),
        proposed=f"{proposed:g}" if spread else "",
        reason=reason,
    )


def _tune_requests(lived: Lived, settings: Settings) -> Tuned:
    now = settings.budget.requests_per_day
    spread = spread_of(lived.requests)
    proposed = now
    if spread:
        wanted = max(_READS_OF_BAD_DAY * spread.median, 1.2 * spread.most)
        proposed = math.ceil(wanted / _STEP_OF_REQUESTS) * _STEP_OF_REQUESTS
    return Tuned(
        name="requests_per_day",
        label_ko="하루 요청 상한",
        key="budget.requests_per_day",
        now=f"{now:g}",
        spread=spread,
        unit_ko="하루 요청 수",
        n_holds=lived.holds.get("budget_exceeded", 0),
        proposed=f"{proposed:g}" if spread else "",
        reason="목록을 세 번 다시 읽는 날에도 넘지 않을 만큼만 둡니다.",
    )


def _tune_retention(lived: Lived, settings: Settings) -> Tuned:
    now, spread = settings.retention.raw_days, spread_of(lived.page_bytes)
    proposed, reason = now, "하루에 쓰는 크기를 아직 알 수 없습니다."
    if lived.day_bytes:
        of_day = max(1.0, sum(lived.day_bytes) / len(lived.day_bytes))
        if of_day * now > MOST_DISK_BYTES:
            proposed = max(LEAST_RAW_DAYS, int(MOST_DISK_BYTES / of_day))
        reason = (
            f"하루 평균 {_show_bytes(of_day)}, {now}일이면 {_show_bytes(of_day * now)}입니다"
            f"(권하는 상한 {_show_bytes(MOST_DISK_BYTES)})."
        )
    return Tuned(
        name="raw_days",
        label_ko="원본 보존 일수",
        key="retention.raw_days",
        now=f"{now:g}",
        spread=spread,
        unit_ko="보관된 페이지의 크기(바이트)",
        n_holds=0,
        proposed=f"{proposed:g}" if spread else "",
        reason=reason,
    )


def _show_bytes(number: float) -> str:
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"
