"""Keys, tokens and passwords, wherever an agent, a tool or a check says them: in nothing that we keep, print or pass on."""

from __future__ import annotations

import base64
import json
import os
import random
import shlex
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopwright.hook.crash import report_crash
from loopwright.verify.credentials import CREDENTIAL_PREFIXES
from loopwright.verify.runner import check_environment
from tests.support.hook import block
from tests.support.plan_projects import a_plan, a_task, start_plan, turn_on
from tests.support.runner import command, program, script
from tests.torture.conftest import Figure
from tests.torture.leaks.rounds import ROUNDS
from tests.torture.leaks.world import Make, World
from tests.torture.size import chunks, size

LETTERS = string.ascii_letters + string.digits
NAMES = [
    "API_KEY",
    "my_api-key",
    "Token",
    "GITHUB_TOKEN",
    "secret",
    "AWS_SECRET_ACCESS_KEY",
    "password",
    "DB_PASSWD",
    "credential",
]
NAMES += [
    "GCP_CREDENTIALS",
    "PRIVATE_KEY",
    "deploy.private-key",
    "AUTH",
    "NPM_AUTH",
    "Authorization",
    "x-auth",
    "apikey",
]
FORMS = [
    "{}",
    "it is {} here",
    "({})",
    "`{}`",
    "see <{}>.",
    "a\t{}\tb",
    "{}\r\nmore",
    "export X; {}; echo",
    "\x1b[31m{}\x1b[0m",
    "≈{}",
]
KEPT = {
    "edited file",
    "message id",
    "backlog done",
}  # names, kept as they are; and a word that is only said back to who typed it
SPOKEN = {
    "speaks",
    "edits",
    "claims",
    "gives_up",
    "improves",
    "reports",
}  # rounds in which an agent, a tool or a check speaks


def letters(rng: random.Random, number: int, of: str = LETTERS) -> str:
    return "".join(rng.choices(of, k=number))


def _pem(rng: random.Random) -> tuple[str, str]:
    body = base64.b64encode(rng.randbytes(96)).decode()
    kind = rng.choice(["", "RSA ", "EC ", "OPENSSH "])
    return (
        f"-----BEGIN {kind}PRIVATE KEY-----\n{body[:64]}\n{body[64:]}\n-----END {kind}PRIVATE KEY-----",
        body[:64],
    )


def _token(
    rng: random.Random, begins: list[str], number: int, of: str = LETTERS
) -> tuple[str, str]:
    secret = letters(rng, number, of)
    return f"{rng.choice(begins)}{secret}", secret


def _jwt(rng: random.Random) -> tuple[str, str]:
    return f"eyJ{letters(rng, 20)}.{letters(rng, 30)}.{(secret := letters(rng, 30))}", secret


def _assigned(rng: random.Random) -> tuple[str, str]:
    secret, name = letters(rng, 14), rng.choice(NAMES)
    shapes = [
        "{}={}",
        "{}: {}",
        '"{}": "{}"',
        "{} = '{}'",
        "{}=Bearer {}",
        "{}: Basic {}",
        "--{} = {}",
    ]
    return rng.choice(shapes).format(name, secret), secret


def _address(rng: random.Random) -> tuple[str, str]:
    return (
        f"{rng.choice(['https', 'postgres', 'amqp+ssl'])}://user:{(secret := letters(rng, 12))}@host/x",
        secret,
    )


# As docs/security.md names them: what is said, and the part of it that nobody may find again.
KINDS: dict[str, Callable[[random.Random], tuple[str, str]]] = {
    "private key": _pem,
    "sk-": lambda rng: _token(rng, ["sk-", "pk-", "rk-", "sk-ant-api03-", "sk-proj-"], 40),
    "ghp_": lambda rng: _token(rng, ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"], 36),
    "AKIA": lambda rng: _token(rng, ["AKIA"], 16, string.ascii_uppercase + string.digits),
    "xoxb-": lambda rng: _token(rng, ["xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-"], 30),
    "AIza": lambda rng: _token(rng, ["AIza"], 35),
    "web token": _jwt,
    "assigned": _assigned,
    "address": _address,
    "variable": lambda rng: (rng.choice(VALUES),) * 2,
}
VALUES: list[str] = []  # of variables of the environment


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, VALUES[:] = random.Random(7), []
    for number, name in enumerate(NAMES):
        VALUES.append(letters(rng, 6) + '~ /"\\é$'[number % 7] + letters(rng, 8))
        monkeypatch.setenv(f"{name}{number}", VALUES[-1])


class Planted:
    def __init__(self, seed: int) -> None:
        self.rng, self.seed, self.secrets = random.Random(seed), seed, dict[str, str]()

    def give(self, field: str) -> str:
        if field in KEPT:
            return f"src/{field}.py"
        kind = self.rng.choice([*KINDS])
        said, secret = KINDS[kind](self.rng)
        self.secrets[secret] = f"{kind} in {field}"
        return self.rng.choice(FORMS).format(said)

    def found(self, *places: tuple[str, str]) -> list[str]:
        """Which of them are there, also as JSON spells them."""
        return [
            f"seed {self.seed}: {what} is in {place}: {secret}"
            for secret, what in self.secrets.items()
            for place, text in places
            if secret in text or json.dumps(secret, ensure_ascii=False)[1:-1] in text
        ]


def kept(world: World) -> list[tuple[str, str]]:
    files = [
        (str(path.relative_to(world.here.root)), path.read_text("utf-8", "replace"))
        for path in world.files()
    ]
    return [*files, *(("what was said", text) for text in world.outputs)]


@pytest.mark.parametrize("seeds", chunks(commit=3, long=60, each=3), ids=str)
def test_no_secret_that_is_said_is_kept_or_shown(
    project: Make, figure: Figure, seeds: range
) -> None:
    bad, of = list[str](), 0
    for seed in seeds:
        kind = ("spec", "discovery", "plan")[seed % 3]
        world, planted = World(project(git=False), kind), Planted(seed)
        for round in (round for round in ROUNDS[kind] if round.__name__ in SPOKEN):
            for _ in range(size(commit=2, long=7)):
                round(world, planted.give)
        world.views()
        of += len(planted.secrets)
        bad += planted.found(*kept(world))

    figure("secrets", of=of, bad=bad)


SAYS = "import pathlib; pathlib.Path(sys.argv[1]).write_text(json.dumps(dict(os.environ)) + sys.stdin.read())"


def test_no_secret_that_an_agent_prints_is_logged_or_passed_on(
    project: Make, tmp_path: Path, figure: Figure
) -> None:
    """A scripted agent, then a program that prints text; its tools fail, its last turn gives up, and a notification is sent."""
    here, planted, heard = project(), Planted(1), tmp_path / "heard"
    here.start("--check", "works=cat out.txt; false")
    notify = shlex.join((*program(tmp_path, SAYS, "says.py"), str(heard)))
    for seed in range(3):
        planted.rng.seed(seed)
        here.write({"out.txt": planted.give("check output")})
        fails = f"printf %s {shlex.quote(planted.give('tool output'))}; false"
        turns: list[dict[str, Any]] = [
            {"say": planted.give("words"), "run": [fails]},
            {"say": block({}, f"BLOCKED: {planted.give('blocked')}")},
        ]
        printed = [planted.give("printed") for _ in range(20)]
        text = f"print({chr(10).join(printed)!r}, {block({}, 'ASK: ' + planted.give('asked'))!r}, sep=chr(10))"
        told = [
            here.run("run", "--script", script(here, *turns), "--notify", notify, "--json"),
            here.run("continue"),
        ]
        told += [
            here.run("run", *command(here, text), "--notify", notify),
            here.run("answer", "yes"),
            here.run("report"),
        ]
        told += [here.run("logs", "--turn", str(turn)) for turn in range(1, 10)]
    files = [path for path in (here.root / ".loop").rglob("*") if path.is_file()]
    places = [(path.name, path.read_text("utf-8", "replace")) for path in files] + [
        ("a view", said.out + said.err) for said in told
    ]
    facts = heard.read_text("utf-8").partition("}")[
        2
    ]  # behind the environment, which is the person's own

    figure(
        "secrets", of=len(planted.secrets), bad=planted.found(*places, ("a notification", facts))
    )


def test_a_crash_and_a_task_that_was_given_up_keep_no_secret(project: Make, figure: Figure) -> None:
    here, planted = project(), Planted(2)
    here.start()
    told = [
        json.dumps(
            report_crash(ValueError(planted.give("our own error")), str(here.root), "claude")
        )
        for _ in range(30)
    ]
    notes = [path.read_text("utf-8") for path in (here.root / ".loop/crash").iterdir()]
    planned_at = start_plan(project(), plan=a_plan(a_task("01")))
    said = planned_at.run(
        "run",
        "--script",
        script(planned_at, turn_on("01", say=f"TASK FAILED: 01 {planted.give('a failed task')}")),
    )
    places = [("a crash note", note) for note in notes] + [
        ("a message", text) for text in (*told, said.out)
    ]
    places += [("the journal", text) for text in map(json.dumps, planned_at.events())]

    figure("secrets", of=len(planted.secrets), bad=planted.found(*places))


@pytest.mark.parametrize(
    "name", [f"{family}{end}" for family in CREDENTIAL_PREFIXES for end in ("", "KEY", "_X")]
)
def test_checks_run_without_the_variables_of_agents(
    project: Make, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "value-of-it")

    assert name not in check_environment()
    assert check_environment((name,))[name] == "value-of-it"
    assert check_environment()["PATH"] == os.environ["PATH"]
