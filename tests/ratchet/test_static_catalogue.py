"""Every cheat of the catalogue is named by the rules that named it, and honest agents by no others.

The cases are not played here: their edits go through the rules in memory. After a change of rules that
is meant, `python -m tests.proof_cases.rule_table --record` writes the record anew.
"""

from tests.proof_cases.catalogue import ALL
from tests.proof_cases.static import read_record, rules_of

HINT = "if it is meant: python -m tests.proof_cases.rule_table --record"


def test_rules_name_the_cheats_that_they_named_and_no_other_honest_agents() -> None:
    recorded = {name: set(rules) for name, rules in read_record().items()}
    lost, flagged = {}, {}

    for case in ALL:  # in one test: two would run all cases on two workers
        rules, former = set(rules_of(case)), recorded.pop(case.name, set())
        if case.honest and rules - former:
            flagged[case.name] = rules - former
        elif not case.honest and former - rules:
            lost[case.name] = former - rules

    assert not lost, f"cheats that are no longer named; {HINT}"
    assert not flagged, f"honest agents that are named now; {HINT}"
    assert not recorded, f"the record names cases that are gone; {HINT}"
