"""The room: a clean checkout of one tree, outside the project, in which checks run.

It has the files of the tree without ignored files, and the packages that were installed before the
agent worked.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from ..core.criteria import Check, Criterion, Evidence
from ..core.loop import Loop
from ..core.policies.clean_checkout_runs import missing_runs
from ..core.proof.clean_checkout import OFF, RoomCheck
from ..core.proof.tool_counts import tolerate_known_failures
from ..core.record import Record
from ..disk.files import make_folder, write_private
from ..disk.temporary import own_prefix
from ..disk.user_folders import state_home
from ..repo import kept_trees
from ..repo.checkout import CheckoutFailed, create_checkout, remove_checkout, restore_paths
from ..store.folder import LoopFolder
from ..store.state_folder import room_store
from ..verify.runner import Launcher, run_with_report
from ..verify.test_report import FailedTest, TestReport
from ..verify.unrunnable import could_not_run
from . import checkout_files, path_binding
from . import view as rooms
from .checkout_files import RoomError
from .findings import CheckRun
from .packages import prepare_packages
from .spare_files import leave_spare_files, missing_paths, take_spare_files
from .trees import room_trees
from .view import RoomView

MAX_NAMED_TESTS = 20
COULD_NOT_RUN = "could not run"
BASELINE_REPORTS = "baseline"
LOADED_FILES = "loaded-files.json"

CheckRuns = dict[str, CheckRun]  # by the name of the criterion


class PreparedRoom(Record):
    """A room in which checks can run."""

    view: RoomView
    packages: str = ""  # the digest of what its setup installed, if that is kept
    loop: Loop | None = None

    @property
    def path(self) -> str:
        return self.view.room


class RoomOptions(Record):
    """How a room is prepared."""

    setup: str
    binding: str = ""
    packages: str = ""  # the digest of what the setup installed at the start; "": not known
    files: str = ""  # the folder with saved packages, if it is not the one of the loop
    # While the setup runs, these files are as at the baseline, or have this text.
    baseline_paths: tuple[str, ...] = ()
    setup_texts: tuple[tuple[str, str], ...] = ()


def room_criteria(loop: Loop) -> list[Criterion]:
    """The criteria whose check runs a command that may run."""
    return [c for c in loop.criteria if c.may_run and c.runs_command]


def options_of_start(loop: Loop) -> RoomOptions:
    """The room is prepared as it was at the calibration."""
    return RoomOptions(loop.room.setup, loop.room.binding, loop.room.packages)


@contextmanager
def open_room(
    folder: LoopFolder, loop: Loop, commit: str, options: RoomOptions
) -> Iterator[PreparedRoom]:
    """A clean checkout of the commit with the saved packages; removed afterwards."""
    trees = room_trees(folder, loop)
    make_folder(room_store(loop))
    scratch = tempfile.mkdtemp(prefix="room-", dir=room_store(loop))
    room = os.path.join(scratch, os.path.basename(os.path.realpath(folder.root)) or "tree")
    view = RoomView(folder.root, room, options.binding, loop.settings.pass_env)
    view = view.but(boxed=_room_launcher(loop, view))
    # A short path: some programs put sockets there.
    temporary = "" if view.boxed else tempfile.mkdtemp(prefix=own_prefix("temporary"))
    view = view.but(temporary=temporary)
    spare: list[str] = []  # what the next room takes over
    try:
        is_alone = bool(view.binding or view.boxed)
        tree = create_checkout(trees.root, room, commit, loop.settings.volatile_globs, is_alone)
        if tree.partition("+")[0] != kept_trees.tree_of_commit(trees.root, commit):
            raise CheckoutFailed(f"the files of {commit[:12]} were changed in the repository")
        _bind(view)
        # Without a setup and at the path of the project, the files stay as they were saved.
        if loop.room.files_digest and view.binding and not (options.setup or options.files):
            spare = list(missing_paths(room_store(loop, "files"), room))
        saved = place_saved_files(loop, view, options, may_take=bool(spare))
        packages = ""
        if options.setup:
            restore_paths(room, trees.baseline, options.baseline_paths)
            for path, text in options.setup_texts:
                write_text(room, path, text)
            packages = prepare_packages(options.setup, view, saved, options.packages)
            changed = (*options.baseline_paths, *(path for path, _ in options.setup_texts))
            restore_paths(room, commit, changed)
        if not view.binding:  # at the path of the project lies the room then
            _refuse_live_imports(loop, view)
        yield PreparedRoom(view, packages, loop)
    finally:
        if spare:
            leave_spare_files(loop, room, spare)
        remove_checkout(room)
        shutil.rmtree(scratch, ignore_errors=True)
        if temporary:
            shutil.rmtree(temporary, ignore_errors=True)


def write_text(room: str, path: str, text: str) -> None:
    with open(os.path.join(room, path), "w", encoding="utf-8") as file:
        file.write(text)


def _bind(view: RoomView) -> None:
    if not view.binding:
        return
    path_binding.mark_room(view.room)
    if not path_binding.is_bound(view.binding, view.room, view.real_root):
        raise RoomError("the system no longer lets it appear at the path of the project")


def place_saved_files(
    loop: Loop, view: RoomView, options: RoomOptions, may_take: bool = False
) -> str:
    """Copy the saved packages and files, and return their digest.

    With `may_take`, the copy of the room before is as good, if nothing has changed it.
    """
    store = options.files or room_store(loop, "files")
    recorded = loop.room.files_digest
    if may_take and take_spare_files(loop, view.room):
        return recorded
    if not options.files and recorded and checkout_files.content_digest(store) != recorded:
        raise RoomError("the packages that were saved at the start were changed or deleted")
    checkout_files.place_paths(store, view.room, view.root, view.seen_at)
    return recorded if not options.files else checkout_files.content_digest(store)


def _refuse_live_imports(loop: Loop, view: RoomView) -> None:
    """A room that tests the live checkout would prove whatever is there."""
    for c in room_criteria(loop):
        assert c.check is not None
        if package := rooms.imports_from_project(view.check_in_room(c.check), view):
            raise RoomError(
                f"{package} would be imported from the project, not from the clean checkout "
                "(an editable install). Give the command that installs it: --setup COMMAND"
            )


def run_checks(
    folder: LoopFolder, loop: Loop, room: PreparedRoom, criteria: list[Criterion]
) -> CheckRuns:
    """Run the checks of these criteria in the room."""
    runs = {}
    for c in criteria:
        assert c.check is not None
        tries: list[CheckRun] = []
        while len(tries) <= c.check.retries and not _passed_mostly(tries):
            tries.append(run_check_in_room(c.check, c.name, loop.tree, room, folder.path))
        is_passed = _passed_mostly(tries)
        runs[c.name] = next(run for run in reversed(tries) if run.evidence.passed == is_passed)
    return runs


def _passed_mostly(tries: list[CheckRun]) -> bool:
    """Did more than half of the runs pass? One pass after failures is luck."""
    return 2 * sum(run.evidence.passed for run in tries) > len(tries)


def run_check_in_room(
    check: Check, name: str, tree: str, room: PreparedRoom, logs: str
) -> CheckRun:
    """Run one check in the room, with every path of the project leading into the room."""
    view = room.view
    check = view.check_in_room(check)
    boxed = _check_launcher(room, check, logs)
    evidence, report = run_with_report(
        check,
        name,
        tree,
        view.room,
        logs,
        view.environment,
        launcher=boxed or (lambda _: nullcontext(view.outer_launcher)),
    )
    if check.frozen:
        evidence = tolerate_known_failures(evidence, check.frozen)
    return CheckRun(evidence, report)


def _room_launcher(loop: Loop, view: RoomView) -> tuple[str, ...]:
    """The words that start a command in the sandbox of the room; () for none."""
    if not loop.check_box.backend:
        return ()
    from ..store.chosen_sandbox import clean_checkout_launcher

    return clean_checkout_launcher(loop, view.root, view.room, bool(view.binding))


def _check_launcher(room: PreparedRoom, check: Check, logs: str) -> Launcher | None:
    """What starts a check in the sandbox of the room; None: nothing but the room holds it."""
    view, loop = room.view, room.loop
    if loop is None or not view.boxed:
        return None
    from ..store.chosen_sandbox import check_launcher

    return check_launcher(loop, check, view.root, logs, view.room, bool(view.binding))


def summarize_run(name: str, run: CheckRun) -> RoomCheck:
    evidence = run.evidence
    return RoomCheck(
        criterion=name,
        passed=evidence.passed,
        outcome=COULD_NOT_RUN if could_not_run(evidence, run.report) else evidence.outcome,
        code=evidence.code,
        seconds=evidence.seconds,
        log=evidence.log,
        failing=run.report.failed_names[:MAX_NAMED_TESTS],
        sealed=evidence.sealed,
    )


def save_runs(loop: Loop, name: str, runs: CheckRuns) -> None:
    """Keep the results of single tests outside the project; the journal would be too long."""
    plain = {
        criterion: {
            "passed": list(run.report.passed),
            "failed": [[test.name, test.file, test.message] for test in run.report.failed],
            "complete": run.report.is_complete,
            "source": run.report.source,
            "skipped": list(run.report.skipped),
            "evidence": {"passed": run.evidence.passed, "detail": run.evidence.detail},
        }
        for criterion, run in runs.items()
    }
    make_folder(room_store(loop))
    write_private(room_store(loop, f"{_file_name(name)}.json"), json.dumps(plain).encode())


def load_runs(loop: Loop, name: str) -> CheckRuns:
    try:
        with open(room_store(loop, f"{_file_name(name)}.json"), encoding="utf-8") as file:
            plain = json.load(file)
    except (OSError, ValueError):
        return {}
    runs = {}
    for criterion, row in plain.items():
        failed = tuple(FailedTest(*parts) for parts in row["failed"])
        report = TestReport(
            passed=tuple(row["passed"]),
            failed=failed,
            is_complete=row["complete"],
            source=row["source"],
            skipped=tuple(row.get("skipped", ())),
        )
        evidence = Evidence(
            criterion=criterion,
            passed=row["evidence"]["passed"],
            detail=row["evidence"]["detail"],
        )
        runs[criterion] = CheckRun(evidence, report)
    return runs


def save_loaded_files(loop: Loop, digests: dict[str, str]) -> None:
    """Keep the digests of files outside the tree that the checks load at the start."""
    make_folder(room_store(loop))
    write_private(room_store(loop, LOADED_FILES), json.dumps(digests).encode())


def load_loaded_files(loop: Loop) -> dict[str, str]:
    """These digests by path; empty for a loop of an older version."""
    try:
        with open(room_store(loop, LOADED_FILES), encoding="utf-8") as file:
            return dict(json.load(file))
    except (OSError, ValueError):
        return {}


def _file_name(name: str) -> str:
    return name.partition("+")[0][:60]


def drop_room(loop_id: str) -> None:
    """Remove everything that the rooms of this loop needed."""
    shutil.rmtree(os.path.join(state_home(), "rooms", loop_id), ignore_errors=True)


def drop_ended_room(loop: Loop) -> None:
    """The same after the end of the loop, unless `loop audit --finish` needs it."""
    is_needed = loop.status == "finished" and loop.room.status != OFF and missing_runs(loop)
    if not is_needed:
        drop_room(loop.id)
