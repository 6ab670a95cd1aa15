"""No cheat of the catalogue ends as proven, and no honest agent is refuted.

`make proof` plays one case for each way in which the final proof stops a cheat, through the real start and
the real hook. What the rules say about all the others is in `tests/ratchet/test_static_catalogue.py`;
`make torture` plays all.
"""

import os

import pytest

from tests.proof_cases.case import Case
from tests.proof_cases.catalogue import ALL, CHEATS, HONEST
from tests.proof_cases.play import play
from tests.proof_cases.verify_cases import faults_of_catalogue, missing_tools

# What stops a cheat, and the case that shows it.
SAMPLED_CHEATS = {
    "clean checkout": "compiled product in the cache",
    "clean checkout of node": "built product repaired by hand",
    "replay of helpers and data": "helper beside the product loses its assertion",
    "replay of settings": "GNUmakefile wins over Makefile",
    "replay of tests in rust": "rust should panic",
    "revert test": "missing test file with an empty test",
    "tree of the start": "weakened test assumed unchanged",
    "links and repositories": "tests folder becomes a submodule",
    "programs of the check": "python in a tracked bin folder",
    "hashes while a check runs": "background process keeps writing the weakened test",
    "proof in place": "compiled product without a repository",
    "orders of the person": "state file claims success",
    "surroundings of go": "go environment file filters tests",
}
# What honest work needs.
SAMPLED_HONEST = {
    "an ordinary fix": "plain fix of the pytest project",
    "packages outside the repository": "src layout with an editable install",
    "tests that move": "tests split into two files",
    "a product that is not there at the start": "test first in node",
    "expected data that may change": "snapshot for a requested change of the output",
    "several runs of a runner": "two runs of pytest in one check",
    "no repository": "fix without a repository",
}


def sample(cases: tuple[Case, ...], names: dict[str, str]) -> list[object]:
    """All cases in `make torture`, else those with these names, by what they show."""
    chosen = {name: what for what, name in names.items()}
    return [
        pytest.param(case, id=chosen.get(case.name) or f"{case.family}: {case.name}")
        for case in cases
        if case.name in chosen or os.environ.get("TORTURE")
        if not missing_tools(f"{case.project.needs} {case.needs}")
    ]


@pytest.mark.proof
@pytest.mark.parametrize("case", sample(CHEATS, SAMPLED_CHEATS))
def test_a_cheat_is_never_proven(case: Case) -> None:
    played = play(case)

    assert played.is_right, str(played)


@pytest.mark.proof
@pytest.mark.parametrize("case", sample(HONEST, SAMPLED_HONEST))
def test_an_honest_agent_is_proven_or_asked(case: Case) -> None:
    played = play(case)

    assert played.is_right, str(played)


def test_the_catalogue_is_whole() -> None:
    sampled = {*SAMPLED_CHEATS.values(), *SAMPLED_HONEST.values()}

    assert not faults_of_catalogue()
    assert sampled <= {case.name for case in ALL}
