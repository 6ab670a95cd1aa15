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
from ..core.start.demands import asked_together
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
from .hollow_tests import NO_TESTS, FinalTests
from .named_tests import find_named_tests, own_name
from .time_limits import seconds_of_a_run
from .trees import RoomTrees, end_commit, room_trees

IMPORT = re.compile(r"^\s*(?:import|from|use|using|#\s*include)\b|\brequire\s*\(")
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
    tests: FinalTests = NO_TESTS,
) -> tuple[DemandProof, ...]:
    """What each test and each command shows that the agent names.

    One that asserts nothing and fails for another reason than a missing name shows that an error
    is no longer raised.
    """
    end = load_runs(loop, f"{FINAL_TREE_RUN}-{tree}")
    names, start = named_tests(loop), load_runs(loop, BASELINE_REPORTS)
    is_unnamed = any(not run.report.is_complete for run in end.values())
    count = Counter(names.values())
    old = _passed_at_start(start, count)
    wanted = {name for name in count if is_unnamed or count[name] > 1}
    texts = _texts_with_tests(folder, loop, tree, wanted | old)
    # A runner that names no tests may have run any of them at the start.
    is_any = any(run.evidence.passed and not run.report.is_complete for run in start.values())
    unchanged = _unchanged_tests(
        folder, loop, {name: found for name, found in texts.items() if is_any or name in old}
    )
    failed = [name for run in without.values() for name in run.report.failed_names]
    proofs = []
    for number, name in names.items():
        files = tuple(texts.get(name, ())) if is_unnamed else ()
        proof = judge_test(number, name, end, without, files, tests.words)
        if name in unchanged and not _has_failed(proof, failed):
            proof = _as_at_start(proof)
        is_kept = proof.outcome == PASSES_WITHOUT
        proof = proof.but(was_there=is_kept and name in old | unchanged)
        if proof.is_missing and own_name(name) in tests.hollow:
            proof = proof.but(outcome=NO_EVIDENCE, why=ASSERTS_NOTHING)
        is_shared = count[name] > 1
        proofs.append(_judge_shared(proof, loop, texts.get(name, {})) if is_shared else proof)
    ended, reverted = commands.get("end", {}), commands.get("without", {})
    for number, shows in named_commands(loop).items():
        name = demand_name(number)
        sides = [runs[name].evidence if name in runs else None for runs in (ended, reverted)]
        proofs.append(judge_command(number, shows, *sides))
    return tuple(sorted(proofs, key=lambda proof: proof.number))


def _passed_at_start(start: CheckRuns, names: Iterable[str]) -> set[str]:
    """The names that mean tests of which the start says that they passed."""
    passed = {test for run in start.values() for test in run.report.passed}
    return {name for name in names if find_named_tests(name, passed)[0]}


def _has_failed(proof: DemandProof, failed: Iterable[str]) -> bool:
    """Did the test itself run and fail without the work, and not only its file?"""
    return not proof.is_missing and bool(find_named_tests(proof.shows, failed)[0])


def _as_at_start(proof: DemandProof) -> DemandProof:
    """An unchanged test that cannot be loaded beside new ones passed at the start."""
    if proof.outcome != FAILS_WITHOUT:
        return proof
    return proof.but(outcome=PASSES_WITHOUT, is_missing=False)


def _unchanged_tests(
    folder: LoopFolder, loop: Loop, texts: dict[str, dict[str, str]]
) -> frozenset[str]:
    """The tests whose text is as it was at the start, with all that stood beside them then."""
    trees = room_trees(folder, loop)
    paths = sorted({path for found in texts.values() for path in found})
    start = _test_texts(trees, trees.baseline, paths)

    def is_unchanged(name: str, found: dict[str, str]) -> bool:
        title = own_name(name)
        return bool(found) and all(
            path in start and _is_same_test(title, path, start[path], text)
            for path, text in found.items()
        )

    return frozenset(name for name, found in texts.items() if is_unchanged(name, found))


def _is_same_test(name: str, path: str, before: str, after: str) -> bool:
    """Is the text of the test the same, and is nothing gone from what it may use of its file?"""
    own_before, used_before = _test_and_helpers(name, path, before)
    own_after, used_after = _test_and_helpers(name, path, after)
    return own_before == own_after and used_before <= used_after


def _test_and_helpers(name: str, path: str, text: str) -> tuple[str, set[str]]:
    """The text of the test, and the statements of its file that it may use, without imports."""
    suite = read_tests(path, text)
    tests = [test.source for test in suite.tests if test.own_name == name] if suite else []
    own = "\n".join(tests) or _text_around(name, path, text)
    used = (
        statement.source
        for helper in (suite.helpers if suite else ())
        if re.search(rf"\b{re.escape(helper.own_name)}\b", own)  # "": outside of functions
        for statement in helper.statements
    )
    return own, {each for each in used if not IMPORT.search(each)}


def _judge_shared(proof: DemandProof, loop: Loop, texts: dict[str, str]) -> DemandProof:
    """A test that is named for several demands shows those of which it has a word.

    What another test of its file says does not count; a table or a helper of the file does.
    """
    assert loop.demands is not None, "BUG: a named test belongs to a demand"
    if not texts or proof.outcome != FAILS_WITHOUT:
        return proof
    items, name = dict(enumerate(loop.demands.items, 1)), own_name(proof.shows)
    own = items.pop(proof.number).text
    others = {each.text for each in items.values() if each.shows == proof.shows}
    beside = asked_together(loop.spec, [own, *others])
    others = others.difference(*(texts for texts in beside if own in texts))
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
    texts, found = _test_texts(trees, end, paths), {}
    for name, title in titles.items():
        definition = re.compile(DEFINITION.format(name=re.escape(title)))
        found[name] = {path: text for path, text in texts.items() if definition.search(text)}
    return found


def _test_texts(trees: RoomTrees, commit: str, paths: list[str]) -> dict[str, str]:
    """The texts of these files in a commit; of a product file, the tests inside."""
    contents = kept_trees.file_contents(trees.root, trees.loop_path, commit, paths, MAX_BYTES)
    texts = {path: content.decode("utf-8", "replace") for path, content in contents.items()}
    return {
        path: text if is_test_file(path) or kind_in_tests(path) else inline_tests(path, text)
        for path, text in texts.items()
    }
