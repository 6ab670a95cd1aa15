"""What the runs of the final proof share: their trees, their files and the record of a run."""

from __future__ import annotations

from ..core.findings import HIGH, Finding
from ..core.loop import Loop
from ..core.proof.clean_checkout import FAILED, PASSED, RoomRun
from ..core.record import Record
from ..ratchet.settings_rules.manifests import is_manifest, mixed_manifest
from ..store.folder import LoopFolder
from ..verify.test_report import TestReport
from .checkout import CheckRuns, PreparedRoom, RoomOptions, options_of_start, summarize_run
from .committed import Committed
from .groups import run_in_rooms
from .overlay import lay_over
from .packages import detected_setup
from .surroundings import Surroundings
from .time_limits import TimeLimit
from .trees import room_trees


class FinalRun(Record):
    """What one run of the final proof works on."""

    folder: LoopFolder
    loop: Loop
    tree: str
    end: str  # the commit of the final tree
    changes: Surroundings
    time_limit: TimeLimit
    committed: Committed = Committed()  # what the replay also runs with


def finished_run(kind: str, tree: str, runs: CheckRuns, findings: list[Finding]) -> RoomRun:
    grave = [finding for finding in findings if finding.severity == HIGH]
    return RoomRun(
        kind=kind,
        tree=tree,
        outcome=FAILED if grave else PASSED,
        checks=tuple(summarize_run(name, run) for name, run in runs.items()),
        findings=tuple(findings),
    )


def report_at_start(loop: Loop, baseline: CheckRuns, name: str) -> TestReport:
    """The results of single tests at the start; empty where they may still fail at the end."""
    is_frozen = any(c.name == name and c.check and c.check.frozen for c in loop.criteria)
    if is_frozen or name not in baseline:
        return TestReport()
    return baseline[name].report


def replay(
    final_run: FinalRun,
    restored: tuple[str, ...],
    committed: Committed | None = None,
    changed_calls: frozenset[str] = frozenset(),
) -> CheckRuns:
    """The checks on the end, with these files as they are at the baseline.

    Those of `committed` are as they are in the last commit before the start. Functions of tests
    that use `changed_calls` are as they are at the end.
    """
    folder, loop = final_run.folder, final_run.loop

    def arrange(room: PreparedRoom) -> None:
        tests = final_run.changes.former_tests
        layers = [
            layer.but(changed_calls=changed_calls if layer.path in tests else frozenset())
            for layer in final_run.changes.layers
            if layer.path in restored
        ]
        lay_over(room.path, room_trees(folder, loop).baseline, layers)
        if committed:
            lay_over(room.path, committed.commit, committed.layers)

    return run_in_rooms(folder, loop, final_run.end, options_of_end(final_run), arrange)


def options_of_end(final_run: FinalRun) -> RoomOptions:
    """How the room of the final product is prepared.

    The setup runs with the scripts of the start, and without permission with its packages too: an
    install script of a new package would run as the person.
    """
    loop, changes = final_run.loop, final_run.changes
    options = options_of_start(loop).but(baseline_paths=changes.grave_paths)
    if not changes.manifests:
        return options
    if not loop.room.allow_new_packages:
        paths = dict.fromkeys((*changes.grave_paths, *changes.manifests))
        return options.but(baseline_paths=tuple(paths))
    mixed = tuple(
        (path, mixed_manifest(path, before, after))
        for path, before, after in changes.texts
        if path in changes.manifests and is_manifest(path) and before and after
    )
    others = tuple(path for path in changes.grave_paths if path not in changes.manifests)
    setup = loop.room.setup or detected_setup(final_run.folder.root)
    return options.but(setup=setup, packages="", baseline_paths=others, setup_texts=mixed)
