"""The sandbox of a run's agents: probed once at the start, then a box for each turn."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress

from ...agents.process import Pairs, child_environment, launch_words
from ...agents.registry import load_about
from ...agents.versions import ask_version, version_number
from ...core.loop import Loop
from ...core.record import Record
from ...core.runner.sandbox import SUCCEEDED, USE_NETWORK, SandboxReport, sandbox_text
from ...disk.files import make_folder, read_bytes, write_atomic
from ...disk.links import follow_links
from ...disk.programs import agent_program, avoid_folders, own_folders, without_loader_lists
from ...disk.user_folders import home_folder
from ...repo.submodules import submodule_settings
from ...repo.user_repo import git_settings_files
from ...sandbox.choose import CONTAINERS, OFF, PLAIN, Sandbox, launcher_words
from ...sandbox.git_guard import GitGuard, place_guard
from ...sandbox.hard_links import hard_links_text
from ...sandbox.mounts import Box
from ...sandbox.places import agent_homes, program_paths
from ...sandbox.profiles import AGENT
from ...sandbox.tables import AGENT_HOMES
from ...store.chosen_sandbox import chosen_bounds
from ...store.config import ConfigError, settings
from ...store.folder import LoopFolder
from ..errors import UserError
from ..inbox import FOLDER, NOTES, VARIABLE, open_inbox
from ..plans.plan_files import REPORT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...repo.git_box import Launcher

WRITTEN_BY_AGENTS = (NOTES, REPORT)  # in .loop, as prompts name them


class AgentSandbox(Record):
    """What the person chose for the agents of a run."""

    sandbox: Sandbox = Sandbox(OFF)  # without a reason: nobody has chosen, as in a demo
    allow_read: tuple[str, ...] = ()
    allow_write: tuple[str, ...] = ()
    network: bool = True
    is_automatic: bool = False  # nobody asked for this one

    @property
    def is_on(self) -> bool:
        return self.sandbox.is_on


class BoxedTurn(Record):
    """How a turn starts: the words before its command, and its variables."""

    environment: dict[str, str]
    launcher: tuple[str, ...] = ()


def probe_agents(
    chosen: AgentSandbox, folder: LoopFolder, loop: Loop, environment: dict[str, str]
) -> SandboxReport:
    """Measure the sandbox before the first turn; an error where held-out checks need a boundary."""
    report = SandboxReport(OFF, why=chosen.sandbox.why)
    if chosen.is_on:
        refuse_own_checkout(folder.root)
        from ...sandbox.probe import probe_sandbox

        open_inbox(folder)
        box = agent_box(chosen, folder, loop, folder.root, (), environment)
        report = probe_sandbox(chosen.sandbox, box, environment)
        if not report.results and chosen.sandbox.backend not in (*CONTAINERS, "command"):
            raise UserError(f"the sandbox does not start: {report.why}. Without: --sandbox off")
    if not chosen.network and dict(report.results).get(USE_NETWORK) == SUCCEEDED:
        raise UserError(
            f"the network is not closed: the probe could use it, sandbox {report.backend}. "
            "Use one that closes it (--sandbox bwrap), or leave it open"
        )
    has_holdouts = any(c.check and c.check.is_held_out for c in loop.final_checks)
    if has_holdouts and not report.hides_state and (chosen.is_on or chosen.is_automatic):
        raise UserError(
            "this loop has held-out checks, and the agent could read them: "
            f"sandbox {report.backend}, {report.why or 'the probe read our state folder'}. "
            "Use one that works (loop sandbox show), or accept it: --sandbox off"
        )
    return report


def refuse_own_checkout(root: str) -> None:
    """An error where the agent could change Loopwright itself, and no sandbox prevents it.

    An environment in the project is read-only for the agent. What the agent is to work on cannot
    be, and a link can be replaced.
    """
    real = os.path.realpath(root)
    for path in own_folders(real):
        is_environment = os.path.exists(os.path.join(path, "pyvenv.cfg"))
        if not is_environment or not follow_links(path, (real,)):
            raise UserError(
                f"Loopwright runs from {path}, in the project that the agent changes: it would be "
                "judged by what it wrote. Install it elsewhere: pipx install loopwright. Without a "
                "sandbox: --sandbox off"
            )


def sandbox_rows(chosen: AgentSandbox, report: SandboxReport, folder: LoopFolder) -> list[str]:
    """What the sandbox of the agents holds in, for the first lines of a run."""
    rows = [f"sandbox: {sandbox_text(report)}"] if chosen.is_on or report.why else []
    if chosen.is_on:
        notes = own_environment_text(folder.root), hard_links_text(folder.root, folder.path)
        rows += filter(None, notes)
    return rows


def own_environment_text(root: str) -> str:
    """What the person should know of an environment that is read-only; "" for nothing."""
    real = os.path.realpath(root)
    names = [os.path.relpath(path, real) for path in own_folders(real)]
    if not names:
        return ""
    return (
        f"read-only for the agent: {names[0]}, because Loopwright runs from it. "
        "To let the agent install packages there: pipx install loopwright"
    )


def agent_box(
    chosen: AgentSandbox,
    folder: LoopFolder,
    loop: Loop,
    root: str,
    words: tuple[str, ...],
    environment: dict[str, str],
) -> Box:
    """The box of one turn that works in `root`; `words` are its command line."""
    from ...store.state_folder import room_store

    real = os.path.realpath(root)
    avoid_folders(real, folder.root, *chosen.allow_write)
    programs, names = agent_programs(words, environment, real)
    return Box(
        profile=AGENT,
        root=real,
        loop_folder=os.path.realpath(folder.path),
        allow_read=chosen.allow_read,
        allow_write=chosen.allow_write,
        network=chosen.network,
        programs=programs,
        agents=tuple(agent_homes(names, environment)),
        agent_store=room_store(loop, "agents"),
        bounds=chosen_bounds(folder.root),
    )


def agent_programs(
    words: tuple[str, ...], environment: dict[str, str], real: str
) -> tuple[tuple[str, ...], list[str]]:
    """The files that a command line needs to start, and the names of its programs.

    `real` is the folder in which an agent may have made links: none of them is followed.
    """
    named = tuple(word for word in words if os.path.isabs(word) and os.path.exists(word))
    found = agent_program(words[0], environment.get("PATH", "")) if words else ""
    # A program on the PATH may be a link into a package elsewhere. Behind our client of the Agent
    # Client Protocol the program of the agent is a later word.
    executables = [word for word in named if os.path.isfile(word) and os.access(word, os.X_OK)]
    executables += [found] if found else []
    # A link in the project may be the agent's own: what it leads to is not shown.
    executables = [word for word in executables if follow_links(word, (real,))]
    programs = named + tuple(path for word in executables for path in program_paths(word))
    names = {os.path.basename(word) for word in (*words[:1], *executables)}
    return programs, sorted(names)


def open_box(
    chosen: AgentSandbox,
    folder: LoopFolder,
    loop: Loop,
    root: str,
    words: tuple[str, ...],
    environment: dict[str, str],
) -> BoxedTurn:
    """Prepare the inbox and the agent's own folder; how the turn starts."""
    if not chosen.is_on:
        return BoxedTurn(environment)
    inbox = open_inbox(folder)
    place_guard(root)
    box = agent_box(chosen, folder, loop, root, words, environment)
    environment = {**environment, VARIABLE: inbox, "IS_SANDBOX": "1"}
    for name, path in box.agents:
        variable = keep_agent_folder(box, name)
        if variable:
            environment[variable] = path
    return BoxedTurn(environment, launcher_words(chosen.sandbox, box, environment))


def agent_versions(
    chosen: AgentSandbox, folder: LoopFolder, loop: Loop, names: tuple[str, ...], account: Pairs
) -> Pairs:
    """The versions of those agents that must know it. Each is asked where its turns will run."""
    versions = []
    for name in names:
        about = load_about(name)
        if not about.asks_version:
            continue
        environment = child_environment(loop.id, about, loop.settings.pass_env, account)
        command = (about.program,)
        box = agent_box(chosen, folder, loop, folder.root, command, environment)
        launcher = launcher_words(chosen.sandbox, box.but(agents=()), environment)
        words = launch_words(command, launcher)
        environment = without_loader_lists(environment, launcher)
        answer = ask_version(words, folder.root, environment)
        versions.append((name, version_number(answer or "")))
    return tuple(versions)


def keep_agent_folder(box: Box, name: str) -> str:
    """Make the folder that the loop keeps for this agent; the variable that leads the agent there.

    The agent's session files survive the turn in it, and nothing of it reaches the person's own.
    """
    store = os.path.join(box.agent_store, name)
    make_folder(store)
    home = AGENT_HOMES[name]
    for file in home.copied:
        with suppress(OSError):  # there is none yet
            # The agent writes this folder, so what is there may be a link: it is replaced.
            data = read_bytes(os.path.join(home_folder(), file))
            write_atomic(os.path.join(store, file), data, wait=False)
    return home.variable


def new_submodules_text(root: str, before: dict[str, str]) -> str:
    """A warning of submodules in which git would run programs that an agent may have named."""
    now = submodule_settings(root)
    names = sorted(name for name, settings in now.items() if before.get(name) != settings)
    if not names:
        return ""
    return (
        f"A submodule is new, or its settings changed: {', '.join(names)}. `git status` looks into "
        f"it, and runs programs that these name. If it is none of yours, first: rm -rf "
        f"{shlex.quote(f'{names[0]}/.git')}"
    )


def project_settings_text(root: str) -> str:
    """A warning of settings of the project that a run has ignored; every start refuses them."""
    try:
        settings(root)
    except ConfigError as error:
        return f"These settings were ignored, and the next start refuses them: {error}"
    return ""


def removed_links_text(paths: tuple[str, ...]) -> str:
    """What the person should know of links and pipes that an agent left in the git folder."""
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return (
        f"[LOOP] Removed {paths[0]}{more}: the agent put a link or a pipe where git expects "
        "a file. See: git status"
    )


def mend_git(chosen: AgentSandbox, guard: GitGuard) -> str:
    """At the start of a run: what a runner that was killed left is mended; what to say of it."""
    if not chosen.is_on:
        return ""
    try:
        removed = guard.enter()
    except OSError as error:
        return f"[LOOP] Not written: {error}"
    return removed_links_text(removed) if removed else ""


def git_launcher_for(chosen: AgentSandbox, folder: LoopFolder) -> Launcher | None:
    """What starts a git of ours that writes: in the sandbox of the agents, with their rights.

    A container has its own git or none; there the links are gone when the turn is over.
    """
    if chosen.sandbox.backend not in PLAIN:
        return None
    settings: dict[str, tuple[str, ...]] = {}

    def words(root: str, made: tuple[str, ...], is_shared: bool) -> tuple[str, ...]:
        if root not in settings:
            settings[root] = git_settings_files(root)
        box = Box(
            profile=AGENT,
            root=os.path.realpath(root),
            loop_folder=os.path.realpath(folder.path),
            allow_read=(*chosen.allow_read, *settings[root]),
            allow_write=(*chosen.allow_write, *made),
            network=chosen.network,
            bounds=chosen_bounds(folder.root),
            whole_git=is_shared,
        )
        return launcher_words(chosen.sandbox, box, dict(os.environ))

    return words


def name_inbox(prompt: str) -> str:
    """The prompt with the place where an agent in a sandbox may write its notes and gaps."""
    for name in WRITTEN_BY_AGENTS:
        prompt = prompt.replace(f".loop/{name}", f".loop/{FOLDER}/{name}")
    return prompt
