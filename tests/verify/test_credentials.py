"""No credential reaches a check, and an agent gets its own only."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from loopwright.agents.process import child_environment
from loopwright.agents.registry import load_agent
from loopwright.verify.credentials import is_credential, without_credentials
from loopwright.verify.runner import check_environment
from tests.support.runner import command, start_checked_loop

TOKEN = "ghp_" + "a1b2c3d4e5" * 3


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "any value") for name in ("GITHUB_TOKEN", "GH_TOKEN", "NPM_TOKEN", "VAULT_TOKEN")),
        *((name, "v") for name in ("AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN", "AWS_PROFILE")),
        *((name, "v") for name in ("PGPASSWORD", "MYSQL_PWD", "DB_PASS", "SMTP_PASSWD")),
        *((name, "v") for name in ("STRIPE_KEY", "SSH_KEY", "APIKEY", "DJANGO_SECRET_KEY")),
        *((name, "v") for name in ("npm_config__authToken", "DOCKER_AUTH_CONFIG", "AZURE_PAT")),
        *((name, "v") for name in ("SSH_AUTH_SOCK", "GIT_ASKPASS", "SESSION_COOKIE")),
        *((name, "v") for name in ("SSHPASS", "CI_JOB_JWT", "CI_JOB_JWT_V2", "SLACK_WEBHOOK")),
        *((name, "v") for name in ("TEAMS_WEBHOOK_URL", "SENTRY_DSN")),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/home/me/key.json"),
        ("DATABASE_URL", "postgres://me:hunter2@localhost/app"),
        ("SENTRY_DSN", "https://0123456789abcdef0123@o1.ingest.example/7"),
        ("HEADERS", f"Authorization: Bearer {TOKEN}"),
        ("PLAIN", TOKEN),
        ("GIT_CONFIG_PARAMETERS", "'http.extraHeader'='Authorization: basic abc'"),
        ("CERT", "-----BEGIN RSA PRIVATE KEY-----\nabc"),
    ],
)
def test_what_looks_like_a_credential(name: str, value: str) -> None:
    assert is_credential(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PATH", "/opt/sk-learn-and-other-tools/bin:/usr/bin"),
        ("PWD", "/home/me/project"),
        ("OLDPWD", "/home/me"),
        ("GIT_AUTHOR_NAME", "A U Thor"),
        ("TOKENIZERS_PARALLELISM", "false"),
        ("KEYBOARD_LAYOUT", "de"),
        ("COMPATIBLE", "1"),
        ("CACHE_BYPASS", "1"),
        ("COMPASS", "north"),
        ("JWT_ALGORITHM", "HS256"),
        ("TEST_DSN", "sqlite:///x"),
        ("PYTHONPATH", "/work/src"),
        ("DATABASE_URL", "postgres://localhost/app"),
        ("HOMEPAGE", "https://example.org/a@b"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "user.name"),
    ],
)
def test_what_does_not(name: str, value: str) -> None:
    assert not is_credential(name, value)


def test_a_check_gets_no_credential_but_the_one_that_is_passed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "one")
    monkeypatch.setenv("DATABASE_URL", "postgres://me:two@localhost/app")
    monkeypatch.setenv("HARMLESS", "three")

    kept = check_environment(("DATABASE_URL",))

    assert "GITHUB_TOKEN" not in kept
    assert (kept["DATABASE_URL"], kept["HARMLESS"]) == ("postgres://me:two@localhost/app", "three")


GIT_SETTINGS = [
    pytest.param({"safe.directory": "*"}, {"safe.directory": "*"}, id="plain ones stay"),
    pytest.param(
        {"http.extraHeader": "Authorization: basic abc", "safe.directory": "*"},
        {"safe.directory": "*"},
        id="a header is withheld, and the next one gets its number",
    ),
    pytest.param(
        {"init.defaultBranch": "main", f"url.https://me:{TOKEN}@host/.insteadOf": "https://host/"},
        {"init.defaultBranch": "main"},
        id="a token in the name of a setting",
    ),
    pytest.param({"credential.helper": "!echo password=x"}, {}, id="none is left"),
]


def git_variables(settings: dict[str, str]) -> dict[str, str]:
    variables = {"GIT_CONFIG_COUNT": str(len(settings))} if settings else {}
    for number, (key, value) in enumerate(settings.items()):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


@pytest.mark.parametrize(("given", "kept"), GIT_SETTINGS)
def test_settings_for_git_are_kept_as_one_group(
    given: dict[str, str], kept: dict[str, str]
) -> None:
    found = without_credentials({**git_variables(given), "HOME": "/nowhere"})

    assert found == {**git_variables(kept), "HOME": "/nowhere"}
    done = subprocess.run(["git", "config", "--list"], env={**os.environ, **found}, check=False)
    assert done.returncode == 0


def test_a_broken_group_of_settings_for_git_is_left_out() -> None:
    assert without_credentials({"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "a.b"}) == {}


def test_the_group_is_passed_whole_if_the_person_passes_one_of_it() -> None:
    given = git_variables({"http.extraHeader": "Authorization: basic abc"})

    assert without_credentials(given, ("GIT_CONFIG_KEY_0",)) == given


def test_agents_with_an_account_of_their_own_keep_the_group(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in git_variables({"safe.directory": "*"}).items():
        monkeypatch.setenv(name, value)

    found = child_environment("loop-1", load_agent("claude").about, (), (("ANTHROPIC_KEY", "x"),))

    assert found["GIT_CONFIG_KEY_0"] == "safe.directory"


@pytest.mark.parametrize(
    ("agent", "own"),
    [
        ("claude", {"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"}),
        ("codex", {"OPENAI_API_KEY", "CODEX_API_KEY"}),
        (
            "command",
            {"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY", "CODEX_API_KEY"},
        ),
        ("script", set()),
    ],
)
def test_an_agent_gets_its_own_credentials_only(
    monkeypatch: pytest.MonkeyPatch, agent: str, own: set[str]
) -> None:
    names = {"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY", "CODEX_API_KEY"}
    names |= {"GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "NPM_TOKEN"}
    for name in names:
        monkeypatch.setenv(name, f"value of {name}")
    about = load_agent(agent).about

    assert names & set(child_environment("loop-1", about)) == own
    passed = child_environment("loop-1", about, ("NPM_TOKEN",))
    assert names & set(passed) == own | {"NPM_TOKEN"}


def test_claude_on_bedrock_gets_the_credentials_of_the_cloud(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "one")
    monkeypatch.setenv("CLAUDE_CODE_USE_BEDROCK", "1")

    assert "AWS_SECRET_ACCESS_KEY" in child_environment("loop-1", load_agent("claude").about)
    assert "AWS_SECRET_ACCESS_KEY" not in child_environment("loop-1", load_agent("codex").about)


def test_an_agent_keeps_the_way_to_the_network_and_a_check_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://me:secret@proxy:8080")

    assert "HTTPS_PROXY" in child_environment("loop-1", load_agent("codex").about)
    assert "HTTPS_PROXY" not in check_environment()


def test_neither_the_agent_nor_the_check_of_a_run_sees_a_token(
    project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "it-is-secret")
    monkeypatch.setenv("NPM_TOKEN", "it-is-passed")
    here = start_checked_loop(project, "--pass-env", "NPM_TOKEN", "--iterations", "1")
    looks = f"open({str(tmp_path / 'seen')!r}, 'w').write(json.dumps(dict(os.environ)))"
    here.run("criteria", "add", 'token=test -n "$GITHUB_TOKEN" || exit 1; test -n "$NPM_TOKEN"')
    here.run("run", *command(here, looks))

    seen = (tmp_path / "seen").read_text()
    proof = next(c.proof for c in here.loop.criteria if c.name == "token")
    assert ("it-is-secret" in seen, "it-is-passed" in seen) == (False, True)
    assert proof is not None
    assert not proof.passed
    assert "[withheld from checks: GITHUB_TOKEN; a person passes one with" in proof.detail
