"""Hostile repositories as data: what a clone may carry, and what only an unpacked archive brings, in its .git."""

from __future__ import annotations

from tests.support.hook import SESSION

from .planting import (
    GIT,
    HOOKS,
    HOSTILE_WORDS,
    PLAN,
    SETTINGS,
    SHAPE,
    STATE,
    Hostile,
    a_file_for_git,
    a_foreign_loop,
    a_submodule,
    plant_finished_loop,
    with_files,
    with_git_config,
    with_link,
)

LAZY = {
    "extensions.partialClone": "origin",
    "core.repositoryFormatVersion": "1",
    "remote.origin.promisor": "true",
}
CI = "---\nci:\n  test: {trip}\n  lint: {trip}\n---\n"
MODULES = '[submodule "x"]\n\tpath = {}\n\turl = ext::{{trip}}\n\tupdate = !{{trip}}\n'

REPOSITORIES: dict[str, Hostile] = {
    "a running loop with checks": a_foreign_loop(),
    "a loop that asks": a_foreign_loop(status="asking"),
    "reviewing commands": a_foreign_loop("final_checks"),
    "must-nots": a_foreign_loop("must_not"),
    "a verdict of its own": Hostile(plant_finished_loop),
    "state.json alone": with_files({".loop/state.json": STATE}),
    "notes": with_files({".loop/notes.md": HOSTILE_WORDS}),
    "a shape": with_files({".loop/shape/SHAPE.md": SHAPE, ".loop/state.json": STATE}),
    "a huge journal": with_files(
        {".loop/journal.jsonl": f'{{"seq":1,"x":"{HOSTILE_WORDS * 1_000_000}"}}\n'}
    ),
    "a huge state.json": with_files(
        {".loop/state.json": STATE[:-1] + f',"x":"{HOSTILE_WORDS * 1_000_000}"}}'}
    ),
    "orders that nobody gave": with_files(
        {".loop/STOP": HOSTILE_WORDS, ".loop/halt": HOSTILE_WORDS, ".loop/driver": SESSION}
    ),
    "groups to be ended": with_files({".loop/running/1": "1\n1\n1\n", ".loop/state.json": STATE}),
    "a loop that moved away": with_files({".loop/moved": "{away}\nmain\n"}),
    "a plan": with_files({"PLAN.md": PLAN}, "--plan", "PLAN.md"),
    "a checklist": with_files(
        {"PRD.md": "# x\n\n- [ ] it works (check: {trip})\n"}, "--prd", "PRD.md"
    ),
    "a plan that is a link": with_link("PLAN.md", "{away}/secret", "--plan", "PLAN.md"),
    "commands for CI": with_files(
        {"PLAN.md": PLAN, ".gsd/config.md": CI, ".gsd/STATE.md": "---\n---\n"}, "--plan", "PLAN.md"
    ),
    "settings that loosen": with_files(
        {".loop.toml": 'notify = "{trip}"\n[limits]\ndollars = 1e6\niterations = 999999\n'}
    ),
    "settings that start an agent": with_files({".loop.toml": 'agent-command = "{trip}"\n'}),
    "presets": with_files(
        {
            f"{place}/presets.toml": f'[generic]\nlook_for = "{HOSTILE_WORDS}"\n'
            for place in (".loop", "loop")
        }
    ),
    "hooks for the client": with_files(
        {".claude/settings.json": SETTINGS, ".claude/settings.local.json": SETTINGS}
    ),
    "our git folder, with filters": with_files(
        {f".loop/tree/{name}": text for name, text in GIT.items()}
    ),
    "our git folder, elsewhere": with_files(
        {
            ".loop/tree/commondir": "../../odd\n",
            ".loop/tree/HEAD": "ref: x\n",
            **{f"odd/{n}": t for n, t in GIT.items()},
        }
    ),
    "our git folder, a link": Hostile(
        lambda g: g.write({f"odd/{n}": t for n, t in GIT.items()}).link(".loop/tree", "../odd")
    ),
    "a module that is the whole": with_files({".gitmodules": MODULES.format(".")}),
    "a module that leads around": Hostile(
        lambda g: g.write({".gitmodules": MODULES.format("sub/up")}).link("sub/up", "..")
    ),
    "a bare repository inside": Hostile(
        lambda g: g.write({f"inner/{n}": t for n, t in GIT.items()}), at="inner"
    ),
    ".loop is a link": with_link(".loop", "{away}"),
    ".loop is a link to a loop": Hostile(
        lambda g: g.write({"odd/state.json": STATE}).link(".loop", "odd")
    ),
    **{
        f".loop/{n} is a link": with_link(f".loop/{n}", "{away}/.ssh/keys")
        for n in ("journal.jsonl", "state.json", ".gitignore")
    },
    **{
        f".loop/{n} is a link": with_link(f".loop/{n}", "{away}")
        for n in ("evidence", "history", "logs", "running")
    },
    "the lock is a link": with_link(".loop/lock", "{away}/new"),
    ".claude is a link": with_link(
        ".claude", "{away}", "polish it", "--preset", "generic", "--check", "fine=true"
    ),
    ".claude/.gitignore leads out": with_link(
        ".claude/.gitignore", "{away}/new", "polish it", "--preset", "generic"
    ),
    "the page is a link": with_link(
        ".claude/loop-state.local.md", "{away}/.ssh/keys", "polish", "--preset", "generic"
    ),
    # --- what only an unpacked archive brings ---
    "hooks of git": Hostile(
        lambda g: [g.link(f".git/hooks/{name}", "{trip}") for name in HOOKS], committed=False
    ),
    "hooks elsewhere": with_git_config(
        {"core.hooksPath": "hooks"}, {f"hooks/{name}": "{trip}" for name in HOOKS}
    ),
    "a watcher": with_git_config({"core.fsmonitor": "{trip}", "core.untrackedCache": "true"}),
    "filters": with_git_config(
        {f"filter.x.{when}": "{trip}" for when in ("clean", "smudge")},
        {".gitattributes": "* filter=x\n"},
    ),
    "a filter that stays": with_git_config(
        {"filter.x.process": "{trip}"}, {".gitattributes": "* filter=x\n"}
    ),
    "a filter with a name": with_git_config(
        {"filter.x=y.clean": "{trip}"}, {".gitattributes": "* filter=x=y\n"}
    ),
    "differ": with_git_config(
        {"diff.external": "{trip}", "diff.x.command": "{trip}"}, {".gitattributes": "* diff=x\n"}
    ),
    "text of binaries": with_git_config(
        {"diff.x.textconv": "{trip}"}, {".gitattributes": "* diff=x\n"}
    ),
    "mergers": with_git_config(
        {"merge.x.driver": "{trip}", "merge.default": "x"}, {".gitattributes": "* merge=x\n"}
    ),
    "pager and editor": with_git_config(
        {f"core.{name}": "{trip}" for name in ("pager", "editor", "askPass")}
    ),
    "other words": with_git_config(
        {f"alias.{name}": "!{trip}" for name in ("status", "diff", "ls-files", "rev-parse")}
    ),
    "signatures": with_git_config(
        {"log.showSignature": "true", "gpg.program": "{trip}", "commit.gpgSign": "true"}
    ),
    "objects to be fetched": with_git_config(
        {**LAZY, "remote.origin.url": "ssh://x/y", "core.sshCommand": "{trip}"}
    ),
    "objects of a program": with_git_config(
        {**LAZY, "remote.origin.url": "ext::{trip}", "protocol.ext.allow": "always"}
    ),
    "a proxy": with_git_config(
        {**LAZY, "remote.origin.url": "git://x/y", "core.gitProxy": "{trip}"}
    ),
    "settings included": with_git_config(
        {"include.path": "../more"}, {"more": "[core]\n\tfsmonitor = {trip}\n"}
    ),
    "settings included if": with_git_config(
        {"includeIf.gitdir:**.path": "../more"}, {"more": "[core]\n\tfsmonitor = {trip}\n"}
    ),
    "a worktree outside": with_git_config({"core.worktree": "{away}"}),
    "patterns of a secret": with_git_config(
        {f"core.{name}File": "{away}/.ssh/keys" for name in ("excludes", "attributes")}
    ),
    "git is a file": Hostile(a_file_for_git, committed=False),
    "a module with a watcher": Hostile(a_submodule, committed=False),
}
