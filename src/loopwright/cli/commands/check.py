"""Run the checks now and show the results.

Runs only checks that a person typed, that are the repository's own commands, or that are allowed.
"""

from __future__ import annotations

import argparse

from ...core.criteria import Criterion, Evidence
from ...core.loop import Loop
from ...core.record import encode
from ...drive.errors import UserError
from ...drive.inbox import is_boxed
from ...drive.proof.check_box import check_launcher
from ...repo.tree import tree_hash
from ...store.folder import LoopFolder
from ...verify.probes.probe import run_probe
from ...verify.runner import run_check
from .. import exits, here, output
from ..argument_kinds import add_json

EXAMPLES = """  loop check
  loop check "tests pass"
  loop check --json"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", help="criteria to check (default: all)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    if is_boxed():
        raise UserError(
            "the runner runs the checks when you stop. To see a result now, run the command itself"
        )
    folder, loop = here.active_loop()
    criteria = {c.name: c for c in loop.criteria}
    if unknown := [name for name in args.names if name not in criteria]:
        raise UserError(f"no criterion {unknown[0]!r}; there are: {', '.join(criteria)}")
    tree = tree_hash(folder.root, folder.path, loop.settings.volatile_globs)
    results = []
    for name in args.names or criteria:
        evidence = check_criterion(criteria[name], tree, folder, loop)
        if evidence is None:
            continue
        results.append(evidence)
        if not args.json:
            show_result(name, evidence)
    if args.json:
        output.show_json([encode(evidence) for evidence in results])
    return exits.PROVEN if all(e.passed for e in results) else exits.ERROR


def check_criterion(c: Criterion, tree: str, folder: LoopFolder, loop: Loop) -> Evidence | None:
    """The result of the check; None if there is none, or if it may not run."""
    if not c.check or not c.check.allowed:
        reason = "its check waits for `loop allow`" if c.check else "has no check"
        output.show_warning(f"· {c.name}: {reason}")
        return None
    if c.check.probe:
        return run_probe(c.check, c.name, tree, folder.root)
    return run_check(
        c.check,
        c.name,
        tree,
        folder.root,
        folder.path,
        loop.settings.pass_env,
        launcher=check_launcher(folder, loop, c.check, folder.root),
    )


def show_result(name: str, evidence: Evidence) -> None:
    mark = "✓" if evidence.passed else "✗"
    output.show_text(f"{mark} {name}: {evidence.result_text}, {evidence.seconds:.1f} s")
    if not evidence.passed:
        tail = evidence.detail.splitlines()[-12:]
        output.show_text("\n".join(f"    {line}" for line in tail))
