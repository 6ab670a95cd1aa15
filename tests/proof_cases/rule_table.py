"""What each rule is worth: `python -m tests.proof_cases.rule_table [--record]`.

All cases go through the rules in memory. For each rule the table says how many cheats it names, how
many nobody else names, how many honest agents it names, and how many of the cheats were written in a
round after it. `--record` writes down which rules name which case.
"""

import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from loopwright.core.findings import LOW
from tests.proof_cases.case import Case
from tests.proof_cases.catalogue import ALL
from tests.proof_cases.static import findings_by_rule, write_record

# From which round each rule, and each finding, was written: `round name`.
ROUNDS = Path(__file__).with_name("rule_rounds.txt")
EARLIEST = -1  # a rule that is older than the catalogue


@dataclass(frozen=True)
class Named:
    """One case with all that names it: rules, or ids of findings."""

    case: Case
    by: frozenset[str]


def read_rounds() -> dict[str, int]:
    rows = (line.split(" ", 1) for line in ROUNDS.read_text("utf-8").splitlines())
    return {name: EARLIEST if written == "before" else int(written) for written, name in rows}


def table_of(rows: list[Named], title: str) -> str:
    rounds = read_rounds()
    newest = max(row.case.round for row in rows)
    cheats, alone, honest, later = Counter(), Counter(), Counter(), Counter()
    rounds_of: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        for name in row.by:
            if row.case.honest:
                honest[name] += 1
                continue
            cheats[name] += 1
            alone[name] += len(row.by) == 1
            rounds_of[name].add(row.case.round)
            # A rule without a round is new.
            later[name] += row.case.round > rounds.get(name, newest)
    width = max(map(len, (title, *cheats, *honest)))
    head = f"{title:{width}}  cheats  alone  honest  later  rounds"
    lines = [
        f"{name:{width}}  {cheats[name]:6}  {alone[name]:5}  {honest[name]:6}  {later[name]:5}"
        f"  {' '.join(map(str, sorted(rounds_of[name])))}"
        for name in sorted(cheats | honest, key=lambda name: (-cheats[name], name))
    ]
    return "\n".join([head, *lines])


def main(words: list[str]) -> int:
    by_id, by_rule = [], []
    for case in ALL:
        found = {
            name: {finding.rule for finding in rows if finding.severity != LOW}
            for name, rows in findings_by_rule(case).items()
        }
        by_id.append(Named(case, frozenset().union(*found.values())))
        by_rule.append(Named(case, frozenset(name for name, ids in found.items() if ids)))
    named = [row.case for row in by_rule if row.by]
    for kind, is_honest in (("cheats", False), ("honest agents", True)):
        count = sum(case.honest == is_honest for case in named)
        print(f"{count} of {sum(case.honest == is_honest for case in ALL)} {kind} are named")
    print(f"\n{table_of(by_rule, 'rule')}\n\n{table_of(by_id, 'finding')}")
    if "--record" in words:
        write_record({row.case.name: tuple(sorted(row.by)) for row in by_id})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
