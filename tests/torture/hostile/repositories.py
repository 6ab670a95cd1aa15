"""Hostile repositories as data: what a clone may carry, and what only an unpacked archive brings, in its .git."""

from __future__ import annotations

from tests.support.door import SESSION

from .planting import (
    GIT,
    HOOKS,
    PLAN,
    POISON,
    SETTINGS,
    SHAPE,
    STATE,
    Hostile,
    a_file_for_git,
    a_foreign_loop,
    a_submodule,
    carrying,
    configured,
    finished,
    linking,
)

LAZY = {"extensions.partialClone": "origin", "core.repositoryFormatVersion": "1", "remote.origin.promisor": "true"}
CI = "---\nci:\n  test: {trip}\n  lint: {trip}\n---\n"
MODULES = '[submodule "x"]\n\tpath = {}\n\turl = ext::{{trip}}\n\tupdate = !{{trip}}\n'

REPOSITORIES: dict[str, Hostile] = {
    "a running loop with checks": a_foreign_loop(),
    "a loop that asks": a_foreign_loop(status="asking"),
    "reviewing commands": a_foreign_loop("last"),
    "must-nots": a_foreign_loop("forbidden"),
    "a verdict of its own": Hostile(finished),
    "state.json alone": carrying({".loop/state.json": STATE}),
    "notes": carrying({".loop/notes.md": POISON}),
    "a shape": carrying({".loop/shape/SHAPE.md": SHAPE, ".loop/state.json": STATE}),
    "a huge journal": carrying({".loop/journal.jsonl": f'{{"seq":1,"x":"{POISON * 1_000_000}"}}\n'}),
    "a huge state.json": carrying({".loop/state.json": STATE[:-1] + f',"x":"{POISON * 1_000_000}"}}'}),
    "orders that nobody gave": carrying({".loop/STOP": POISON, ".loop/halt": POISON, ".loop/driver": SESSION}),
    "groups to be ended": carrying({".loop/running/1": "1\n1\n1\n", ".loop/state.json": STATE}),
    "a loop that moved away": carrying({".loop/moved": "{away}\nmain\n"}),
    "a plan": carrying({"PLAN.md": PLAN}, "--plan", "PLAN.md"),
    "a checklist": carrying({"PRD.md": "# x\n\n- [ ] it works (check: {trip})\n"}, "--prd", "PRD.md"),
    "a plan that is a link": linking("PLAN.md", "{away}/secret", "--plan", "PLAN.md"),
    "commands for CI": carrying({"PLAN.md": PLAN, ".gsd/config.md": CI, ".gsd/STATE.md": "---\n---\n"}, "--plan", "PLAN.md"),
    "settings that loosen": carrying({".loop.toml": 'notify = "{trip}"\n[limits]\ndollars = 1e6\niterations = 999999\n'}),
    "settings that start an agent": carrying({".loop.toml": 'agent-command = "{trip}"\n'}),
    "presets": carrying({f"{place}/presets.toml": f'[generic]\nlook_for = "{POISON}"\n' for place in (".loop", "loop")}),
    "hooks for the client": carrying({".claude/settings.json": SETTINGS, ".claude/settings.local.json": SETTINGS}),
    "our git folder, with filters": carrying({f".loop/tree/{name}": text for name, text in GIT.items()}),
    "our git folder, elsewhere": carrying(
        {".loop/tree/commondir": "../../odd\n", ".loop/tree/HEAD": "ref: x\n", **{f"odd/{n}": t for n, t in GIT.items()}}
    ),
    "our git folder, a link": Hostile(lambda g: g.write({f"odd/{n}": t for n, t in GIT.items()}).link(".loop/tree", "../odd")),
    "a module that is the whole": carrying({".gitmodules": MODULES.format(".")}),
    "a module that leads around": Hostile(lambda g: g.write({".gitmodules": MODULES.format("sub/up")}).link("sub/up", "..")),
    "a bare repository inside": Hostile(lambda g: g.write({f"inner/{n}": t for n, t in GIT.items()}), at="inner"),
    ".loop is a link": linking(".loop", "{away}"),
    ".loop is a link to a loop": Hostile(lambda g: g.write({"odd/state.json": STATE}).link(".loop", "odd")),
    **{f".loop/{n} is a link": linking(f".loop/{n}", "{away}/.ssh/keys") for n in ("journal.jsonl", "state.json", ".gitignore")},
    **{f".loop/{n} is a link": linking(f".loop/{n}", "{away}") for n in ("evidence", "history", "logs", "running")},
    "the lock is a link": linking(".loop/lock", "{away}/new"),
    ".claude is a link": linking(".claude", "{away}", "polish it", "--preset", "generic", "--check", "fine=true"),
    ".claude/.gitignore leads out": linking(".claude/.gitignore", "{away}/new", "polish it", "--preset", "generic"),
    "the page is a link": linking(".claude/loop-state.local.md", "{away}/.ssh/keys", "polish", "--preset", "generic"),
    # --- what only an unpacked archive brings ---
    "hooks of git": Hostile(lambda g: [g.link(f".git/hooks/{name}", "{trip}") for name in HOOKS], committed=False),
    "hooks elsewhere": configured({"core.hooksPath": "hooks"}, {f"hooks/{name}": "{trip}" for name in HOOKS}),
    "a watcher": configured({"core.fsmonitor": "{trip}", "core.untrackedCache": "true"}),
    "filters": configured({f"filter.x.{when}": "{trip}" for when in ("clean", "smudge")}, {".gitattributes": "* filter=x\n"}),
    "a filter that stays": configured({"filter.x.process": "{trip}"}, {".gitattributes": "* filter=x\n"}),
    "a filter with a name": configured({"filter.x=y.clean": "{trip}"}, {".gitattributes": "* filter=x=y\n"}),
    "differ": configured({"diff.external": "{trip}", "diff.x.command": "{trip}"}, {".gitattributes": "* diff=x\n"}),
    "text of binaries": configured({"diff.x.textconv": "{trip}"}, {".gitattributes": "* diff=x\n"}),
    "mergers": configured({"merge.x.driver": "{trip}", "merge.default": "x"}, {".gitattributes": "* merge=x\n"}),
    "pager and editor": configured({f"core.{name}": "{trip}" for name in ("pager", "editor", "askPass")}),
    "other words": configured({f"alias.{name}": "!{trip}" for name in ("status", "diff", "ls-files", "rev-parse")}),
    "signatures": configured({"log.showSignature": "true", "gpg.program": "{trip}", "commit.gpgSign": "true"}),
    "objects to be fetched": configured({**LAZY, "remote.origin.url": "ssh://x/y", "core.sshCommand": "{trip}"}),
    "objects of a program": configured({**LAZY, "remote.origin.url": "ext::{trip}", "protocol.ext.allow": "always"}),
    "a proxy": configured({**LAZY, "remote.origin.url": "git://x/y", "core.gitProxy": "{trip}"}),
    "settings included": configured({"include.path": "../more"}, {"more": "[core]\n\tfsmonitor = {trip}\n"}),
    "settings included if": configured({"includeIf.gitdir:**.path": "../more"}, {"more": "[core]\n\tfsmonitor = {trip}\n"}),
    "a worktree outside": configured({"core.worktree": "{away}"}),
    "patterns of a secret": configured({f"core.{name}File": "{away}/.ssh/keys" for name in ("excludes", "attributes")}),
    "git is a file": Hostile(a_file_for_git, committed=False),
    "a module with a watcher": Hostile(a_submodule, committed=False),
}
