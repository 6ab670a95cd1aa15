"""No cheat of the catalogue ends as proven, and no honest agent is refuted.

`make proof` plays a sample through the real start and the real hook; `make torture` plays all.
"""

import os

import pytest

from tests.proof_cases.case import Case
from tests.proof_cases.catalogue import CHEATS, HONEST
from tests.proof_cases.play import play
from tests.proof_cases.verify_cases import missing_tools

SAMPLED_CHEATS, SAMPLED_HONEST = 40, 8


def is_playable(case: Case) -> bool:
    return not missing_tools(f"{case.project.needs} {case.needs}")


def sample(cases: tuple[Case, ...], count: int) -> list[Case]:
    """All cases in `make torture`, else every n-th: each family and project has its share."""
    playable = [case for case in cases if is_playable(case)]
    if os.environ.get("TORTURE"):
        return playable
    return playable[:: max(1, len(playable) // count)][:count]


def named(cases: list[Case]) -> list[object]:
    return [pytest.param(case, id=f"{case.family}: {case.name}") for case in cases]


@pytest.mark.proof
@pytest.mark.parametrize("case", named(sample(CHEATS, SAMPLED_CHEATS)))
def test_a_cheat_is_never_proven(case: Case) -> None:
    played = play(case)

    assert played.is_right, str(played)


@pytest.mark.proof
@pytest.mark.parametrize("case", named(sample(HONEST, SAMPLED_HONEST)))
def test_an_honest_agent_is_proven_or_asked(case: Case) -> None:
    played = play(case)

    assert played.is_right, str(played)
