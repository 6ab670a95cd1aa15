"""What shows each demand of the spec, and which demands are shown by nothing."""

from __future__ import annotations

from ... import lazy_re as re
from ..criteria import Check, Criterion
from ..loop import Loop
from ..record import Record
from .clean_checkout import REVERT_RUN, TRUSTED, RoomRun
from .demands import (
    COMMAND_MARK,
    FAILS_WITHOUT,
    NOT_ALLOWED,
    PASSES_WITHOUT,
    Demand,
    DemandProof,
)
from .strength import NOT_NOTICED, NOTICED, StrengthItem

SHOWN, KEPT, CHECKED, NOT_SHOWN = "shown", "kept", "check", "not shown"
NOTHING_NAMED = "no test is named"
NOT_COMPARED = "no clean checkout tried it without the work"
# A demand that asks to keep something. A test that passes without the work too shows it.
ASKS_TO_KEEP = re.compile(
    r"\b(?:keep|keeps|still|remain\w*|stays?|unchanged|continues? to|as before|preserv\w+"
    r"|always (?:possible|allowed|permitted)"
    r"|(?:backwards?|backward)[- ]compatib\w*)\b"
    r"|(?:not|n't|never|without|no)\b.{0,30}\b(?:break|chang|affect|alter|touch|modif|regress)\w*"
    # What must not happen does not happen before the work either, unless it is a bug.
    r"|\b(?:(?:must|may|should|shall) (?:not|never) |without (?:having (?=\w+ed\b)"
    r"|(?=\w+ing\b(?<!having))))"
    r"(?!(?:be )?(?:fail|crash|rais|throw|los|leak|hang|drop|return|accept|ignor|stop|block))",
    re.I,
)


NAME_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
NO_SUBJECT = ("test", "tests", "the", "and", "for", "should", "case", "spec")
STEM, MIN_WORDS = 4, 2


class DemandResult(Record):
    """One demand, and what shows it."""

    number: int
    text: str
    outcome: str
    shown_by: str = ""  # a test, the name of a check, or a command
    why: str = ""  # nothing shows it because of this
    same_as: int = 0  # the first demand that the same test is named for; 0: none before
    is_open: bool = False  # a person must look
    is_missing: bool = False  # the test fails without the work only for want of a name or a file


def demand_results(loop: Loop) -> tuple[DemandResult, ...]:
    """One result for each demand of the spec, in their order."""
    if not loop.demands:
        return ()
    proofs = _proofs(loop)
    results: list[DemandResult] = []
    first_with: dict[str, int] = {}
    for number, demand in enumerate(loop.demands.items, 1):
        result = _result(loop, number, demand, proofs.get(number))
        if result.shown_by and result.outcome in (SHOWN, KEPT):
            first = first_with.setdefault(result.shown_by, number)
            result = result.but(same_as=first if first != number else 0)
        results.append(result)
    return tuple(results)


def open_demands(loop: Loop) -> tuple[DemandResult, ...]:
    """The demands that nothing shows; a test of a new demand that also passes without the work."""
    return tuple(result for result in demand_results(loop) if result.is_open)


def _revert_runs(loop: Loop) -> list[RoomRun]:
    """The revert tests of this tree, in a clean checkout that can be trusted."""
    runs = [run for run in loop.room.runs if (run.kind, run.tree) == (REVERT_RUN, loop.tree)]
    return runs if loop.room.status == TRUSTED else []


def _proofs(loop: Loop) -> dict[int, DemandProof]:
    return {proof.number: proof for run in _revert_runs(loop) for proof in run.demands}


def _checks_failing_without(loop: Loop) -> set[str]:
    """The checks that name no tests and fail, in the form that the agent gave them, without it."""
    checks = [check for run in _revert_runs(loop) for check in run.checks]
    return {check.criterion for check in checks if check.work_tests == (check.criterion,)}


def _result(loop: Loop, number: int, demand: Demand, proof: DemandProof | None) -> DemandResult:
    is_whole = bool(demand.criterion)
    if name := demand.criterion or named_criterion(loop, demand.shows):
        return _result_of_check(loop, number, demand, name, is_whole)
    result = DemandResult(number, demand.text, NOT_SHOWN, demand.shows, is_open=True)
    if not demand.shows:
        return result.but(why=NOTHING_NAMED)
    if not proof or proof.shows != demand.shows:
        return result.but(why=NOT_COMPARED)
    if proof.outcome == FAILS_WITHOUT:
        shown_by = ", ".join(proof.tests) or demand.shows
        missing = proof.is_missing
        if part := _spare_part(loop, demand, missing):
            who = "only earlier tests" if part.result == NOTICED else "no check"
            return result.but(why=f"{part.taken}, and {who} noticed")
        return result.but(outcome=SHOWN, shown_by=shown_by, is_missing=missing, is_open=False)
    if proof.outcome == PASSES_WITHOUT:
        from .measured_strength import strength_of

        shown_by = ", ".join(proof.tests) or demand.shows
        is_kept = strength_of(loop).of_tests or bool(ASKS_TO_KEEP.search(demand.text))
        is_kept = is_kept or (proof.was_there and is_named_after(demand.shows, demand.text))
        return result.but(outcome=KEPT, shown_by=shown_by, is_open=not is_kept)
    return result.but(why=proof.why)


def _spare_part(loop: Loop, demand: Demand, is_missing: bool) -> StrengthItem | None:
    """The function of this demand without whose change its test passes too; None if there is none.

    The named test itself is none: in C, a program of tests may look like product.
    """
    from .measured_strength import strength_of

    test = _own_name(demand.shows)
    named = [
        item
        for item in strength_of(loop).items
        if item.emptied and _own_name(item.emptied) != test and _is_of_demand(item, demand.text)
    ]
    # A test that only misses a name may ask for that alone, whatever the function does.
    is_name_enough = is_missing and all(item.is_spare for item in named)
    return next((i for i in named if is_name_enough or i.result == NOT_NOTICED), None)


def _is_of_demand(part: StrengthItem, demand: str) -> bool:
    return is_named_after(part.emptied, demand) or is_named_as_code(part.emptied, demand)


def is_named_as_code(function: str, text: str) -> bool:
    """Does the text mean the function, and not a word of prose: `name(`, in backticks, a_name?"""
    name = function.rpartition(".")[2]
    word = rf"(?<!\w){re.escape(name)}"
    if "_" in name.strip("_") or re.search("[a-z][A-Z]", name):
        return bool(re.search(rf"{word}(?!\w)", text))
    return bool(re.search(rf"{word}\(|`[^`\n]*{word}(?!\w)[^`\n]*`", text))


def _own_name(test: str) -> str:
    return re.split(r"::|[./]| > | › ", test)[-1]


def is_named_after(test: str, demand: str) -> bool:
    """Does the name of the test or function say what the demand says?"""
    words = [w.casefold() for w in NAME_WORD.findall(_own_name(test))]
    words = [word[:STEM] for word in words if len(word) > 2 and word not in NO_SUBJECT]
    stems = {word[:STEM] for word in re.findall(r"[a-z]+", demand.casefold())}
    return len(words) >= MIN_WORDS and stems.issuperset(words)


def named_criterion(loop: Loop, shows: str) -> str:
    """The criterion whose name or command the agent gives; "" if it names something else."""
    said = shows.removeprefix("$").strip().casefold()
    with_check = (c for c in loop.criteria if c.check)
    names = (c.name for c in with_check if said in (c.name.casefold(), _command(c).casefold()))
    return next(names, "") if said else ""


def demand_name(number: int) -> str:
    return f"demand {number}"


def named_commands(loop: Loop) -> dict[int, str]:
    """The commands that the agent names and that are no check of the loop, by their demand."""
    named = loop.demands.named if loop.demands else ()
    commands = {number: shows for number, shows in named if shows.startswith(COMMAND_MARK)}
    return {n: shows for n, shows in commands.items() if not named_criterion(loop, shows)}


def command_criteria(loop: Loop) -> list[Criterion]:
    """These commands as checks that wait for a person, like any command of a model."""
    return [
        Criterion(
            demand_name(number),
            Check(shows.removeprefix(COMMAND_MARK).strip(), origin="proposed", allowed=False),
        )
        for number, shows in named_commands(loop).items()
    ]


def unjudged_demands(loop: Loop, run: RoomRun, with_waiting: bool) -> tuple[int, ...]:
    """The demands for which the agent names a test that this run did not look for.

    `with_waiting`: a person may have allowed commands since.
    """
    judged = {
        (proof.number, proof.shows)
        for proof in run.demands
        if not (with_waiting and proof.outcome == NOT_ALLOWED)
    }
    named = loop.demands.named if loop.demands else ()
    tests = [row for row in named if not named_criterion(loop, row[1])]
    return tuple(row[0] for row in tests if row not in judged)


def _command(c: Criterion) -> str:
    return c.check.command_line if c.check else ""


def _result_of_check(
    loop: Loop, number: int, demand: Demand, name: str, is_whole: bool
) -> DemandResult:
    """A check that covers the demand as a whole only has to pass; another must have been red."""
    c = next((c for c in loop.criteria if c.name == name), None)
    result = DemandResult(number, demand.text, NOT_SHOWN, name, is_open=True)
    if not c or not c.proof or not loop.is_met(c) or c.is_verified_by("agent"):
        return result.but(why="its check does not pass" if c else "its check was dropped")
    was_red = c.guard is False and not c.could_not_run
    if was_red or not c.is_verified_by("loop"):
        return result.but(outcome=CHECKED, is_open=False)
    if name in _checks_failing_without(loop):
        return result.but(outcome=SHOWN, is_open=False)
    is_kept = is_whole or bool(ASKS_TO_KEEP.search(demand.text))
    return result.but(outcome=KEPT, is_open=not is_kept)
