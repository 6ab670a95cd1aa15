"""The pages of a plan loop: VERIFICATION.md, which `core/gaps.py` reads back, and summary.md of a phase. Pure."""

from __future__ import annotations

from html import escape

from ..core.gaps import GAPS_FOUND, HUMAN_NEEDED, MOST_FILE, MOST_GAPS, PASSED, gap_of, merged
from ..core.loop import Criterion, Loop
from ..core.plan import COMMANDS, E2E, VERIFY, Gap, Plan, Task, names, plan_of
from ..core.proving import artifacts
from ..core.reports import plain
from ..core.wording import clip, counted, spent
from .board import ending

PROVEN, CONFIRMED, CLAIMED, FAILS, OPEN = "proven", "confirmed", "claimed", "fails", "open"
SIGNS = {PROVEN: "✓ passed", CONFIRMED: "✓ confirmed", CLAIMED: "? claimed", FAILS: "✗ failed", OPEN: "– open"}
NONE = "–"
MOST_CELL, MOST_ROUNDS, MOST_CLOSED = 200, 50, 20


def text(loop: Loop) -> str:
    """VERIFICATION.md: how each criterion stands on the tree of the last Stop, and every gap."""
    plan = plan_of(loop)
    parts = [
        f"# Verification Report: Phase {_words(plan.phase)}",
        "",
        f"## Status: {status(loop)}",
        "",
        f"{sum(map(loop.is_met, loop.criteria))} of {len(loop.criteria)} criteria hold, {counted(len(gaps(loop)), 'gap')}, "
        f"round {plan.round} of {plan.rounds}.",
        *_section("CI Checks", _table("Check Status Time Notes", [_command(c, loop) for c in _commands(loop)])),
        *_section("Observable Truths", _table("Truth Status Evidence", [_truth(c, loop) for c in _truths(loop)])),
        *_section("Artifact Inventory", _table("File L1 L2 L3 Notes", _inventory(loop))),
        *_section("Key Links", _table("From To Connection Status", _links(loop))),
        *_section("Task Checks", _table("Task Title Passed Notes", [_checks(task, loop) for task in plan.tasks])),
        *_section("Gaps", _listed(gaps(loop), plan)),
        *_section("Human Verification Required", [f"- [ ] {row}" for row in _for_a_person(loop)]),
        *_section("History", _history(plan)),
    ]
    return "\n".join(parts).rstrip() + "\n"


def status(loop: Loop) -> str:
    """human_needed: nothing fails, but something is open or only claimed, and no person has confirmed it."""
    if gaps(loop):
        return GAPS_FOUND
    return HUMAN_NEEDED if _for_a_person(loop) or not loop.criteria else PASSED


def gaps(loop: Loop) -> tuple[Gap, ...]:
    """Those that the plan holds, and one for each failing criterion that they do not cover."""
    known = plan_of(loop).gaps
    covered = {gap.criterion for gap in known}
    failing = (c for c in loop.criteria if standing(c, loop) == FAILS and c.name not in covered)
    return merged((*known, *map(gap_of, failing)))


def standing(c: Criterion, loop: Loop) -> str:
    if c.check and c.check.allowed:
        ours = c.proof if c.proof and c.proof.by == "loop" and c.proof.tree == loop.tree else None
        return OPEN if not ours else PROVEN if ours.passed else FAILS
    if not loop.is_met(c):
        return OPEN
    return CONFIRMED if c.proof and c.proof.by == "person" else CLAIMED


def summary(loop: Loop) -> str:
    """summary.md of a phase: what was done, what it took, what is left."""
    plan = plan_of(loop)
    retried = [failed for failed in plan.failed if failed.times]
    tasks = [_done(task, plan) for task in plan.tasks]
    parts = [
        f"# Phase {_words(plan.phase)}{f': {_words(plan.title)}' if plan.title else ''}",
        "",
        f"**Verdict:** {loop.status}{_words(ending(loop))}",
        f"**Verification:** {status(loop)} after {counted(plan.round, 'round')} of fixing",
        f"**Tasks:** {sum(task.id in plan.done for task in plan.tasks)}/{len(plan.tasks)}, "
        f"{counted(sum(failed.times for failed in retried), 'failed attempt')}",
        f"**Iterations:** {loop.spend.iterations}/{loop.limits.iterations}",
        f"**Cost:** {spent(loop)}/${loop.limits.dollars:.2f}",
        f"**Time:** {loop.spend.seconds / 60:.0f}/{loop.limits.minutes:g} min",
        *_section("Tasks", _table("Task Title Status Commit Attempts", tasks)),
        *_section("Retries", [f"- {_words(f.task)}: {f.times}, the last: {_words(f.error) or NONE}" for f in retried]),
        *_section("Gaps", _by_round(plan)),
        *_section("Parked", [f"- {_words(name)}" for name in _parked(loop)]),
        *_section("Issues found", [f"- {_words(issue)}" for issue in plan.issues]),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _commands(loop: Loop) -> list[Criterion]:
    return [c for name in (*COMMANDS, E2E) for c in loop.criteria if c.name == name]


def _truths(loop: Loop) -> list[Criterion]:
    """The must-haves, and what a person asked for beside the plan."""
    plan = plan_of(loop)
    elsewhere = {*COMMANDS, E2E, *(name for task in plan.tasks for name in names(task))}
    elsewhere |= {f"artifact {file.path}" for file in artifacts(plan)}
    elsewhere |= {f"link {link.source} → {link.target}" for link in plan.links}
    return [c for c in loop.criteria if c.name not in elsewhere]


def _named(name: str, loop: Loop) -> Criterion:
    return next((c for c in loop.criteria if c.name == name), Criterion(name))


def _command(c: Criterion, loop: Loop) -> list[str]:
    here = standing(c, loop)
    seconds = f"{c.proof.seconds:.1f} s" if c.proof and here in (PROVEN, FAILS) else NONE
    return [_words(c.name), SIGNS[here], seconds, _evidence(c, loop)]


def _truth(c: Criterion, loop: Loop) -> list[str]:
    return [_words(c.name), SIGNS[standing(c, loop)], _evidence(c, loop)]


def _evidence(c: Criterion, loop: Loop) -> str:
    """By which evidence it holds, or why it does not."""
    proof, claim = c.proof, c.claim
    here = standing(c, loop)
    if here == PROVEN and c.check:
        return f"proven by {_code(c.check.line)}"
    if here == FAILS and proof:
        last = _words(proof.detail.strip().rpartition("\n")[2]) or "no output"
        return f"{last} ({_code('.loop/' + proof.log)})" if proof.log else last
    if here == CONFIRMED:
        return "a person confirmed it"
    if here == CLAIMED and claim:
        return _words(f"the agent says so ({claim.kind or 'no evidence given'}) {claim.evidence}")
    if not c.check:
        return "nobody has shown it"
    return "not run on this tree" if c.check.allowed else f"{_code(c.check.line)} waits for `loop allow`"


def _inventory(loop: Loop) -> list[list[str]]:
    rows = []
    for file in artifacts(plan_of(loop)):
        c = _named(f"artifact {file.path}", loop)
        seen = c.proof.detail if c.proof and standing(c, loop) in (PROVEN, FAILS) else ": not looked at on this tree"
        levels, _, note = seen.partition(": ")
        rows.append([_code(file.path), *(_level(levels, name) for name in ("L1", "L2", "L3")), _words(f"{file.action}; {note}")])
    return rows


def _level(levels: str, name: str) -> str:
    """✓ or ✗ as the probe wrote it; a level that was not asked for has neither."""
    mark = levels.partition(f"{name} ")[2][:1]
    return mark if mark in ("✓", "✗") else NONE


def _links(loop: Loop) -> list[list[str]]:
    found = ((link, _named(f"link {link.source} → {link.target}", loop)) for link in plan_of(loop).links)
    return [[_code(k.source), _code(k.target), _words(k.how), SIGNS[standing(c, loop)]] for k, c in found]


def _checks(task: Task, loop: Loop) -> list[str]:
    found = [_named(name, loop) for name in names(task)]
    rest = [f"{c.name}: {standing(c, loop)}" for c in found if standing(c, loop) not in (PROVEN, CONFIRMED)]
    parked = ["parked"] if task.id in plan_of(loop).parked else []
    held = f"{sum(map(loop.is_met, found))}/{len(found)}" if found else "no check"
    return [_words(task.id), _words(task.title), held, _words("; ".join((*parked, *rest)))]


def _listed(found: tuple[Gap, ...], plan: Plan) -> list[str]:
    if not found:
        return []
    more = [f"… and {len(found) - MOST_GAPS} more"] if len(found) > MOST_GAPS else []
    return ["```xml", "<gaps>", *(_gap(gap, plan) for gap in found[:MOST_GAPS]), "</gaps>", "```", *more]


def _gap(gap: Gap, plan: Plan) -> str:
    file, target = escape(plain(gap.file, MOST_FILE)), escape(plain(gap.target, MOST_FILE))
    where = f'from="{file}" to="{target}"' if target else f'file="{file}"'
    parked = ' parked="true"' if gap.key in plan.parked else ""
    return f'  <gap type="{gap.kind}" {where}{parked}>{escape(plain(gap.text))}</gap>'


def _for_a_person(loop: Loop) -> list[str]:
    """What is open or only claimed, and what nobody tries any more."""
    plan = plan_of(loop)
    waiting = [c for c in loop.criteria if standing(c, loop) in (OPEN, CLAIMED)]
    return [
        *(f"{_words(c.name)}: {_evidence(c, loop)}" for c in waiting),
        *(f"{_words(name)}: parked, out of retries. {_words(plan.failure(name).error)}".rstrip() for name in _parked(loop)),
    ]


def _parked(loop: Loop) -> list[str]:
    """Tasks and gaps out of retries; not those that somebody has mended since."""
    plan = plan_of(loop)
    left = {task.id for task in plan.tasks if task.id not in plan.done} | {gap.key for gap in gaps(loop)}
    return [name for name in plan.parked if name in left]


def _history(plan: Plan) -> list[str]:
    rows = [[str(r.iteration), _words(r.kind), _words(r.result), _words(", ".join(r.gaps))] for r in plan.history]
    return _table("Iteration Kind Result Gaps", rows[-MOST_ROUNDS:]) if rows else []


def _done(task: Task, plan: Plan) -> list[str]:
    state = "done" if task.id in plan.done else "parked" if task.id in plan.parked else "open"
    attempts = plan.failure(task.id).times + (state == "done")
    return [_words(task.id), _words(task.title), state, _commit(task.id, plan) or NONE, str(attempts)]


def _commit(name: str, plan: Plan) -> str:
    return ", ".join(_code(commit[:12]) for owner, commit in plan.commits if owner == name)


def _by_round(plan: Plan) -> list[str]:
    """What each verification found, and what was gone since the one before."""
    rows, before = [], set[str]()
    for r in (r for r in plan.history if r.kind == VERIFY):
        closed = [f"{_words(key)} {_commit(key, plan)}".rstrip() for key in sorted(before - set(r.gaps))]
        rows.append([str(r.iteration), _words(", ".join(r.gaps)) or NONE, ", ".join(closed[:MOST_CLOSED]) or NONE])
        before = set(r.gaps)
    return _table("Iteration Found Closed", rows[-MOST_ROUNDS:]) if rows else []


def _table(head: str, rows: list[list[str]]) -> list[str]:
    titles = head.split()
    return [f"| {' | '.join(row)} |" for row in (titles, ["---"] * len(titles), *rows)] if rows else ["None."]


def _words(said: str) -> str:
    """Somebody's words in a cell or a line: no end of it, no other cell, no code, no tag, no heading, no link's address."""
    shown = "".join(f"\\{letter}" if letter in "\\`<|" else letter for letter in clip(plain(said), MOST_CELL))
    return f" {shown}".replace(" #", " \\#").replace("]:", "]\\:")[1:]


def _code(said: str) -> str:
    shown = clip(plain(said), MOST_CELL)
    return _words(said) if set(shown) & set("`|\\") else f"`{shown}`" if shown else NONE


def _section(title: str, rows: list[str]) -> list[str]:
    return ["", f"## {title}", "", *rows] if rows else []
