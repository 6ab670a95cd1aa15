"""`loop fleet doctor`: what is wrong with the fleet, and the fix for each problem."""

from __future__ import annotations

import argparse

from ...drive.doctor.diagnosis import Diagnosis
from ...drive.errors import UserError
from ...fleet.database import Unreachable
from ...fleet.doctor import diagnose_fleet
from ...fleet.settings import settings_path
from ..commands.doctor import show_findings
from .connection import opened_database
from .worker import default_root


def run(args: argparse.Namespace) -> int:
    try:
        with opened_database(args) as database:
            findings = diagnose_fleet(database, default_root())
    except UserError as error:
        act = (
            "start it, or correct its address" if isinstance(error, Unreachable) else "name another"
        )
        fix = f"{act}: loop fleet init --database … ({settings_path()})"
        findings = [Diagnosis("fail", str(error).removesuffix(" See: loop fleet doctor"), fix)]
    return show_findings(findings, args.json)
