"""The demands of the spec in the revert test: the checks for them, and what they show."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable

from .. import lazy_re as re
from ..checks.test_files import inline_tests, is_test_file, kind_in_tests
from ..core.criteria import Criterion
from ..core.loop import Loop
from ..core.proof.clean_checkout import FINAL_TREE_RUN
from ..core.proof.demand_results import command_criteria, demand_name, named_commands
from ..core.proof.demands import FAILS_WITHOUT, NO_EVIDENCE, PASSES_WITHOUT, DemandProof
from ..ratchet.readers.definitions import definitions
from ..ratchet.readers.test_reader import read_tests
from ..repo import kept_trees
from ..repo.baseline import MAX_BYTES
from ..repo.plumbing import run_git
from ..store import trust
from ..store.folder import LoopFolder
from .checkout import (
    BASELINE_REPORTS,
    CheckRuns,
    PreparedRoom,
    load_runs,
    open_room,
    room_criteria,
    run_checks,
)
from .demand_tests import (
    checks_with,
    judge_command,
    judge_shared_test,
    judge_test,
    named_tests,
)
from .final_run import FinalRun, options_of_end
from .named_tests import find_named_tests, own_name
from .time_limits import seconds_of_a_run
from .trees import end_commit, room_trees

ASSERTS_NOTHING = "it asserts nothing: whatever the product returns, it passes"
# A function of this name, or the name as a title.
DEFINITION = r"\b{name}\s*\(|[\"'`]{name}[\"'`]|\({name}[,)]"


def demand_checks(loop: Loop, tree: str) -> list[Criterion]:
    """The checks in which a test runs that the agent names for a demand."""
    names = named_tests(loop)
    if not names:
        return []
    wanted = checks_with(names, load_runs(loop, f"{FINAL_TREE_RUN}-{tree}"))
    return [c for c in room_criteria(loop) if c.name in wanted]


def allowed_commands(folder: LoopFolder, loop: Loop) -> list[Criterion]:
    """The commands that the agent names and that a person allowed, like any command of a model."""
    commands = command_criteria(loop)
    return [c for c in commands if c.check and trust.is_allowed(folder, c.check)]


def run_commands(final_run: FinalRun, reverted: PreparedRoom) -> dict[str, CheckRuns]:
    """The allowed commands on the final files and on those without the work, by their demand."""
    folder, loop = final_run.folder, final_run.loop
    commands = allowed_commands(folder, loop)
    if not commands:
        return {}
    final_run.time_limit.require(seconds_of_a_run(loop), 2)
    without = run_checks(folder, loop, reverted, commands)
    with open_room(folder, loop, final_run.end, options_of_end(final_run)) as room:
        end = run_checks(folder, loop, room, commands)
    return {"end": end, "without": without}


def judge_demands(
    folder: LoopFolder,
    loop: Loop,
    tree: str,
    without: CheckRuns,
    commands: dict[str, CheckRuns],
    hollow: frozenset[str] = frozenset(),
) -> tuple[DemandProof, ...]:
    """What each test and each command shows that the agent names; `hollow` assert nothing.

    One that fails for another reason than a missing name shows that an error is no longer raised.
    """
    end = load_runs(loop, f"{FINAL_TREE_RUN}-{tree}")
    names, start = named_tests(loop), load_runs(loop, BASELINE_REPORTS)
    is_unnamed = any(not run.report.is_complete for run in end.values())
    count = Counter(names.values())
    wanted = {name for name in count if is_unnamed or count[name] > 1}
    texts = _texts_with_tests(folder, loop, tree, wanted)
    proofs = []
    for number, name in names.items():
        files = tuple(texts.get(name, ())) if is_unnamed else ()
        proof = _with_start(judge_test(number, name, end, without, files), start)
        if proof.is_missing and own_name(name) in hollow:
            proof = proof.but(outcome=NO_EVIDENCE, why=ASSERTS_NOTHING)
        is_shared = count[name] > 1
        proofs.append(_judge_shared(proof, loop, texts.get(name, {})) if is_shared else proof)
    ended, reverted = commands.get("end", {}), commands.get("without", {})
    for number, shows in named_commands(loop).items():
        name = demand_name(number)
        sides = [runs[name].evidence if name in runs else None for runs in (ended, reverted)]
        proofs.append(judge_command(number, shows, *sides))
    return tuple(sorted(proofs, key=lambda proof: proof.number))


def _with_start(proof: DemandProof, start: CheckRuns) -> DemandProof:
    """Did the test that shows nothing new pass at the start already?"""
    passed = {test for run in start.values() for test in run.report.passed}
    was_there = proof.outcome == PASSES_WITHOUT and bool(find_named_tests(proof.shows, passed)[0])
    return proof.but(was_there=was_there)


def _judge_shared(proof: DemandProof, loop: Loop, texts: dict[str, str]) -> DemandProof:
    """A test that is named for several demands shows those of which it has a word.

    What another test of its file says does not count; a table or a helper of the file does.
    """
    assert loop.demands is not None, "BUG: a named test belongs to a demand"
    if not texts or proof.outcome != FAILS_WITHOUT:
        return proof
    items, name = dict(enumerate(loop.demands.items, 1)), own_name(proof.shows)
    own = items.pop(proof.number).text
    others = [each.text for each in items.values() if each.shows == proof.shows]
    return judge_shared_test(proof, own, others, [_own_text(name, *e) for e in texts.items()])


def _own_text(name: str, path: str, text: str) -> str:
    """The text without its other tests, if these can be told apart."""
    suite = read_tests(path, text)
    own = [test.source for test in suite.tests if test.own_name == name] if suite else []
    if suite is None or not own:
        return _text_around(name, path, text)
    return "\n".join([*own, *(helper.source for helper in suite.helpers)])


def _text_around(title: str, path: str, text: str) -> str:
    """The function in which a title stands, or the paragraph; without either, the whole text."""
    place = text.find(title)
    line = text.count("\n", 0, place) + 1
    around = [each for each in definitions(path, text) if each.first <= line <= each.last]
    if place < 0 or not title:
        return text
    if around:
        return min(around, key=lambda each: len(each.text)).text
    start, end = text.rfind("\n\n", 0, place), text.find("\n\n", place)
    return text[max(start, 0) : end if end >= 0 else None]


def _texts_with_tests(
    folder: LoopFolder, loop: Loop, tree: str, names: Iterable[str]
) -> dict[str, dict[str, str]]:
    """The test files of the final tree that define the named tests, with their texts."""
    trees, end = room_trees(folder, loop), end_commit(folder, loop, tree)
    titles = {name: own_name(name) for name in names}
    words = [word for title in titles.values() if title for word in ("-e", title)]
    if not words or not end:
        return {}
    own = os.path.join(trees.loop_path, "tree")
    _, out = run_git(trees.root, own, "grep", "-lzwF", *words, end, "--")
    paths = [os.fsdecode(row.partition(b":")[2]) for row in out.split(b"\0") if row]
    contents = kept_trees.file_contents(trees.root, trees.loop_path, end, paths, MAX_BYTES)
    texts = {
        path: text if is_test_file(path) or kind_in_tests(path) else inline_tests(path, text)
        for path, text in ((p, c.decode("utf-8", "replace")) for p, c in contents.items())
    }
    found = {}
    for name, title in titles.items():
        definition = re.compile(DEFINITION.format(name=re.escape(title)))
        found[name] = {path: text for path, text in texts.items() if definition.search(text)}
    return found
