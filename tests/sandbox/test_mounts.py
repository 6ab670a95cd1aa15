"""The mounts of each profile, from places and git paths that are only data."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loopwright.agents.registry import AGENT_NAMES, load_about
from loopwright.sandbox.git_guard import keep_whole, remove_guard
from loopwright.sandbox.git_paths import find_git_paths
from loopwright.sandbox.mounts import COPY, EMPTY, MASK, SHOW, WRITE, Box, Mount, plan_mounts
from loopwright.sandbox.places import Places, agent_homes, find_places
from loopwright.sandbox.profiles import AGENT, CHECK, PROFILES, REVIEWER, RULES, access_of
from loopwright.sandbox.tables import AGENT_HOMES

pytestmark = pytest.mark.sandbox
# Ways in which a setting may start kt/a.
COMMANDS = (
    *("nice -n 5 kt/a", "timeout 5 kt/a", "bash -e -x kt/a", "python3 -W ignore kt/a", "eval kt/a"),
    *("xargs kt/a", "K=kt/a; $K", "if true; then kt/a; fi", "</dev/null kt/a", "sh < kt/a"),
    *("uv run kt/a", "~/../project/kt/a", "$HOME/../project/kt/a", "${{HOME}}/../project/kt/a"),
    *("$PWD/kt/a", "`pwd`/kt/a", "perl --rc=kt/a", "cat | (kt/a)", "{root}/kt/a"),
    *('env -S \\"kt/a x\\"', '\\"$(git rev-parse --show-toplevel)\\"/kt/a'),
)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    home = tmp_path / "home"
    for name in ("state", ".cache/pip", ".npm", ".cargo/bin", ".ssh", "code/.git/hooks"):
        (home / name).mkdir(parents=True)
    return Places(
        home=str(home),
        state=(str(home / "state"),),
        hidden=(str(home), "/tmp"),
        tools=(str(home / ".cargo/bin"), "/usr/bin"),
        caches=((str(home / ".cache/pip"), True), (str(home / ".npm"), False)),
        secrets=(str(home / ".ssh"),),
    )


def planned(places: Places, profile: str, can_copy: bool = False, **given: object) -> list[Mount]:
    root = f"{places.home}/code"
    box = Box(profile=profile, root=root).but(**given)
    return list(plan_mounts(box, places, find_git_paths(root), can_copy))


def last_kind(mounts: list[Mount], path: str) -> str:
    """What the last mount at or above the path makes of it."""
    above = [m.kind for m in mounts if path == m.path or path.startswith(f"{m.path}/")]
    return above[-1] if above else ""


def test_every_rule_says_something_about_every_profile():
    assert all(access_of(rule.name, profile) for rule in RULES for profile in PROFILES)


def test_the_home_folder_is_empty_and_the_tools_in_it_are_shown(places):
    mounts = planned(places, AGENT)

    assert last_kind(mounts, f"{places.home}/.bashrc") == EMPTY
    assert last_kind(mounts, f"{places.home}/.cargo/bin/cargo") == SHOW
    assert Mount(SHOW, "/usr/bin") not in mounts  # it is not hidden


@pytest.mark.parametrize(("profile", "kind"), [(AGENT, WRITE), (CHECK, WRITE), (REVIEWER, SHOW)])
def test_the_project_is_writable_except_for_a_reviewer(places, profile, kind):
    assert last_kind(planned(places, profile), f"{places.home}/code/main.py") == kind


def test_git_hooks_stay_as_they_are(places):
    mounts = planned(places, AGENT)

    assert last_kind(mounts, f"{places.home}/code/.git/hooks/pre-commit") == SHOW
    assert last_kind(mounts, f"{places.home}/code/.git/index") == WRITE


def test_a_cache_that_needs_writing_is_private_where_no_copy_is_possible(places):
    plain, copied = planned(places, CHECK), planned(places, CHECK, can_copy=True)

    assert last_kind(plain, f"{places.home}/.cache/pip/x") == SHOW
    assert last_kind(plain, f"{places.home}/.npm/x") == EMPTY
    assert last_kind(copied, f"{places.home}/.npm/x") == COPY


def test_a_cache_that_needs_writing_is_the_one_of_the_run(places):
    mounts = planned(places, CHECK, caches="/kept/run")

    assert last_kind(mounts, f"{places.home}/.cache/pip/x") == SHOW
    assert Mount(WRITE, f"{places.home}/.npm", "/kept/run/.npm") in mounts


def test_secrets_stay_hidden_in_a_folder_that_the_person_allows(places):
    mounts = planned(places, AGENT, allow_read=(places.home,))

    assert last_kind(mounts, f"{places.home}/.ssh/id_rsa") == EMPTY
    assert last_kind(mounts, f"{places.home}/state/holdouts") == EMPTY


def test_a_secret_file_is_masked(places):
    netrc = f"{places.home}/.netrc"
    Path(netrc).write_text("secret")
    mounts = planned(places.but(secrets=(netrc,)), AGENT, allow_read=(places.home,))

    assert last_kind(mounts, netrc) == MASK


def test_the_loop_folder_is_read_only_and_its_inbox_is_not(places):
    os.makedirs(f"{places.home}/code/.loop/inbox")
    agent, check = planned(places, AGENT), planned(places, CHECK)

    assert last_kind(agent, f"{places.home}/code/.loop/journal.jsonl") == SHOW
    assert last_kind(agent, f"{places.home}/code/.loop/inbox/claim") == WRITE
    assert last_kind(check, f"{places.home}/code/.loop/inbox/claim") == SHOW


def test_another_checkout_appears_at_the_path_of_the_project(places):
    mounts = planned(places, CHECK, source="/rooms/1")

    assert mounts[-1] == Mount(WRITE, f"{places.home}/code", "/rooms/1")


def test_login_files_lie_over_a_folder_that_only_this_loop_has(places):
    claude = Path(places.home, ".claude")
    claude.mkdir()
    (claude / ".credentials.json").write_text("{}")
    agents = agent_homes(["claude", "unknown"], {"CLAUDE_CONFIG_DIR": str(claude)})
    mounts = planned(places, AGENT, agents=tuple(agents), agent_store="/store")

    assert Mount(WRITE, str(claude), "/store/claude") in mounts
    assert last_kind(mounts, str(claude / ".credentials.json")) == SHOW
    assert last_kind(mounts, str(claude / "settings.json")) == WRITE
    assert planned(places, CHECK, agents=tuple(agents)) == planned(places, CHECK)


def test_every_agent_of_loop_run_has_a_row_for_its_login():
    """Without one it would be logged out inside."""
    abouts = [load_about(name) for name in AGENT_NAMES]
    programs = {about.program for about in abouts if about.program}

    assert programs <= set(AGENT_HOMES)


@pytest.mark.parametrize(
    ("agent", "login", "settings"),
    [
        ("amp", ".local/share/amp/secrets.json", ".config/amp/settings.json"),
        ("goose", ".config/goose/secrets.yaml", ".config/goose/config.yaml"),
    ],
)
def test_the_login_of_amp_and_goose_is_shown(places, monkeypatch, agent, login, settings):
    monkeypatch.setenv("HOME", places.home)
    for name in (login, settings):
        Path(places.home, name).parent.mkdir(parents=True, exist_ok=True)
        Path(places.home, name).write_text("x")
    agents = tuple(agent_homes([agent], {}))
    mounts = planned(places, AGENT, agents=agents, agent_store="/store")

    assert last_kind(mounts, f"{places.home}/{login}") == SHOW
    assert last_kind(mounts, f"{places.home}/{settings}") == SHOW


def test_the_places_of_this_machine_hide_our_state_and_show_the_path(tmp_path, monkeypatch):
    state = tmp_path / "elsewhere/loopwright"
    venv = tmp_path / "venv"
    for folder in (state, venv / "bin", tmp_path / "home/.ssh"):
        folder.mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text("")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("PATH", f"{venv}/bin:relative:/nonexistent")

    found = find_places()

    assert str(state) in found.state
    assert str(venv) in found.tools
    assert str(tmp_path / "home/.ssh") in found.secrets
    assert "/nonexistent" not in found.tools


def test_without_a_repository_there_are_no_git_paths(tmp_path):
    found = find_git_paths(str(tmp_path))

    assert found.folders == found.kept_folders == ()
    assert not [path for path in (*found.files, *found.programs) if str(tmp_path) in path]


def test_a_worktree_protects_the_common_folder(tmp_path):
    common, own = tmp_path / "main/.git", tmp_path / "main/.git/worktrees/lane"
    own.mkdir(parents=True)
    lane = tmp_path / "lane"
    lane.mkdir()
    (lane / ".git").write_text(f"gitdir: {own}\n")
    (own / "commondir").write_text("../..\n")

    found = find_git_paths(str(lane))

    assert found.folders == (str(common), str(own))
    assert {str(lane / ".git"), str(common / "config")} <= set(found.files)
    for folder in (common, own):  # the person may switch it on later
        assert str(folder / "config.worktree") in found.files
    assert found.programs == (str(common / "hooks"),)
    remove_guard(str(lane))
    assert not list(common.rglob("config.worktree"))


def test_hooks_includes_and_submodules_are_found_in_the_text_of_the_settings(tmp_path):
    modules = tmp_path / ".git/modules/a/modules/b"
    modules.mkdir(parents=True)
    (tmp_path / ".git/modules/a/config").write_text("[core]\n")
    (modules / "config").write_text("[core]\n")
    (tmp_path / ".git/config").write_text(
        '[core]\n\thooksPath = .husky/_\n[include]\n\tpath = "../shared.inc"\n'
    )

    found = find_git_paths(str(tmp_path))

    assert str(tmp_path / ".husky/_") in found.programs
    assert {str(tmp_path / "shared.inc"), str(modules / "config")} <= set(found.files)
    assert (tmp_path / "shared.inc").exists()  # else the agent could write what git includes


@pytest.mark.parametrize(
    ("settings", "protected"),
    [
        ("[core] hooksPath = .githooks", ".githooks"),
        ('[core]\n\thooksPath = "deep/new \\\\ folder/hooks"', "deep/new \\ folder/hooks"),
        ("[core]\n\tsshCommand = sh tools/ssh.sh -v", "tools/ssh.sh"),
        ("[core]\n\tsshCommand = exec sh ssh.sh", "ssh.sh"),
        ("[core]\n\tsshCommand = bash -c 'tools/ssh -v'", "tools/ssh"),
        ("[core]\n\tfsmonitor = tools/watch", "tools/watch"),
        ("[core]\n\teditor = env A=b ./edit --wait", "edit"),
        ("[core]\n\tpager = cat | tools/page", "tools/page"),
        ("[core]\n\taskPass = tools/ask", "tools/ask"),
        ("[core]\n\tattributesFile = tools/attributes", "tools/attributes"),
        ("[sequence]\n\teditor = tools/edit", "tools/edit"),
        ('[credential "https://x.org"]\n\thelper = "!node tools/login.js"', "tools/login.js"),
        ("[gpg]\n\tprogram = tools/gpg", "tools/gpg"),
        ('[gpg "ssh"]\n\tdefaultKeyCommand = tools/key', "tools/key"),
        ("[diff]\n\texternal = tools/diff", "tools/diff"),
        ('[diff "word"]\n\ttextconv = python3 -B tools/text.py', "tools/text.py"),
        ('[merge "x"]\n\tdriver = tools/merge %A %B', "tools/merge"),
        ('[filter "x"]\n\tclean = tools/clean %f', "tools/clean"),
        ('[filter "x"]\n\tprocess = ./process', "process"),
        ('[difftool "x"]\n\tcmd = cd x && tools/show', "tools/show"),
        ('[mergetool "x"]\n\tpath = tools/show', "tools/show"),
        ("[init]\n\ttemplateDir = template", "template"),
        ("[alias]\n\tx = !tools/x $1", "tools/x"),
        ("[pager]\n\tlog = tools/page", "tools/page"),
        ('[hook "x"]\n\tcommand = tools/hook\n\tevent = pre-commit', "tools/hook"),
        ("[include]\n\tpath = {root}/more.inc", "more.inc"),
        ('[includeIf "onbranch:later"]\n\tpath = {root}/new/more.inc', "new/more.inc"),
        ('[includeIf "onbranch:later"]\n\tpath = {home}/more', "hooks-of-later"),
        *((f'[core]\n\tpager = "{command}"', "kt/a") for command in COMMANDS),
    ],
)
def test_what_the_persons_own_settings_name_in_the_project_is_protected_and_cannot_be_made(
    settings, protected, tmp_path, monkeypatch
):
    root, home = tmp_path / "project", tmp_path / "home"
    (root / ".git").mkdir(parents=True)
    home.mkdir()
    (home / "more").write_text("[core]\n\thooksPath = hooks-of-later\n")
    (home / ".gitconfig").write_text(settings.format(root=root, home=home))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    places = find_places()

    mounts = plan_mounts(
        Box(profile=AGENT, root=str(root)), places, find_git_paths(str(root)), False
    )

    assert last_kind(list(mounts), str(root / protected)) == SHOW
    above = (root / protected).parent
    assert above == root or Mount(WRITE, str(above)) in mounts  # it cannot be moved away
    assert last_kind(list(mounts), str(root / "main.py")) == WRITE
    remove_guard(str(root))
    assert os.listdir(root) == [".git"]  # nothing of it is left


@pytest.mark.parametrize(
    "settings",
    [
        "[alias]\n\tl = log -- src/main.py",
        "[alias]\n\tl = !git log -- src",
        '[filter "lfs"]\n\tclean = git-lfs clean -- %f',
        "[core]\n\teditor = env nice vim",
        "[core]\n\tpager = sed s/old/new/g src/*.py",
        "[core]\n\tfsmonitor = true\n\thooksPath = {home}/hooks",
        "[credential]\n\thelper = cache",
        "[core]\n\thooksPath = .",
        '[remote "x"]\n\turl = src/main.py',
    ],
)
def test_a_setting_that_executes_no_file_of_the_project_leaves_it_writable(
    settings, tmp_path, monkeypatch
):
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src/main.py").write_text("")
    (tmp_path / ".gitconfig").write_text(settings.format(home=tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)

    found = find_git_paths(str(root))
    mounts = plan_mounts(Box(profile=AGENT, root=str(root)), find_places(), found, False)

    own = [(m.kind, m.path) for m in mounts if m.path.startswith(str(root))]
    assert own == [(WRITE, str(root))]


@pytest.mark.parametrize("name", ["kt/a3[6]", "kt/a b", "kt/a", "a"])
def test_a_program_that_exists_is_protected_however_it_is_named(name, tmp_path, monkeypatch):
    path = tmp_path / name.replace("[6]", "6")
    path.parent.mkdir(exist_ok=True)
    path.touch(0o755)
    monkeypatch.setenv("GIT_PAGER", f"nice '{name}'" if " " in name else f"nice {name}")

    assert str(path) in find_git_paths(str(tmp_path)).programs


@pytest.mark.parametrize(
    ("variable", "value", "kept"),
    [
        ("GIT_CONFIG_GLOBAL", "{root}/new/settings", "new/settings"),
        ("GIT_CONFIG_SYSTEM", "{root}/settings", "settings"),
        ("XDG_CONFIG_HOME", "{root}/xdg", "xdg/git/config"),
        ("XDG_CONFIG_HOME", "{home}/linked", "dot/git/config"),
        ("HOME", "{root}", ".gitconfig"),
        ("HOME", "{home}", "dot/gitconfig"),
    ],
)
def test_settings_of_the_person_that_would_lie_in_the_project_cannot_be_made(
    variable, value, kept, tmp_path, monkeypatch
):
    root, home = tmp_path / "project", tmp_path / "home"
    (root / "dot").mkdir(parents=True)
    home.mkdir()
    (home / "linked").symlink_to(root / "dot")
    (home / ".gitconfig").symlink_to(root / "dot/gitconfig")
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    monkeypatch.setenv(variable, value.format(root=root, home=home))

    found = find_git_paths(str(root))
    mounts = plan_mounts(Box(profile=AGENT, root=str(root)), find_places(), found, False)

    assert Mount(SHOW, str(root / kept)) in mounts
    remove_guard(str(root))
    assert [path.name for path in root.rglob("*")] == ["dot"]


def test_programs_that_variables_name_are_protected(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_SSH_COMMAND", "tools/ssh -v")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "team-hooks")

    found = find_git_paths(str(tmp_path))

    assert {str(tmp_path / "tools/ssh"), str(tmp_path / "team-hooks")} <= set(found.programs)


def test_a_link_to_a_hook_folder_that_an_agent_replaces_is_put_back(tmp_path, monkeypatch):
    """No mount can lie on a link, so it can be replaced while the turn works."""
    (tmp_path / ".git/hooks").mkdir(parents=True)
    (tmp_path / "tools").mkdir()
    (tmp_path / ".githooks").symlink_to("tools")
    (tmp_path / ".git/config").write_text("[core]\n\thooksPath = .githooks\n")

    found = find_git_paths(str(tmp_path))
    mounts = plan_mounts(Box(profile=AGENT, root=str(tmp_path)), find_places(), found, False)
    (tmp_path / ".githooks").unlink()
    (tmp_path / ".githooks").mkdir()
    (tmp_path / ".githooks/pre-commit").write_text("evil\n")
    keep_whole(str(tmp_path))

    assert last_kind(list(mounts), str(tmp_path / "tools/pre-commit")) == SHOW
    assert os.readlink(tmp_path / ".githooks") == "tools"
    assert (tmp_path / ".githooks.set-aside/pre-commit").exists()


def test_a_git_folder_that_is_a_link_is_put_back(tmp_path):
    root = tmp_path / "project"
    (tmp_path / "elsewhere/objects").mkdir(parents=True)
    root.mkdir()
    (root / ".git").symlink_to("../elsewhere")
    find_git_paths(str(root))

    (root / ".git").unlink()
    (root / ".git").mkdir()
    keep_whole(str(root))

    assert os.readlink(root / ".git") == "../elsewhere"
