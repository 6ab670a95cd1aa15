"""What no check notices, as SARIF 2.1.0 for code hosts and editors."""

from __future__ import annotations

from ..core.proof.strength import FILE, LEFT, LINE, MUTANT, NOTE, PART, Strength

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
RULES = {
    LINE: "no check runs this line",
    PART: "no check notices if this part is taken away",
    MUTANT: "no check notices this small change",
    NOTE: "this new note says that something is missing",
    LEFT: "the spec asks for a change here",
    FILE: "nothing imports or registers this new file",
}


def strength_sarif(strength: Strength, version: str) -> dict[str, Any]:
    rules = [
        {"id": f"strength-{kind}", "shortDescription": {"text": text}}
        for kind, text in RULES.items()
    ]
    results = [
        {
            "ruleId": f"strength-{item.kind}",
            "level": "warning",
            "message": {"text": f"{RULES[item.kind]}: {item.taken}"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": item.file},
                        "region": {"startLine": item.line},
                    }
                }
            ],
        }
        for item in strength.weak_items
    ]
    driver = {"name": "loop strength", "version": version, "rules": rules}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
