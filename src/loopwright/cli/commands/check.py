"""Run the checks now and show what each says. Only what a person typed, the repository has, or was allowed."""

from __future__ import annotations

import argparse

from ...core.record import encode
from ...drive.errors import UserError
from ...repo.tree import tree_hash
from ...verify.probes.probe import run_probe as look_at
from ...verify.runner import run_check as prove
from .. import exits, here, output

EXAMPLES = '  loop check\n  loop check "tests pass"\n  loop check --json'


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", help="criteria to check (all by default)")
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    place, loop = here.active_loop()
    known = {c.name: c for c in loop.criteria}
    if unknown := [name for name in args.names if name not in known]:
        raise UserError(f"no criterion {unknown[0]!r}; there are: {', '.join(known)}")
    tree = tree_hash(place.root, place.path, loop.settings.volatile_globs)
    results = []
    for c in (known[name] for name in args.names or known):
        if not c.check or not c.check.allowed:
            output.show_warning(
                f"· {c.name}: {'its check waits for `loop allow`' if c.check else 'has no check'}"
            )
            continue
        if c.check.probe:
            evidence = look_at(c.check, c.name, tree, place.root)
        else:
            evidence = prove(c.check, c.name, tree, place.root, place.path, loop.settings.pass_env)
        results.append(evidence)
        if not args.json:
            output.show_text(
                f"{'✓' if evidence.passed else '✗'} {c.name}: {evidence.outcome} {evidence.code}, {evidence.seconds:.1f} s"
            )
            if not evidence.passed:
                output.show_text(
                    "\n".join(f"    {line}" for line in evidence.detail.splitlines()[-12:])
                )
    if args.json:
        output.show_json([encode(evidence) for evidence in results])
    return exits.PROVEN if all(e.passed for e in results) else exits.ERROR
