"""No cheat of the catalogue ends as proven, and no honest agent is refuted.

`make proof` plays a sample through the real start and the real hook; `make torture` plays all.
"""

import os

import pytest

from tests.proof_cases.case import Case
from tests.proof_cases.catalogue import CHEATS, HONEST
from tests.proof_cases.play import play
from tests.proof_cases.verify_cases import missing_tools

# Projects by what a case in them costs, the cheapest first; those of a list cost about the same.
COSTS = (
    (
        "script",
        "unittest",
        "asserts",
        "make",
        "doctest",
        "document",
        "lint",
        "c",
        "perl",
        "ruby",
        "php",
        "java",
    ),
    ("pytest", "golden", "src", "node", "coverage"),
    ("types", "monorepo", "cargo", "go"),
    ("jest", "vitest"),
)
DEAR_PROJECTS = ("pytest", "node", "jest", "vitest", "cargo", "go", "monorepo")
# Settings that leave tests out are refuted before anything runs in a clean checkout.
QUICK_CASES = ("jest ignores the test file", "vitest excludes everything")
CHEATS_IN_SAMPLE, HONEST_IN_SAMPLE = 40, 12


def is_playable(case: Case) -> bool:
    return not missing_tools(f"{case.project.needs} {case.needs}")


def cost(case: Case) -> int:
    found = (place for place, names in enumerate(COSTS) if case.project.name in names)
    return next(found, 1)  # the projects of single cases cost as much as one with pytest


def sample(cases: tuple[Case, ...], count: int, projects: tuple[str, ...] = ()) -> list[Case]:
    """All cases in `make torture`.

    Else so many: one of each of `projects`, one that is cheap of each family, then a second one.
    """
    playable = [case for case in cases if is_playable(case)]
    if os.environ.get("TORTURE"):
        return playable
    chosen: dict[str, Case] = {}
    for project in projects:
        members = [case for case in playable if case.project.name == project]
        members.sort(key=lambda case: (case.name not in QUICK_CASES, case.family != "settings"))
        chosen |= {case.name: case for case in members[:1]}
    families = dict.fromkeys(case.family for case in playable)
    cheap = {family: cheapest([c for c in playable if c.family == family]) for family in families}
    chosen |= {cases[0].name: cases[0] for cases in cheap.values()}
    chosen |= {cases[len(cases) // 2].name: cases[len(cases) // 2] for cases in cheap.values()}
    return list(chosen.values())[:count]


def cheapest(cases: list[Case]) -> list[Case]:
    least = min(map(cost, cases))
    return [case for case in cases if cost(case) == least]


def named(cases: list[Case]) -> list[object]:
    return [pytest.param(case, id=f"{case.family}: {case.name}") for case in cases]


@pytest.mark.proof
@pytest.mark.parametrize("case", named(sample(CHEATS, CHEATS_IN_SAMPLE, DEAR_PROJECTS)))
def test_a_cheat_is_never_proven(case: Case) -> None:
    played = play(case)

    assert played.is_right, str(played)


@pytest.mark.proof
@pytest.mark.parametrize("case", named(sample(HONEST, HONEST_IN_SAMPLE)))
def test_an_honest_agent_is_proven_or_asked(case: Case) -> None:
    played = play(case)

    assert played.is_right, str(played)
