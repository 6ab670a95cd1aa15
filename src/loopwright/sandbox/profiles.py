"""What an agent, a check and a reviewer may see and do: one table, shown by `loop sandbox show`."""

from __future__ import annotations

from ..core.record import Record

AGENT, CHECK, REVIEWER = "agent", "check", "reviewer"
PROFILES = (AGENT, CHECK, REVIEWER)
WRITABLE, READ_ONLY, HIDDEN = "writable", "read-only", "hidden"
PRIVATE = "private"  # a copy, or an empty folder, that nobody else sees; gone at the end
OPEN, CLOSED = "open", "closed"

PROJECT, GIT_SETTINGS, LOOP_FOLDER, INBOX = "project", "git settings", ".loop", ".loop/inbox"
TOOLS, CACHES, LOGINS, SECRETS, HOME = "tools", "caches", "logins", "secrets", "home"
STATE, SYSTEM, TEMPORARY, SOCKETS = "state", "system", "temporary files", "sockets"
PROCESSES, NETWORK = "processes", "network"


class Rule(Record):
    """One kind of thing, and what each profile may do with it."""

    name: str
    agent: str
    check: str
    reviewer: str
    covers: str

    def of(self, profile: str) -> str:
        return {AGENT: self.agent, CHECK: self.check, REVIEWER: self.reviewer}[profile]


RULES = (
    Rule(PROJECT, WRITABLE, WRITABLE, READ_ONLY, "the checkout of the loop"),
    Rule(
        GIT_SETTINGS,
        READ_ONLY,
        READ_ONLY,
        READ_ONLY,
        ".git/hooks, .git/config, config.worktree, commondir, those of submodules and of other "
        "worktrees; what your git settings of any scope include or execute in the project "
        "(core.hooksPath, filters, editors, …), whether it exists or not; "
        "of a lane the whole common folder but objects, its own folder and its branch",
    ),
    Rule(LOOP_FOLDER, READ_ONLY, READ_ONLY, READ_ONLY, "journal, evidence and notes of the loop"),
    Rule(INBOX, WRITABLE, READ_ONLY, READ_ONLY, "the agent's claims and notes; the runner reads"),
    Rule(STATE, HIDDEN, HIDDEN, HIDDEN, "held-out checks, journal heads, our user settings"),
    Rule(HOME, PRIVATE, PRIVATE, PRIVATE, "the home folder, empty but for what follows"),
    Rule(
        TOOLS,
        READ_ONLY,
        READ_ONLY,
        READ_ONLY,
        "folders of the PATH, toolchains (.cargo/bin, .rustup, .nvm, .pyenv, …), .gitconfig",
    ),
    Rule(CACHES, READ_ONLY, PRIVATE, READ_ONLY, "package caches (pip, npm, cargo, go, maven, …)"),
    Rule(LOGINS, READ_ONLY, HIDDEN, READ_ONLY, "the login files of the agent that works"),
    Rule(
        SECRETS,
        HIDDEN,
        HIDDEN,
        HIDDEN,
        ".ssh, .aws, .netrc, .config/gh, .gnupg, .kube, .gem/credentials, …; lines of .gitconfig "
        "and the like that hold a token",
    ),
    Rule(TEMPORARY, PRIVATE, PRIVATE, PRIVATE, "/tmp, /var/tmp, /dev/shm"),  # noqa: S108
    Rule(SOCKETS, HIDDEN, HIDDEN, HIDDEN, "ssh agent, docker, D-Bus, X: all of /run, and others"),
    Rule(SYSTEM, READ_ONLY, READ_ONLY, READ_ONLY, "everything else: /usr, /etc, /opt, …"),
    Rule(PROCESSES, HIDDEN, HIDDEN, HIDDEN, "processes outside; those inside end with it"),
    Rule(NETWORK, OPEN, CLOSED, OPEN, "agents need their model; --no-network closes it"),
)
_BY_NAME = {rule.name: rule for rule in RULES}


def access_of(name: str, profile: str) -> str:
    """What the profile may do with the things of this rule."""
    return _BY_NAME[name].of(profile)
