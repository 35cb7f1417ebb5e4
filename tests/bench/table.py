"""From samples to ratios, and the table."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from goals import Goal, Mix, cases, mix
from measure import Results, Samples
from probe import Failed

# A base that spreads more than this between its 10 % and 90 % quantiles was disturbed: then the quick runs decide.
STEADY = 1.3
HEAD = ("goal", "what", "ours", "floor or peer", "ratio", "p10", "wanted", "holds")


@dataclass(frozen=True)
class Row:
    """One goal, measured."""

    goal: Goal
    cells: tuple[str, ...]
    # None: not a goal, or not measured.
    holds: bool | None
    note: str = ""


def row(goal: Goal, results: Results) -> Row:
    failed = next((results[case] for case in cases(goal) if isinstance(results.get(case), Failed)), None)
    if failed is not None or not cases(goal) <= results.keys():
        wanted = "" if goal.limit is None else f"{goal.limit:g}"
        return Row(goal, (goal.id, goal.what, "", "", "", "", wanted, "not measured"), None, str(failed or "not run"))
    samples = {case: found for case in cases(goal) if isinstance(found := results[case], Samples)}
    ours, base = middle(mix(goal.ours), samples), middle(mix(goal.base), samples) or fixed(goal)
    ratio, quick = statistics.median(per_round(goal, samples)), quick_ratio(goal, samples)
    decides = ratio if steady(goal, samples) else quick
    holds = None if goal.limit is None else decides <= goal.limit
    mark = "" if decides == ratio or goal.limit is None else " *"
    return Row(
        goal,
        (
            goal.id,
            goal.what,
            amount(ours, goal),
            amount(base, goal) if mix(goal.base) else "",
            number(ratio),
            number(quick),
            "" if goal.limit is None else f"<= {goal.limit:g}",
            {None: "", True: "yes", False: "no"}[holds] + mark,
        ),
        holds,
    )


def fixed(goal: Goal) -> float:
    assert isinstance(goal.base, int | float)
    return float(goal.base)


def middle(parts: Mix, samples: dict[str, Samples]) -> float:
    return sum(factor * statistics.median(samples[case].all) for case, factor in parts.items())


def per_round(goal: Goal, samples: dict[str, Samples]) -> list[float]:
    """The ratio within each round, so that what disturbs one disturbs both."""
    rounds = min(len(found.rounds) for found in samples.values())

    def value(parts: Mix, i: int) -> float:
        return sum(factor * samples[case].rounds[i] for case, factor in parts.items())

    return [value(mix(goal.ours), i) / (value(mix(goal.base), i) or fixed(goal)) for i in range(rounds)]


def quick_ratio(goal: Goal, samples: dict[str, Samples]) -> float:
    """The ratio of the 10 % quantiles: what both take when nothing disturbs."""

    def value(parts: Mix) -> float:
        return sum(factor * samples[case].quantile(0.1) for case, factor in parts.items())

    return value(mix(goal.ours)) / (value(mix(goal.base)) or fixed(goal))


def steady(goal: Goal, samples: dict[str, Samples]) -> bool:
    bases = [samples[case] for case in mix(goal.base)]
    return all(base.quantile(0.9) / base.quantile(0.1) < STEADY for base in bases)


def amount(value: float, goal: Goal) -> str:
    if goal.base == 1:
        return f"{value:.2f} x"
    for unit, size in (("ns", 1.0), ("us", 1e3), ("ms", 1e6)):
        if abs(value) < size * 1000:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e6:.0f} ms"


def number(value: float) -> str:
    return f"{value:.3f}" if value >= 0.01 else f"{value:.2g}"


def text(rows: list[Row]) -> str:
    """The table as Markdown, with what went wrong below it."""
    lines = [HEAD, *(row.cells for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    right = {"ours", "floor or peer", "ratio", "p10", "wanted"}

    def line(cells: tuple[str, ...]) -> str:
        padded = [
            cell.rjust(width) if head in right else cell.ljust(width)
            for cell, width, head in zip(cells, widths, HEAD, strict=True)
        ]
        return f"| {' | '.join(padded)} |"

    columns = zip(widths, HEAD, strict=True)
    rule = "|".join("-" * (width + 1) + (":" if head in right else "-") for width, head in columns)
    table = [line(HEAD), f"|{rule}|", *(line(row.cells) for row in rows)]
    notes = [f"- not measured: {row.goal.id}, {row.goal.what}: {row.note}" for row in rows if row.note]
    return "\n".join(table + ([""] + notes if notes else []))


def verdict(rows: list[Row]) -> str:
    goals = [row for row in rows if row.goal.limit is not None]
    held = sum(row.holds is True for row in goals)
    missed = sum(row.holds is False for row in goals)
    return f"{held} of {len(goals)} hold, {missed} do not, {len(goals) - held - missed} were not measured"
