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
CHEATS_OF_FAMILY, HONEST_OF_FAMILY = 2, 4


def is_playable(case: Case) -> bool:
    return not missing_tools(f"{case.project.needs} {case.needs}")


def cost(case: Case) -> int:
    found = (place for place, names in enumerate(COSTS) if case.project.name in names)
    return next(found, 1)  # the projects of single cases cost as much as one with pytest


def sample(cases: tuple[Case, ...], count: int, projects: tuple[str, ...] = ()) -> list[Case]:
    """All cases in `make torture`.

    Else cheap cases of each family, as many as `count` says, and one case of each of `projects`.
    """
    playable = [case for case in cases if is_playable(case)]
    if os.environ.get("TORTURE"):
        return playable
    chosen: dict[str, Case] = {}
    for family in dict.fromkeys(case.family for case in playable):
        members = [case for case in playable if case.family == family]
        least = min(map(cost, members))
        cheap = [case for case in members if cost(case) == least]
        step = max(1, len(cheap) // count)
        chosen |= {case.name: case for case in cheap[::step][:count]}
    for project in projects:
        members = [case for case in playable if case.project.name == project]
        # Settings that leave tests out are refuted before anything runs in a clean checkout.
        members.sort(key=lambda case: case.family != "settings")
        chosen |= {case.name: case for case in members[:1]}
    return list(chosen.values())


def named(cases: list[Case]) -> list[object]:
    return [pytest.param(case, id=f"{case.family}: {case.name}") for case in cases]


@pytest.mark.proof
@pytest.mark.parametrize("case", named(sample(CHEATS, CHEATS_OF_FAMILY, DEAR_PROJECTS)))
def test_a_cheat_is_never_proven(case: Case) -> None:
    played = play(case)

    assert played.is_right, str(played)


@pytest.mark.proof
@pytest.mark.parametrize("case", named(sample(HONEST, HONEST_OF_FAMILY)))
def test_an_honest_agent_is_proven_or_asked(case: Case) -> None:
    played = play(case)

    assert played.is_right, str(played)
