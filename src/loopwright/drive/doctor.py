"""Doctor: tests every cause that docs/troubleshooting.md names, and gives each finding its fix."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from .. import __version__
from ..agents.claude import hooks
from ..agents.claude.paths import config_home
from ..core.criteria import Criterion
from ..core.json_text import JSONError, loads
from ..core.loop import Loop
from ..core.prompts.discovery import BACKLOG_PAGE
from ..core.prompts.phrases import count_phrase
from ..core.record import Record
from ..disk.files import read_text
from ..disk.lock import FileLock, FolderBusy, LocksUnsupported
from ..ratchet.languages import LANGUAGES, language_of
from ..repo.tree import read_tree
from ..repo.write_race import tree_paths
from ..store import journal
from ..store.folder import LOCK_SECONDS, LoopFolder, UnsafePath, UntrustedFolder
from ..store.restore import (
    missing_loop,
    missing_text,
    readable_copy,
    restore_loop,
    restored_text,
    set_journal_aside,
)
from ..verify.shell import git_shell
from ..views.board import driver_text
from .language_readers import readable_languages
from .plugin_folders import install_commands, installed_folder, installed_plugins, package_fault

MAX_FILE_CHARS = 1_000_000
# What may be left in .loop/: what it means, and what to do about it.
LEFTOVERS = {
    "crash": (
        "our own errors are noted in {path}",
        "please report them, then delete the folder",
    ),
    "aside": (
        "files that could not be read were set aside in {path}",
        "look at them, then delete the folder",
    ),
    "STOP": ("{path} halts the loop", "loop continue   (removes it)"),
}


class Diagnosis(Record):
    """One finding, and how to fix it."""

    level: str  # ok, warn or fail
    what: str
    fix: str = ""


def diagnose_folder(folder: LoopFolder) -> list[Diagnosis]:
    """Everything that can be found out here, the good news included."""
    diagnoses = [
        *diagnose_machine(),
        *diagnose_hook_output(),
        *diagnose_hook_registration(folder),
        *package_in_plugin(folder),
    ]
    loop, journal_diagnoses = diagnose_journal(folder)
    diagnoses += [
        *journal_diagnoses,
        *diagnose_tree(folder, loop),
        *diagnose_test_readers(folder, loop),
    ]
    if os.path.isdir(folder.path):
        diagnoses += diagnose_leftover_files(folder)
    if loop:
        diagnoses += [
            *diagnose_mirror(folder, loop),
            *diagnose_backlog_page(folder, loop),
            *diagnose_lease(loop),
            *diagnose_limits(folder, loop),
            *diagnose_checks(loop),
            *diagnose_spend(loop),
        ]
    return diagnoses


def diagnose_machine() -> Iterator[Diagnosis]:
    python = f"Python {sys.version.split()[0]} at {os.path.realpath(sys.executable)}"
    yield Diagnosis("ok", f"loopwright {__version__}, {python}")
    if shutil.which("git"):
        yield Diagnosis("ok", "git is there")
    else:
        yield Diagnosis("warn", "git is not there: trees are hashed file by file", "install git")
    if sys.platform == "win32" and not git_shell():
        yield Diagnosis(
            "warn",
            "no POSIX shell here: the line of a check is read by cmd",
            "install Git for Windows",
        )
    python3 = (shutil.which("python3") or "").replace("\\", "/")
    if "/shims/" in python3 and not installed_plugins():
        yield Diagnosis(
            "warn",
            "python3 is a version manager's shim: 50 ms more at every hook",
            "name the real interpreter in the hook",
        )


def diagnose_hook_output() -> Iterator[Diagnosis]:
    """«JSON validation failed»: anything but one JSON object on stdout."""
    script = os.path.join(os.path.dirname(os.path.dirname(__file__)), "hook", "__main__.py")
    argv = [sys.executable, "-I", "-S", "-B", script, "claude", "--format", "ok"]
    done = subprocess.run(
        argv, input=b"{}", capture_output=True, timeout=30, check=False, cwd=os.path.dirname(script)
    )
    try:
        is_right = done.returncode == 0 and loads(done.stdout) == {"ok": True}
    except JSONError:
        is_right = False
    if is_right:
        yield Diagnosis("ok", "the hook prints exactly one JSON object")
    else:
        output = (done.stdout + done.stderr)[-300:].decode("utf-8", "replace")
        yield Diagnosis(
            "fail", f"the hook does not answer as it should: {output!r}", "reinstall loopwright"
        )


def diagnose_hook_registration(folder: LoopFolder) -> Iterator[Diagnosis]:
    """By the plugin or in a settings file. With both, the hook runs twice at each stop."""
    plugins = installed_versions()
    for name, version in plugins:
        yield Diagnosis("ok", f"the plugin {name} {version} is installed")
        if version != __version__:
            yield Diagnosis(
                "warn",
                f"this command is {__version__}, the plugin {version}",
                f"claude plugin update {name}",
            )
    if path := file_with_hook(folder):
        yield Diagnosis("ok", f"the hook is registered in {path}")
        if plugins:
            yield Diagnosis(
                "warn",
                f"the hook is there twice: by the plugin and in {path}",
                "take it out of that file",
            )
    elif not plugins:
        yield Diagnosis(
            "warn",
            "neither plugin nor hook of ours in Claude Code: a session is not held",
            ", then: ".join(install_commands()),
        )


def file_with_hook(folder: LoopFolder) -> str:
    """The settings file that registers our hook; "" if none does."""
    for path in settings_files(folder):
        text = read_text(path, MAX_FILE_CHARS) or ""
        if "loopwright" in text or "loop hook" in text:
            return path
    return ""


def has_hook(folder: LoopFolder) -> bool:
    """Does a session of Claude Code in this folder have our hook?"""
    return bool(installed_plugins() or file_with_hook(folder))


def installed_versions() -> list[tuple[str, str]]:
    """Name and version of our plugin, if the client has it installed."""
    return [
        (name, str(entry["version"]))
        for name, entry in installed_plugins().items()
        if "version" in entry
    ]


def package_in_plugin(folder: LoopFolder) -> Iterator[Diagnosis]:
    """«The plugin does nothing»: the checkout has no symbolic links, or the link leads nowhere."""
    fix = (
        "loop plugin build --out DIR, then: claude plugin marketplace add DIR (its full path), "
        "then: claude plugin install loop@loopwright. Keep DIR; the plugin is read from it"
    )
    levels = {os.path.join(folder.root, "plugins", "claude"): "warn"}
    for name, entry in installed_plugins().items():
        levels[installed_folder(name, entry)] = "fail"
    for path, level in levels.items():
        if fault := package_fault(path):
            yield Diagnosis(level, f"the plugin has no package: {fault}", fix)


def settings_files(folder: LoopFolder) -> list[str]:
    """Where Claude Code reads its settings, the later over the earlier."""
    names = ("settings.json", "settings.local.json")
    folders = (config_home(), os.path.join(folder.root, ".claude"))
    return [os.path.join(base, name) for base in folders for name in names]


def diagnose_journal(folder: LoopFolder) -> tuple[Loop | None, list[Diagnosis]]:
    """«Session resume doesn't work», «loop stops too early»: is there a loop that can be read?"""
    if not os.path.exists(folder.journal_path):
        if lost := missing_loop(folder):
            text = missing_text(folder, lost).removeprefix("[LOOP] ")
            return None, [Diagnosis("fail", text, "loop restore, or: loop forget")]
        if os.path.exists(folder.mirror_path):
            return None, list(diagnose_orphan_mirror(folder))
        return None, [Diagnosis("ok", "no loop here: the hook is silent")]
    try:
        loop = folder.read_loop()
    except UntrustedFolder as error:
        return None, [Diagnosis("fail", str(error), "loop allow")]
    except journal.NewerFormat as error:
        return None, [Diagnosis("fail", str(error), "install the version that wrote it")]
    except journal.JournalError as error:
        return None, [Diagnosis("fail", str(error), journal_fix(folder))]
    assert loop is not None
    return loop, [
        Diagnosis("ok", f"the journal reads; the loop is {loop.status}"),
        *diagnose_lock(folder),
    ]


def journal_fix(folder: LoopFolder) -> str:
    """What `loop doctor --fix` would do about a journal that cannot be read."""
    found = readable_copy(folder)
    aside = "loop doctor --fix   (moves it to .loop/aside/"
    if found is None:
        return f"{aside}; there is no second copy that can be read, so start again)"
    lines = count_phrase(found.seq, "line")
    return f"{aside} and puts back the second copy, which has {lines})"


def repair_journal(folder: LoopFolder) -> str:
    """Set a journal aside that cannot be read, and restore the second copy; says what was done."""
    if not needs_repair(folder):
        return ""
    if readable_copy(folder):
        return restored_text(restore_loop(folder))
    with FileLock(folder.path_of("lock"), LOCK_SECONDS):
        aside = set_journal_aside(folder)
    return f"[LOOP] The damaged journal is kept as {aside}. Start again: loop start SPEC"


def needs_repair(folder: LoopFolder) -> bool:
    """Is the journal gone or damaged? One of another version or another owner is neither."""
    try:
        return folder.read_loop() is None and missing_loop(folder) is not None
    except (UntrustedFolder, journal.NewerFormat, UnsafePath):
        return False
    except journal.JournalError:
        return True


def diagnose_tree(folder: LoopFolder, loop: Loop | None) -> Iterator[Diagnosis]:
    """«Honest claims do not count»: can the files be read as one tree?"""
    volatile = loop.settings.volatile_globs if loop else ()
    with tempfile.TemporaryDirectory() as empty:
        reading = read_tree(folder.root, folder.path if loop else empty, volatile)
    if reading.problem:
        what, _, fix = reading.problem.partition(". ")
        yield Diagnosis("fail", what, fix)
    elif reading.tree:
        yield Diagnosis("ok", "the files can be read as one tree")
    else:
        yield Diagnosis("warn", "too many files to be hashed without git", "git init")


def diagnose_test_readers(folder: LoopFolder, loop: Loop | None) -> Iterator[Diagnosis]:
    """«Changed, not compared»: which tests can the hook have read?"""
    paths = tree_paths(folder.root, folder.path, loop.settings.volatile_globs if loop else ())
    used = list(filter(None, dict.fromkeys(map(language_of, paths))))
    readable = readable_languages(loop.baseline.reader if loop else "", folder.root)
    titles = ["Python", *(each.title for each in LANGUAGES if each.name in readable)]
    yield Diagnosis("ok", f"changed tests are compared in: {', '.join(titles)}")
    missing = [language.title for language in used if language.name not in readable]
    if missing:
        yield Diagnosis(
            "warn",
            f"changed tests in {', '.join(missing)} are not compared, so no loop ends as proven",
            "loop install --extra languages",
        )


def diagnose_orphan_mirror(folder: LoopFolder) -> Iterator[Diagnosis]:
    try:
        mirror = loads(read_text(folder.mirror_path, MAX_FILE_CHARS) or "")
    except JSONError:
        mirror = None
    if not isinstance(mirror, dict):
        yield Diagnosis(
            "fail",
            ".loop/state.json cannot be read and there is no journal",
            "move it away and start again",
        )
    elif mirror.get("status", "in_progress") == "in_progress":
        yield Diagnosis(
            "warn",
            "state.json is in progress but has no journal",
            "the next stop of its session adopts it",
        )
    else:
        yield Diagnosis("ok", f"the last loop here is {mirror['status']}")


def diagnose_lock(folder: LoopFolder) -> Iterator[Diagnosis]:
    try:
        with FileLock(folder.path_of("lock"), 1.0):
            yield Diagnosis("ok", "the lock works here")
    except (FolderBusy, LocksUnsupported, OSError) as error:
        yield Diagnosis(
            "fail",
            f"the lock cannot be taken: {error}",
            "end the process that holds it, or use a local file system",
        )


def diagnose_mirror(folder: LoopFolder, loop: Loop) -> Iterator[Diagnosis]:
    """«Loop stops too early»: state.json missing, broken, or claiming the exit."""
    if not os.path.exists(folder.mirror_path):
        yield Diagnosis(
            "warn",
            ".loop/state.json is missing; that pauses the loop",
            "loop continue   (rebuilds it)",
        )
    elif loop.exit_claimed:
        yield Diagnosis("ok", "exit_signal is true: the agent has claimed the exit")
    else:
        yield Diagnosis("ok", "state.json is there; exit_signal is false until the exit is claimed")


def diagnose_backlog_page(folder: LoopFolder, loop: Loop) -> Iterator[Diagnosis]:
    if loop.backlog and not os.path.exists(os.path.join(folder.root, BACKLOG_PAGE)):
        yield Diagnosis(
            "warn",
            f"{BACKLOG_PAGE} is missing; that pauses the loop",
            "loop continue   (rebuilds it)",
        )


def diagnose_lease(loop: Loop) -> Iterator[Diagnosis]:
    """«Session resume doesn't work»: another session, a paused loop."""
    if loop.status in ("paused", "asking"):
        question = loop.gate.question if loop.gate else ""
        yield Diagnosis(
            "warn", f"the loop is {loop.status}: {loop.pause.why or question}", "loop why"
        )
    if not loop.lease.holder:
        yield Diagnosis("ok", "no session drives it yet: the next prompt in this folder takes it")
    else:
        yield Diagnosis(
            "ok",
            f"driven by {driver_text(loop.lease, now=time.time())}; other sessions are left alone",
            "to take it over: loop attach --session ID",
        )


def diagnose_limits(folder: LoopFolder, loop: Loop) -> Iterator[Diagnosis]:
    """«Loop runs forever», «stops too early»: the counters, and the client's own cap."""
    steps = len(loop.remaining_steps)
    if loop.limits.iterations < steps:
        yield Diagnosis(
            "warn",
            f"{steps} steps remain but only {loop.limits.iterations} iterations",
            "loop continue --iterations=N",
        )
    cap = block_cap(folder)
    if 0 < cap < loop.limits.iterations:
        yield Diagnosis(
            "warn",
            f"Claude Code lets go after {cap} answers in a row without a tool call "
            f"({hooks.BLOCK_CAP_VARIABLE})",
            f"loop install --block-cap={max(loop.limits.iterations, 50)}",
        )
    if loop.streak.stuck:
        unmet = ", ".join(loop.unmet_criteria)
        yield Diagnosis(
            "warn",
            f"stuck {loop.streak.stuck} of {loop.limits.stuck} on: {unmet}",
            "loop why shows the failing output",
        )


def block_cap(folder: LoopFolder) -> int:
    """How many answers without a tool call the client takes in a row, as far as we can see."""
    value = os.environ.get(hooks.BLOCK_CAP_VARIABLE, "")
    for path in settings_files(folder):
        try:
            settings = loads(read_text(path, MAX_FILE_CHARS) or "")
            value = str(settings["env"][hooks.BLOCK_CAP_VARIABLE])
        except (JSONError, KeyError, TypeError):
            continue
    return hooks.block_cap(value)


def diagnose_checks(loop: Loop) -> Iterator[Diagnosis]:
    """«Circuit breaker triggers unexpectedly»: can the criterion be met, does its command exist?"""
    return map(_diagnose_check, (*loop.criteria, *loop.must_not))


def _diagnose_check(c: Criterion) -> Diagnosis:
    if not c.check:
        return Diagnosis(
            "warn",
            f"{c.name}: no check, so it can only be reported",
            f'loop criteria add "{c.name}=COMMAND"',
        )
    if not c.check.allowed:
        return Diagnosis("warn", f"{c.name}: its check waits for you", "loop allow")
    if not c.proof:
        return Diagnosis("ok", f"{c.name}: not run yet")
    if c.proof.outcome == "missing":
        return Diagnosis(
            "fail",
            f"{c.name}: its command cannot be run ({c.proof.detail[-120:]})",
            "install it, or change the criterion",
        )
    if c.proof.outcome == "timeout":
        return Diagnosis(
            "fail",
            f"{c.name}: over its time of {c.check.timeout} s",
            "loop config check.timeout N, then start again",
        )
    return Diagnosis("ok", f"{c.name}: {'passes' if c.proof.passed else 'fails'}")


def diagnose_spend(loop: Loop) -> Iterator[Diagnosis]:
    if loop.spend.unpriced:
        names = ", ".join(loop.spend.unpriced)
        yield Diagnosis(
            "warn",
            f"no price for {names}: the budget cannot trip on it",
            "loop config prices.MODEL IN/OUT/READ/WRITE",
        )
    if loop.spend.unread_bytes:
        yield Diagnosis(
            "warn",
            f"{loop.spend.unread_bytes} bytes of transcript are not read yet",
            "they are read at the next stops",
        )


def diagnose_leftover_files(folder: LoopFolder) -> Iterator[Diagnosis]:
    for name, (what, fix) in LEFTOVERS.items():
        if os.path.exists(folder.path_of(name)):
            yield Diagnosis("warn", what.format(path=os.path.join(".loop", name)), fix)
    mode = os.stat(folder.path).st_mode & 0o777
    if os.name == "posix" and mode & 0o077:
        yield Diagnosis(
            "warn", f".loop/ can be read by others (mode {mode:o})", f"chmod 700 {folder.path}"
        )
